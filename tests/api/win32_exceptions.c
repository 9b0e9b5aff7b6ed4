/* SPDX-License-Identifier: MIT
 *
 * win32_exceptions.c - vectored handlers: they get a fault's kind and place, and the thread goes on
 * with the registers and the memory that they leave.
 *
 * Each handler here acts only on the thread that has asked for it, and leaves other threads' faults
 * to other handlers.
 *
 * modes: win32
 * except: registers_that_are_not_meant
 */
#include <windows.h>

#include <string.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

/* A thread's expectation, and the last record that its handler was given. */
struct expected {
    LONG (*act)(EXCEPTION_POINTERS *exception);
    EXCEPTION_RECORD record;
    void *arg;
    int seen;
};

static DWORD slot;

static LONG CALLBACK act_for_thread(EXCEPTION_POINTERS *exception)
{
    struct expected *expected = TlsGetValue(slot);

    if (!expected || expected->seen > 100)
        return EXCEPTION_CONTINUE_SEARCH;
    expected->record = *exception->ExceptionRecord;
    expected->seen++;
    return expected->act(exception);
}

static void *begin(struct expected *expected)
{
    if (!slot)
        slot = TlsAlloc();
    EXPECT_OK(TlsSetValue(slot, expected));
    return AddVectoredExceptionHandler(TRUE, act_for_thread);
}

static void end(void *handler)
{
    EXPECT_NE(RemoveVectoredExceptionHandler(handler), 0);
    EXPECT_OK(TlsSetValue(slot, NULL));
}

/* ---- accesses ---- */

static LONG allow_access(EXCEPTION_POINTERS *exception)
{
    DWORD before;
    void *address = (void *)exception->ExceptionRecord->ExceptionInformation[1];

    return VirtualProtect(address, 1, PAGE_READWRITE, &before) ? EXCEPTION_CONTINUE_EXECUTION
                                                               : EXCEPTION_CONTINUE_SEARCH;
}

TEST_IN_EACH_KIND(Win32Exceptions, an_access_is_made_again)
{
    struct expected expected = {allow_access, {0}, NULL, 0};
    char *page = VirtualAlloc(NULL, 4096, MEM_RESERVE | MEM_COMMIT, PAGE_NOACCESS);
    DWORD before;
    void *handler = begin(&expected);

    ASSERT_NE(page, NULL);
    *(volatile char *)(page + 100) = 7;
    EXPECT_EQ(expected.seen, 1);
    EXPECT_EQ(expected.record.ExceptionCode, EXCEPTION_ACCESS_VIOLATION);
    EXPECT_EQ(expected.record.ExceptionFlags, 0);
    EXPECT_EQ(expected.record.ExceptionRecord, NULL);
    EXPECT_NE(expected.record.ExceptionAddress, NULL);
    EXPECT_EQ(expected.record.NumberParameters, 2);
    EXPECT_EQ(expected.record.ExceptionInformation[0], 1);
    EXPECT_EQ(expected.record.ExceptionInformation[1], page + 100);

    EXPECT_OK(VirtualProtect(page, 4096, PAGE_NOACCESS, &before));
    EXPECT_EQ(*(volatile char *)(page + 100), 7);
    EXPECT_EQ(expected.seen, 2);
    EXPECT_EQ(expected.record.ExceptionInformation[0], 0);
    end(handler);
    EXPECT_OK(VirtualFree(page, 0, MEM_RELEASE));
}

/* Memory that is committed when it is touched: how some servers of the time grow theirs. */
static LONG commit_page(EXCEPTION_POINTERS *exception)
{
    void *address = (void *)exception->ExceptionRecord->ExceptionInformation[1];

    return VirtualAlloc(address, 1, MEM_COMMIT, PAGE_READWRITE) ? EXCEPTION_CONTINUE_EXECUTION
                                                                : EXCEPTION_CONTINUE_SEARCH;
}

TEST_IN_EACH_KIND(Win32Exceptions, pages_that_are_committed_when_touched)
{
    enum { PAGES = 64 };
    struct expected expected = {commit_page, {0}, NULL, 0};
    char *memory = VirtualAlloc(NULL, PAGES * 4096, MEM_RESERVE, PAGE_NOACCESS);
    void *handler = begin(&expected);

    ASSERT_NE(memory, NULL);
    for (int i = 0; i < PAGES; i++)
        ((volatile char *)memory)[i * 4096 + i] = (char)i;
    for (int i = 0; i < PAGES; i++)
        EXPECT_EQ(memory[i * 4096 + i], i);
    EXPECT_EQ(expected.seen, PAGES);
    end(handler);
    EXPECT_OK(VirtualFree(memory, 0, MEM_RELEASE));
}

/* ---- instructions ---- */

static LONG pass_over(EXCEPTION_POINTERS *exception)
{
    struct expected *expected = TlsGetValue(slot);

    exception->ContextRecord->Rip += (DWORD_PTR)expected->arg;
    return EXCEPTION_CONTINUE_EXECUTION;
}

TEST_IN_EACH_KIND(Win32Exceptions, instructions_that_are_passed_over)
{
    struct expected expected = {pass_over, {0}, (void *)2, 0};
    void *handler = begin(&expected);
    int quotient = 5, rest = 0;

    __asm__ volatile("ud2" ::: "memory");
    EXPECT_EQ(expected.record.ExceptionCode, EXCEPTION_ILLEGAL_INSTRUCTION);
    EXPECT_EQ(expected.record.NumberParameters, 0);
    __asm__ volatile("idivl %%ecx" : "+a"(quotient), "+d"(rest) : "c"(0) : "memory");
    EXPECT_EQ(expected.record.ExceptionCode, EXCEPTION_INT_DIVIDE_BY_ZERO);
    EXPECT_EQ(quotient, 5);
    expected.arg = (void *)1;
    __asm__ volatile("int3" ::: "memory");
    EXPECT_EQ(expected.record.ExceptionCode, EXCEPTION_BREAKPOINT);
    EXPECT_EQ(*(unsigned char *)expected.record.ExceptionAddress, 0xCC);
    __asm__ volatile("hlt" ::: "memory");
    EXPECT_EQ(expected.record.ExceptionCode, EXCEPTION_PRIV_INSTRUCTION);
    EXPECT_EQ(*(unsigned char *)expected.record.ExceptionAddress, 0xF4);
    EXPECT_EQ(expected.seen, 4);
    end(handler);
}

/* An address that the processor has no bits for. */
TEST_IN_EACH_KIND(Win32Exceptions, an_address_that_is_none)
{
    struct expected expected = {pass_over, {0}, (void *)2, 0};
    void *handler = begin(&expected);

    __asm__ volatile("movb (%%rcx), %%al" ::"c"(0x8000000000001234ull) : "rax", "memory");
    EXPECT_EQ(expected.record.ExceptionCode, EXCEPTION_ACCESS_VIOLATION);
    EXPECT_EQ(expected.record.NumberParameters, 2);
    EXPECT_EQ(expected.record.ExceptionInformation[0], 0);
    EXPECT_EQ(expected.record.ExceptionInformation[1], ~(ULONG_PTR)0);
    EXPECT_EQ(expected.seen, 1);
    end(handler);
}

static LONG change_registers(EXCEPTION_POINTERS *exception)
{
    CONTEXT *context = exception->ContextRecord;

    EXPECT_EQ(context->Rip, exception->ExceptionRecord->ExceptionAddress);
    EXPECT_EQ(context->ContextFlags & CONTEXT_FULL, CONTEXT_FULL);
    EXPECT_EQ(context->Rax, 1);
    EXPECT_EQ(context->R12, 12);
    EXPECT_EQ(context->Xmm5.Low, 5);
    context->Rax = 1001;
    context->R12 = 1012;
    context->Xmm5.Low = 1005;
    context->Xmm5.High = 1006;
    context->Rip += 2;
    return EXCEPTION_CONTINUE_EXECUTION;
}

TEST_IN_EACH_KIND(Win32Exceptions, registers_that_are_changed)
{
    struct expected expected = {change_registers, {0}, NULL, 0};
    void *handler = begin(&expected);
    ULONGLONG rax = 0, r12 = 0;
    ULONGLONG wide[2] = {5, 0};

    __asm__ volatile("movups (%%rcx), %%xmm5\n\t"
                     "mov $1, %%eax\n\t"
                     "mov $12, %%r12d\n\t"
                     "ud2\n\t"
                     "movups %%xmm5, (%%rcx)\n\t"
                     "mov %%r12, %%rdx"
                     : "=&a"(rax), "=&d"(r12)
                     : "c"(wide)
                     : "r12", "xmm5", "memory");
    EXPECT_EQ(rax, 1001);
    EXPECT_EQ(r12, 1012);
    EXPECT_EQ(wide[0], 1005);
    EXPECT_EQ(wide[1], 1006);
    end(handler);
}

/* The handler says which parts of the record count. */
static LONG change_control_alone(EXCEPTION_POINTERS *exception)
{
    CONTEXT *context = exception->ContextRecord;

    context->ContextFlags = CONTEXT_CONTROL;
    context->Rax = 1001;
    context->Rbx = 1002;
    context->R15 = 1015;
    context->Rip += 2;
    return EXCEPTION_CONTINUE_EXECUTION;
}

TEST_IN_EACH_KIND(Win32Exceptions, registers_that_are_not_meant)
{
    struct expected expected = {change_control_alone, {0}, NULL, 0};
    void *handler = begin(&expected);
    ULONGLONG rax = 1, rbx = 2, r15 = 0;

    __asm__ volatile("mov $15, %%r15d\n\t"
                     "ud2\n\t"
                     "mov %%r15, %%rdx"
                     : "+a"(rax), "+b"(rbx), "=&d"(r15)
                     :
                     : "r15", "memory");
    EXPECT_EQ(rax, 1);
    EXPECT_EQ(rbx, 2);
    EXPECT_EQ(r15, 15);
    EXPECT_EQ(expected.seen, 1);
    end(handler);
}

/* ---- RaiseException ---- */

static LONG go_on(EXCEPTION_POINTERS *exception)
{
    return EXCEPTION_CONTINUE_EXECUTION;
}

TEST_IN_EACH_KIND(Win32Exceptions, raised)
{
    struct expected expected = {go_on, {0}, NULL, 0};
    void *handler = begin(&expected);
    ULONG_PTR arguments[20];

    for (int i = 0; i < 20; i++)
        arguments[i] = 100u + (unsigned)i;
    RaiseException(0xE0001234, 0, 3, arguments);
    EXPECT_EQ(expected.seen, 1);
    EXPECT_EQ(expected.record.ExceptionCode, 0xE0001234);
    EXPECT_EQ(expected.record.ExceptionFlags, 0);
    EXPECT_EQ(expected.record.NumberParameters, 3);
    EXPECT_EQ(expected.record.ExceptionInformation[2], 102);
    RaiseException(0xE0001235, 0, 20, arguments);
    EXPECT_EQ(expected.record.NumberParameters, EXCEPTION_MAXIMUM_PARAMETERS);
    EXPECT_EQ(expected.record.ExceptionInformation[14], 114);
    RaiseException(0xE0001236, 0, 7, NULL);
    EXPECT_EQ(expected.record.NumberParameters, 0);
    EXPECT_EQ(expected.seen, 3);
    end(handler);
}

/* ---- handlers that have exceptions, and that wait ---- */

static LONG raise_another(EXCEPTION_POINTERS *exception)
{
    DWORD code = exception->ExceptionRecord->ExceptionCode;

    if (code > 0xE0000010)
        RaiseException(code - 1, 0, 0, NULL);
    return EXCEPTION_CONTINUE_EXECUTION;
}

TEST_IN_EACH_KIND(Win32Exceptions, in_a_handler)
{
    struct expected expected = {raise_another, {0}, NULL, 0};
    void *handler = begin(&expected);

    RaiseException(0xE0000018, 0, 0, NULL);
    EXPECT_EQ(expected.seen, 9);
    EXPECT_EQ(expected.record.ExceptionCode, 0xE0000010);
    end(handler);
}

static LONG wait_and_pass(EXCEPTION_POINTERS *exception)
{
    struct expected *expected = TlsGetValue(slot);

    EXPECT_EQ(WaitForSingleObject(expected->arg, 8000), WAIT_OBJECT_0);
    exception->ContextRecord->Rip += 2;
    return EXCEPTION_CONTINUE_EXECUTION;
}

static void fault_and_wait(void *event)
{
    struct expected expected = {wait_and_pass, {0}, event, 0};
    void *handler = begin(&expected);

    __asm__ volatile("ud2" ::: "memory");
    EXPECT_EQ(expected.seen, 1);
    end(handler);
}

static void let_go(void *event)
{
    EXPECT_OK(SetEvent(event));
}

TEST(Win32Exceptions, a_handler_that_waits)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);

    on_each_kind(fault_and_wait, let_go, event);
    EXPECT_OK(CloseHandle(event));
}

/* ---- many threads at once, while handlers come and go ---- */

enum { THREADS = 4, FAULTS = 200 };

static LONG CALLBACK declines(EXCEPTION_POINTERS *exception)
{
    return EXCEPTION_CONTINUE_SEARCH;
}

static DWORD WINAPI fault_often(LPVOID arg)
{
    struct expected *expected = arg;

    TlsSetValue(slot, expected);
    for (int i = 0; i < FAULTS; i++) {
        int seen = expected->seen;

        expected->seen = 0;
        if (i && seen != 1)
            FAIL("%d calls for one exception", seen);
        __asm__ volatile("ud2" ::: "memory");
    }
    TlsSetValue(slot, NULL);
    return 0;
}

TEST(Win32Exceptions, of_many_threads)
{
    static struct expected expected[THREADS];
    struct expected none = {go_on, {0}, NULL, 0};
    void *handler = begin(&none);
    HANDLE threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        expected[i] = (struct expected){pass_over, {0}, (void *)2, 0};
        threads[i] = CreateThread(NULL, 0, fault_often, &expected[i], 0, NULL);
        ASSERT_NE(threads[i], NULL);
    }
    for (int i = 0; i < 500; i++) {
        PVOID more = AddVectoredExceptionHandler(i & 1, declines);

        EXPECT_NE(RemoveVectoredExceptionHandler(more), 0);
    }
    EXPECT_EQ(WaitForMultipleObjects(THREADS, threads, TRUE, 20000), WAIT_OBJECT_0);
    for (int i = 0; i < THREADS; i++) {
        EXPECT_EQ(expected[i].seen, 1);
        EXPECT_OK(CloseHandle(threads[i]));
    }
    end(handler);
}
