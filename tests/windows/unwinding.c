/* SPDX-License-Identifier: MIT
 *
 * unwinding.c - faults, handlers, longjmp and walks over the stack inside workers.
 *
 * The hazard: whoever walks a stack goes by the bounds in the thread's block and by the frames down
 * to the thread's base. A worker that was moved must have both, and a handler must find itself on
 * the thread whose fault it handles.
 *
 * modes: default
 */
#include "again.h"
#include "gtest_c.h"
#include "moving.h"

#include <excpt.h>
#include <setjmp.h>
#include <string.h>

enum { ROUNDS = 30, WORKERS = 3, FRAMES = 62 };

/* ---- Walks --------------------------------------------------------------------------------- */

struct walk {
    int count;
    DWORD64 where[FRAMES];
    DWORD64 stack[FRAMES];
    bool ended; /* at a return address of zero, within the bounds until then */
};

/* The caller's frames, by their unwind information. */
__attribute__((noinline)) static void walk_stack(struct walk *walk)
{
    ULONG_PTR low = 0, high = 0;
    CONTEXT at;

    memset(walk, 0, sizeof *walk);
    GetCurrentThreadStackLimits(&low, &high);
    RtlCaptureContext(&at);
    while (walk->count < FRAMES && at.Rip) {
        DWORD64 image = 0, establisher = 0;
        PRUNTIME_FUNCTION function = RtlLookupFunctionEntry(at.Rip, &image, NULL);
        void *handler_data = NULL;

        if (at.Rsp < low || at.Rsp >= high || at.Rsp % 8)
            return;
        walk->where[walk->count] = at.Rip;
        walk->stack[walk->count++] = at.Rsp;
        if (function) {
            RtlVirtualUnwind(UNW_FLAG_NHANDLER, image, at.Rip, function, &at, &handler_data,
                             &establisher, NULL);
        } else { /* a leaf */
            at.Rip = *(DWORD64 *)at.Rsp;
            at.Rsp += 8;
        }
    }
    walk->ended = at.Rip == 0;
}

/* The walk passes the worker's body and its routine and comes to the start of the thread, in the
 * system; and it is the same wherever the worker runs. Its first frame alone is at another
 * instruction. */
__attribute__((noinline)) static void walk_and_move(struct worker *self)
{
    struct walk first, now;
    void *trace[2][FRAMES];
    USHORT frames[2];

    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        struct walk *walk = i ? &now : &first;
        HMODULE base = NULL;

        walk_stack(walk);
        frames[i > 0] = RtlCaptureStackBackTrace(1, FRAMES, trace[i > 0], NULL);
        ASSERT_OK(walk->ended);
        EXPECT_GE(walk->count, 5);
        EXPECT_OK(GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                         GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                                     (LPCSTR)(uintptr_t)walk->where[walk->count - 1], &base));
        EXPECT_THAT(base == GetModuleHandleA("ntdll.dll") ||
                        base == GetModuleHandleA("kernel32.dll"),
                    "the last frame is at %p", (void *)(uintptr_t)walk->where[walk->count - 1]);
        if (i) {
            EXPECT_EQ(now.count, first.count);
            EXPECT_EQ(memcmp(now.where + 1, first.where + 1, (FRAMES - 1) * sizeof(DWORD64)), 0);
            EXPECT_EQ(memcmp(now.stack + 1, first.stack + 1, (FRAMES - 1) * sizeof(DWORD64)), 0);
            ASSERT_EQ(frames[1], frames[0]);
            EXPECT_EQ(memcmp(trace[1], trace[0], frames[0] * sizeof(void *)), 0);
        }
        step_aside(self, i);
    }
}

TEST(Unwinding, walk_to_the_base)
{
    ASSERT_OK(run_moving(2, WORKERS, walk_and_move, NULL, NULL));
}

/* ---- longjmp ------------------------------------------------------------------------------- */

__attribute__((noinline)) static void jump_from(struct worker *self, jmp_buf *target, int depth)
{
    volatile char frame[500];

    frame[0] = (char)depth;
    step_aside(self, depth);
    if (tc_failures())
        return;
    if (depth == 0)
        longjmp(*target, 7);
    jump_from(self, target, depth - 1);
    frame[1] = frame[0];
}

static void jump_often(struct worker *self)
{
    volatile int jumps = 0;

    for (volatile int i = 0; i < ROUNDS && !tc_failures(); i++) {
        jmp_buf target;
        int value = setjmp(target);

        if (value == 0) {
            jump_from(self, &target, 4 + i % 3);
            FAIL("came back without a longjmp");
            return;
        }
        EXPECT_EQ(value, 7);
        jumps++;
        step_aside(self, i);
    }
    EXPECT_EQ(jumps, ROUNDS);
}

TEST(Unwinding, longjmp_over_frames_that_yield)
{
    ASSERT_OK(run_moving(2, WORKERS, jump_often, NULL, NULL));
}

/* ---- Faults -------------------------------------------------------------------------------- */

static volatile int *forbidden; /* a page that may be read only */
static DWORD fault_of[MOVING_WORKERS];

/* Which worker's fault it is, is in the value that was to be written. */
static LONG CALLBACK skip_the_store(EXCEPTION_POINTERS *pointers)
{
    CONTEXT *context = pointers->ContextRecord;
    DWORD index = (DWORD)context->Rcx;

    if (pointers->ExceptionRecord->ExceptionCode != EXCEPTION_ACCESS_VIOLATION ||
        pointers->ExceptionRecord->ExceptionInformation[1] != (ULONG_PTR)forbidden)
        return EXCEPTION_CONTINUE_SEARCH;
    EXPECT_EQ(GetCurrentThreadId(), fault_of[index]);
    fault_of[index] = 0;
    context->Rip += 2; /* the store below */
    return EXCEPTION_CONTINUE_EXECUTION;
}

static void fault_often(struct worker *self)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        fault_of[self->index] = self->id;
        __asm__ volatile(".byte 0x89, 0x08" /* mov %ecx, (%rax) */ ::"a"(forbidden),
                         "c"(self->index)
                         : "memory");
        EXPECT_EQ(fault_of[self->index], 0);
        step_aside(self, i);
    }
}

TEST(Unwinding, fault_and_vectored_handler)
{
    void *handler;

    forbidden = VirtualAlloc(NULL, 4096, MEM_RESERVE | MEM_COMMIT, PAGE_READONLY);
    ASSERT_OK(forbidden != NULL);
    handler = AddVectoredExceptionHandler(1, skip_the_store);
    EXPECT_OK(run_moving(2, WORKERS, fault_often, NULL, NULL));
    EXPECT_OK(RemoveVectoredExceptionHandler(handler));
    EXPECT_EQ(*forbidden, 0);
    EXPECT_OK(VirtualFree((void *)forbidden, 0, MEM_RELEASE));
}

/* A handler of one frame, as compilers make them for __try and __except; MinGW has macros for it.
 */
static DWORD filtered_by[MOVING_WORKERS];

__attribute__((used)) static long filter(EXCEPTION_POINTERS *pointers, void *frame)
{
    ULONG_PTR low = 0, high = 0;
    int index = (int)pointers->ExceptionRecord->ExceptionInformation[0];

    if (pointers->ExceptionRecord->ExceptionCode != 0xE0001234)
        return EXCEPTION_CONTINUE_SEARCH;
    GetCurrentThreadStackLimits(&low, &high);
    EXPECT_OK(low <= (ULONG_PTR)frame && (ULONG_PTR)frame < high);
    filtered_by[index] = GetCurrentThreadId();
    return EXCEPTION_EXECUTE_HANDLER;
}

__attribute__((noinline)) static void raise_from(struct worker *self, int depth)
{
    volatile char frame[300];
    ULONG_PTR index = (ULONG_PTR)self->index;

    frame[0] = (char)depth;
    step_aside(self, depth);
    if (tc_failures())
        return;
    if (depth == 0)
        RaiseException(0xE0001234, 0, 1, &index);
    raise_from(self, depth - 1);
    frame[1] = frame[0];
}

__attribute__((noinline, noclone)) static void try_and_except(struct worker *self, int depth)
{
    __try1(filter) raise_from(self, depth);
    __except1
}

static void raise_often(struct worker *self)
{
    for (volatile int i = 0; i < ROUNDS && !tc_failures(); i++) {
        filtered_by[self->index] = 0;
        try_and_except(self, 3 + i % 3);
        EXPECT_EQ(filtered_by[self->index], self->id);
        step_aside(self, i);
    }
}

TEST(Unwinding, exception_and_frame_handler)
{
    ASSERT_OK(run_moving(2, WORKERS, raise_often, NULL, NULL));
}

/* ---- Nobody handles it --------------------------------------------------------------------- */

static DWORD expected_id;

static LONG WINAPI last_filter(EXCEPTION_POINTERS *pointers)
{
    if (GetCurrentThreadId() != expected_id)
        TerminateProcess(GetCurrentProcess(), 1);
    return EXCEPTION_EXECUTE_HANDLER; /* the process ends with the exception's code */
}

static void raise_unhandled(struct worker *self)
{
    move_on(self);
    expected_id = self->id;
    RaiseException(0xE0005678, 0, 0, NULL);
}

TEST(Unwinding, unhandled_exception_ends_the_process)
{
    if (again_part()) {
        SetUnhandledExceptionFilter(last_filter);
        run_moving(2, 1, raise_unhandled, NULL, NULL);
        return;
    }
    EXPECT_EQ(again_run("Unwinding.unhandled_exception_ends_the_process", "raise"), 0xE0005678);
}
