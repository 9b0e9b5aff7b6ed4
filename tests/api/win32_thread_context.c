/* SPDX-License-Identifier: MIT
 *
 * win32_thread_context.c - GetThreadContext and SetThreadContext: for threads that are suspended in
 * the program's own code, for threads that wait or are parked, and for threads that run; called
 * from each kind of thread.
 *
 * Not on Windows: there the engine's workers have no saved context that these calls could read.
 *
 * modes: win32
 * options: APART
 * where: UNIX
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "loose.h"

#include <stdint.h>
#include <string.h>

/* ---- A thread in a loop whose registers are known ---- */

enum { KNOWN = 0x5eed0001, KNOWN_R12 = 0x5eed0002, KNOWN_RDI = 0x5eed0003 };
static const double known_vector = 1234.5;

/* spin_1 spins with known registers until rsi points to something that is not 0, and returns rax.
 * spin_2 is where a test sends it. */
uint64_t spin_1(int *until);
extern const char spin_loop[], spin_end[], spin_2[];
__asm__(".text\n"
        ".globl spin_1, spin_loop, spin_end, spin_2\n"
        "spin_1:\n"
        "    push %rbx\n"
        "    push %r12\n"
        "    mov %rdi, %rsi\n"
        "    mov $0x5eed0001, %ebx\n"
        "    mov $0x5eed0002, %r12d\n"
        "    mov $0x5eed0003, %edi\n"
        "    movsd known_bits(%rip), %xmm7\n"
        "    xor %eax, %eax\n"
        "spin_loop:\n"
        "    movl $1, spinning(%rip)\n"
        "    pause\n"
        "    cmpl $0, (%rsi)\n"
        "    je spin_loop\n"
        "spin_end:\n"
        "    pop %r12\n"
        "    pop %rbx\n"
        "    ret\n"
        "spin_2:\n"
        "    mov %rbx, %rax\n"
        "    jmp spin_end\n"
        ".data\n"
        ".balign 8\n"
        "known_bits: .double 1234.5\n"
        ".globl spinning\n"
        "spinning: .long 0\n"
        ".text\n");
extern int spinning;

struct spinner {
    int stop;
    uint64_t result;
};

static void spin(void *arg)
{
    struct spinner *self = arg;
    self->result = spin_1(&self->stop);
}

static void expect_known(const CONTEXT *context)
{
    double vector;

    EXPECT_GE(context->Rip, (DWORD64)(uintptr_t)spin_loop);
    EXPECT_LT(context->Rip, (DWORD64)(uintptr_t)spin_end);
    EXPECT_EQ(context->Rbx, KNOWN);
    EXPECT_EQ(context->R12, KNOWN_R12);
    EXPECT_EQ(context->Rdi, KNOWN_RDI);
    memcpy(&vector, &context->Xmm7, sizeof vector);
    EXPECT_EQ(vector == known_vector, true);
}

static void look_at_spinner(HANDLE thread)
{
    CONTEXT context, parts;

    memset(&context, 0, sizeof context);
    context.ContextFlags = CONTEXT_FULL;
    EXPECT_EQ(SuspendThread(thread), 0);
    ASSERT_OK(GetThreadContext(thread, &context));
    expect_known(&context);

    /* What is not asked for stays. */
    memset(&parts, 0x77, sizeof parts);
    parts.ContextFlags = CONTEXT_CONTROL;
    ASSERT_OK(GetThreadContext(thread, &parts));
    EXPECT_EQ(parts.Rip, context.Rip);
    EXPECT_EQ(parts.Rsp, context.Rsp);
    EXPECT_EQ(parts.Rbx, 0x7777777777777777);
    EXPECT_EQ(parts.Xmm7.Low, 0x7777777777777777);
    EXPECT_EQ(ResumeThread(thread), 1);
}

static void on_spinner(enum kind kind, void (*act)(HANDLE thread), uint64_t result)
{
    struct spinner self = {0, 0};
    struct kind_thread thread;

    spinning = 0;
    ASSERT_OK(kind_start(&thread, kind, spin, &self));
    ASSERT_REACHES(spinning, 1);
    act(thread.thread);
    flag_set(&self.stop, 1);
    ASSERT_OK(kind_join(&thread));
    EXPECT_EQ(self.result, result);
}

static void each_kind_of_spinner(void (*act)(HANDLE thread), uint64_t result)
{
    for (enum kind kind = KIND_PLAIN; kind < KINDS; kind++)
        on_spinner(kind, act, result);
}

CALL_TEST(Win32ThreadContext, of_a_suspended_thread_of_each_kind,
          each_kind_of_spinner(look_at_spinner, 0))

static void send_it_on(HANDLE thread)
{
    CONTEXT context;

    memset(&context, 0, sizeof context);
    context.ContextFlags = CONTEXT_FULL;
    EXPECT_EQ(SuspendThread(thread), 0);
    ASSERT_OK(GetThreadContext(thread, &context));
    context.Rip = (DWORD64)(uintptr_t)spin_2;
    context.Rbx = 4711;
    ASSERT_OK(SetThreadContext(thread, &context));
    context.Rip = context.Rbx = 0;
    ASSERT_OK(GetThreadContext(thread, &context));
    EXPECT_EQ(context.Rip, (DWORD64)(uintptr_t)spin_2);
    EXPECT_EQ(context.Rbx, 4711);
    EXPECT_EQ(ResumeThread(thread), 1);
}

CALL_TEST(Win32ThreadContext, resumes_where_it_is_set, each_kind_of_spinner(send_it_on, 4711))

/* Windows gives a context of some moment. */
static void look_while_it_runs(HANDLE thread)
{
    CONTEXT context;

    for (int i = 0; i < 20; i++) {
        memset(&context, 0, sizeof context);
        context.ContextFlags = CONTEXT_FULL;
        ASSERT_OK(GetThreadContext(thread, &context));
        expect_known(&context);
    }
    EXPECT_EQ(SuspendThread(thread), 0); /* nobody had suspended it */
    EXPECT_EQ(ResumeThread(thread), 1);
}

CALL_TEST(Win32ThreadContext, of_a_thread_that_runs, each_kind_of_spinner(look_while_it_runs, 0))

/* ---- Who looks ---- */

TEST_IN_EACH_KIND(Win32ThreadContext, looked_at_from_each_kind)
{
    struct spinner self = {0, 0};
    struct kind_thread thread;
    CONTEXT context;

    spinning = 0;
    ASSERT_OK(kind_start(&thread, KIND_PLAIN, spin, &self));
    ASSERT_REACHES(spinning, 1);
    look_at_spinner(thread.thread);
    flag_set(&self.stop, 1);
    ASSERT_OK(kind_join(&thread));

    memset(&context, 0, sizeof context);
    context.ContextFlags = CONTEXT_CONTROL;
    EXPECT_OK(GetThreadContext(GetCurrentThread(), &context));
}

/* A worker that stopped its own scheduler would stop with it, and nobody would resume the two. */
struct own_scheduler {
    HANDLE known, scheduler;
};

static void look_at_own_scheduler(void *arg)
{
    struct own_scheduler *own = arg;
    CONTEXT context;

    ASSERT_EQ(WaitForSingleObject(own->known, 8000), WAIT_OBJECT_0);
    memset(&context, 0, sizeof context);
    context.ContextFlags = CONTEXT_FULL;
    EXPECT_OK(GetThreadContext(own->scheduler, &context));
    EXPECT_NE(context.Rip, 0);
    EXPECT_FAILS(SetThreadContext(own->scheduler, &context), ERROR_NOT_SUPPORTED);
}

TEST(Win32ThreadContext, of_the_scheduler_that_runs_the_caller)
{
    struct own_scheduler own = {CreateEventA(NULL, TRUE, FALSE, NULL), NULL};
    struct kind_thread thread;

    ASSERT_OK(kind_start(&thread, KIND_WORKER, look_at_own_scheduler, &own));
    own.scheduler = thread.driver;
    EXPECT_OK(SetEvent(own.known));
    ASSERT_OK(kind_join(&thread));
    EXPECT_OK(CloseHandle(own.known));
}

/* ---- Threads that wait, and parked workers ---- */

static HANDLE waits;

/* Signalling is one step with waiting: whoever sees `waits` signalled finds it in its wait. */
static void wait_for(void *event)
{
    EXPECT_EQ(SignalObjectAndWait(waits, event, INFINITE, FALSE), WAIT_OBJECT_0);
}

static void look_at_waiter(HANDLE thread)
{
    CONTEXT context;

    memset(&context, 0, sizeof context);
    context.ContextFlags = CONTEXT_FULL;
    EXPECT_EQ(SuspendThread(thread), 0);
    ASSERT_OK(GetThreadContext(thread, &context));
    EXPECT_NE(context.Rip, 0);
    EXPECT_NE(context.Rsp, 0);
    EXPECT_FAILS(SetThreadContext(thread, &context),
                 ERROR_NOT_SUPPORTED); /* the registers of a thread that waits cannot be set */
    EXPECT_EQ(ResumeThread(thread), 1);
}

TEST(Win32ThreadContext, of_a_thread_that_waits)
{
    for (enum kind kind = KIND_PLAIN; kind < KINDS; kind++) {
        HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);
        struct kind_thread thread;

        waits = CreateEventA(NULL, TRUE, FALSE, NULL);
        ASSERT_OK(kind_start(&thread, kind, wait_for, event));
        ASSERT_EQ(WaitForSingleObject(waits, 8000), WAIT_OBJECT_0);
        look_at_waiter(thread.thread);
        EXPECT_OK(SetEvent(event));
        ASSERT_OK(kind_join(&thread));
        EXPECT_OK(CloseHandle(event));
        EXPECT_OK(CloseHandle(waits));
    }
}

static const void *parked_at;

static DWORD WINAPI yield_once(LPVOID param)
{
    int local = 0;

    parked_at = &local;
    UmsThreadYield(NULL);
    return 0;
}

/* A worker that no scheduler runs has a context, suspended or not. Its stack pointer is below the
 * frame of its function. */
TEST(Win32ThreadContext, of_a_parked_worker)
{
    struct bare worker;
    PUMS_COMPLETION_LIST list = NULL;
    CONTEXT context;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create_arrived(&worker, list, yield_once, NULL));
    memset(&context, 0, sizeof context);
    context.ContextFlags = CONTEXT_CONTROL | CONTEXT_INTEGER;
    ASSERT_OK(GetThreadContext(worker.thread, &context));
    EXPECT_NE(context.Rsp, 0);
    EXPECT_EQ(SuspendThread(worker.thread), 0);
    ASSERT_OK(GetThreadContext(worker.thread, &context));
    EXPECT_NE(context.Rip, 0);
    EXPECT_EQ(ResumeThread(worker.thread), 1);
    EXPECT_OK(bare_drive(list, &worker.context, 1, 1));
    EXPECT_LT(context.Rsp, (DWORD64)(uintptr_t)parked_at + 65536);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static void nothing(void *arg)
{
}

TEST(Win32ThreadContext, of_one_that_has_ended)
{
    struct kind_thread thread;
    HANDLE kept = NULL;
    CONTEXT context;

    ASSERT_OK(kind_start(&thread, KIND_PLAIN, nothing, NULL));
    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), thread.thread, GetCurrentProcess(), &kept, 0,
                              FALSE, DUPLICATE_SAME_ACCESS));
    ASSERT_OK(kind_join(&thread));
    memset(&context, 0, sizeof context);
    context.ContextFlags = CONTEXT_FULL;
    EXPECT_FAILS(GetThreadContext(kept, &context), ERROR_GEN_FAILURE);
    EXPECT_FAILS(SetThreadContext(kept, &context), ERROR_GEN_FAILURE);
    EXPECT_OK(CloseHandle(kept));
}

/* ---- Bad arguments ---- */

TEST_IN_EACH_KIND(Win32ThreadContext, bad_arguments)
{
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);
    CONTEXT context;

    memset(&context, 0, sizeof context);
    EXPECT_FAILS(GetThreadContext(GetCurrentThread(), &context), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SetThreadContext(GetCurrentThread(), &context), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetThreadContext(GetCurrentThread(), NULL), ERROR_NOACCESS);
    EXPECT_FAILS(SetThreadContext(GetCurrentThread(), NULL), ERROR_NOACCESS);
    context.ContextFlags = CONTEXT_FULL;
    EXPECT_FAILS(GetThreadContext(NULL, &context), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetThreadContext(NULL, &context), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(GetThreadContext(event, &context), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetThreadContext(GetCurrentThread(), &context), ERROR_NOT_SUPPORTED);
    EXPECT_OK(CloseHandle(event));
}

TEST_IN_EACH_KIND(Win32ThreadContext, stack_guarantee)
{
    ULONG size = 5000;

    ASSERT_OK(SetThreadStackGuarantee(&size));
    EXPECT_EQ(size, 0);
    size = 0; /* asks */
    ASSERT_OK(SetThreadStackGuarantee(&size));
    EXPECT_EQ(size, 8192);
    size = 4096; /* never less */
    ASSERT_OK(SetThreadStackGuarantee(&size));
    EXPECT_EQ(size, 8192);
    size = 0;
    ASSERT_OK(SetThreadStackGuarantee(&size));
    EXPECT_EQ(size, 8192);
    size = 0x40000000;
    EXPECT_FAILS(SetThreadStackGuarantee(&size), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SetThreadStackGuarantee(NULL), ERROR_NOACCESS);
}
