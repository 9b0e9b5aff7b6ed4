/* SPDX-License-Identifier: MIT
 *
 * win32_fibers.c - fibers of each kind of thread: the states that belong to a fiber, the states
 * that stay the thread's, and how both end.
 *
 * modes: win32
 * except: a_thread_is_no_fiber, rounding_is_the_fibers, unknown_flags
 */
#include <windows.h>

#include "counted_values.h"
#include "fiber_stack.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

#include <stdint.h>
#include <xmmintrin.h>

TEST_IN_EACH_KIND(Win32Fibers, a_thread_and_back)
{
    int data;
    void *fiber;

    EXPECT_EQ(IsThreadAFiber(), FALSE);
    fiber = ConvertThreadToFiber(&data);
    ASSERT_OK(fiber != NULL);
    EXPECT_OK(IsThreadAFiber());
    EXPECT_EQ(GetCurrentFiber(), fiber);
    EXPECT_EQ(GetFiberData(), &data);
    EXPECT_FAILS(ConvertThreadToFiber(&data), ERROR_ALREADY_FIBER);
    EXPECT_FAILS(ConvertThreadToFiberEx(NULL, FIBER_FLAG_FLOAT_SWITCH), ERROR_ALREADY_FIBER);
    EXPECT_OK(ConvertFiberToThread());
    EXPECT_EQ(IsThreadAFiber(), FALSE);
    fiber = ConvertThreadToFiberEx(NULL, FIBER_FLAG_FLOAT_SWITCH);
    ASSERT_OK(fiber != NULL);
    EXPECT_EQ(GetFiberData(), NULL);
    EXPECT_OK(ConvertFiberToThread());
}

TEST_IN_EACH_KIND(Win32Fibers, a_thread_is_no_fiber)
{
    EXPECT_FAILS(ConvertFiberToThread(), ERROR_ALREADY_THREAD);
    EXPECT_EQ(IsThreadAFiber(), FALSE);
    EXPECT_EQ(GetCurrentFiber(), 0x1e00); /* what programs of the time compare with */
}

static VOID CALLBACK never_run(LPVOID param)
{
    FAIL("a fiber ran that nobody had switched to (%p)", param);
}

TEST_IN_EACH_KIND(Win32Fibers, unknown_flags)
{
    EXPECT_FAILS(ConvertThreadToFiberEx(NULL, 2), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateFiberEx(0, 0, 2, never_run, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(IsThreadAFiber(), FALSE);
}

/* A stack that no address space has room for. */
TEST_IN_EACH_KIND(Win32Fibers, no_memory)
{
    SetLastError(ERROR_SUCCESS);
    EXPECT_EQ(CreateFiberEx(0, (SIZE_T)1 << 60, 0, never_run, NULL), NULL);
    EXPECT_NE(GetLastError(), ERROR_SUCCESS);
}

/* Many that never run, deleted by a thread that is no fiber. */
TEST_IN_EACH_KIND(Win32Fibers, deleted_unused)
{
    enum { FIBERS = 200 };
    void *fibers[FIBERS];

    for (int i = 0; i < FIBERS; i++) {
        fibers[i] = CreateFiber(i % 2 ? STACK : 0, never_run, NULL);
        ASSERT_OK(fibers[i] != NULL);
    }
    for (int i = 0; i < FIBERS; i++)
        DeleteFiber(fibers[i]);
}

/* ---- What belongs to whom ------------------------------------------------------------------------ */

struct two {
    void *base, *other;
    DWORD tls, fls, thread;
    int turns, done;
};

static VOID CALLBACK take_turns(LPVOID param)
{
    struct two *two = param;
    volatile int own = 0;

    EXPECT_EQ(FlsGetValue(two->fls), NULL);
    EXPECT_OK(FlsSetValue(two->fls, two));
    for (;;) {
        EXPECT_EQ(GetCurrentFiber(), two->other);
        EXPECT_EQ(GetFiberData(), two);
        EXPECT_OK(within_stack((void *)&own));
        EXPECT_EQ(GetCurrentThreadId(), two->thread);
        EXPECT_EQ(TlsGetValue(two->tls), two->base);
        EXPECT_EQ(FlsGetValue(two->fls), two);
        EXPECT_EQ(++own, ++two->turns);
        SetLastError(100 + (DWORD)own);
        SwitchToFiber(two->base);
    }
}

TEST_IN_EACH_KIND(Win32Fibers, two_take_turns)
{
    struct two two = {.tls = TlsAlloc(), .fls = FlsAlloc(NULL), .thread = GetCurrentThreadId()};
    int here;

    EXPECT_OK(FlsSetValue(two.fls, &here));
    two.base = ConvertThreadToFiber(&here);
    ASSERT_OK(two.base != NULL);
    EXPECT_EQ(FlsGetValue(two.fls), &here); /* the thread's values are the fiber's */
    EXPECT_OK(TlsSetValue(two.tls, two.base));
    two.other = CreateFiberEx(0, STACK, 0, take_turns, &two);
    ASSERT_OK(two.other != NULL);
    for (int i = 1; i <= 50; i++) {
        SwitchToFiber(two.other);
        EXPECT_EQ(GetLastError(), 100 + (DWORD)i); /* the thread's, and nobody changed it since */
        EXPECT_EQ(two.turns, i);
        EXPECT_EQ(GetCurrentFiber(), two.base);
        EXPECT_EQ(GetFiberData(), &here);
        EXPECT_OK(within_stack(&here));
        EXPECT_EQ(FlsGetValue(two.fls), &here);
    }
    DeleteFiber(two.other);
    EXPECT_OK(ConvertFiberToThread());
    EXPECT_EQ(FlsGetValue(two.fls), &here);
    EXPECT_OK(FlsFree(two.fls));
    EXPECT_OK(TlsFree(two.tls));
}

static VOID CALLBACK round_up(LPVOID base)
{
    EXPECT_EQ(_mm_getcsr() & _MM_ROUND_MASK, _MM_ROUND_NEAREST);
    _mm_setcsr((_mm_getcsr() & ~(unsigned)_MM_ROUND_MASK) | _MM_ROUND_UP);
    SwitchToFiber(base);
    EXPECT_EQ(_mm_getcsr() & _MM_ROUND_MASK, _MM_ROUND_UP);
    SwitchToFiber(base);
}

TEST_IN_EACH_KIND(Win32Fibers, rounding_is_the_fibers)
{
    void *base = ConvertThreadToFiberEx(NULL, FIBER_FLAG_FLOAT_SWITCH), *other;

    ASSERT_OK(base != NULL);
    other = CreateFiberEx(0, STACK, FIBER_FLAG_FLOAT_SWITCH, round_up, base);
    ASSERT_OK(other != NULL);
    SwitchToFiber(other);
    EXPECT_EQ(_mm_getcsr() & _MM_ROUND_MASK, _MM_ROUND_NEAREST);
    SwitchToFiber(other);
    EXPECT_EQ(_mm_getcsr() & _MM_ROUND_MASK, _MM_ROUND_NEAREST);
    DeleteFiber(other);
    EXPECT_OK(ConvertFiberToThread());
}

/* ---- Callbacks of fiber-local storage ----------------------------------------------------------- */

struct setter {
    void *base;
    DWORD index;
    int value;
};

static VOID CALLBACK set_and_return(LPVOID param)
{
    struct setter *setter = param;

    EXPECT_OK(FlsSetValue(setter->index, (void *)(intptr_t)setter->value));
    SwitchToFiber(setter->base);
    FAIL("nobody switches here again");
}

TEST_IN_EACH_KIND(Win32Fibers, values_end_with_their_fiber)
{
    enum { FIBERS = 10 };
    struct setter setters[FIBERS];
    void *base = ConvertThreadToFiber(NULL), *fibers[FIBERS];
    DWORD index = counted_index();

    ASSERT_OK(base != NULL);
    EXPECT_OK(FlsSetValue(index, (void *)1000));
    for (int i = 0; i < FIBERS; i++) {
        setters[i] = (struct setter){base, index, i + 1};
        fibers[i] = CreateFiber(STACK, set_and_return, &setters[i]);
        ASSERT_OK(fibers[i] != NULL);
        SwitchToFiber(fibers[i]);
    }
    EXPECT_EQ(called, 0);
    for (int i = 0; i < FIBERS / 2; i++)
        DeleteFiber(fibers[i]);
    EXPECT_EQ(called, FIBERS / 2);
    EXPECT_EQ(sum, 1 + 2 + 3 + 4 + 5);
    EXPECT_OK(FlsFree(index)); /* calls back for all fibers */
    EXPECT_EQ(called, FIBERS + 1);
    EXPECT_EQ(sum, 1055);
    for (int i = FIBERS / 2; i < FIBERS; i++)
        DeleteFiber(fibers[i]);
    EXPECT_EQ(called, FIBERS + 1);
    EXPECT_OK(ConvertFiberToThread());
}

/* ---- Ends ---------------------------------------------------------------------------------------- */

enum how { RETURNS, DELETES_ITSELF, EXITS };
static enum how how;
static DWORD ends_index;

static VOID CALLBACK end_here(LPVOID param)
{
    EXPECT_OK(FlsSetValue(ends_index, (void *)5));
    if (how == DELETES_ITSELF)
        DeleteFiber(GetCurrentFiber());
    if (how == EXITS)
        ExitThread(77);
}

static DWORD WINAPI end_in_a_fiber(LPVOID param)
{
    if (!ConvertThreadToFiber(NULL))
        return 1234;
    EXPECT_OK(FlsSetValue(ends_index, (void *)100));
    SwitchToFiber(CreateFiber(STACK, end_here, NULL));
    FAIL("the thread goes on after its fiber has ended");
    return 1234;
}

static void end_worker(struct worker *self)
{
    self->exit_code = end_in_a_fiber(NULL);
}

static void ends(enum how by)
{
    DWORD codes[2] = {1234, 1234};
    struct fleet *fleet;
    HANDLE thread;

    how = by;
    ends_index = counted_index();
    thread = CreateThread(NULL, 0, end_in_a_fiber, NULL, 0, NULL);
    ASSERT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &codes[0]));
    EXPECT_OK(CloseHandle(thread));
    EXPECT_EQ(sum, 5); /* the values of the fiber that ran */
    fleet = fleet_create(1, 1, 0);
    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, end_worker, NULL);
    fleet_run(fleet);
    EXPECT_EQ(WaitForSingleObject(fleet_worker(fleet, 0)->thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(fleet_worker(fleet, 0)->thread, &codes[1]));
    fleet_destroy(fleet);
    EXPECT_EQ(sum, 10);
    EXPECT_EQ(codes[0], codes[1]);
    if (by == EXITS)
        EXPECT_EQ(codes[0], 77);
    EXPECT_NE(codes[0], 1234);
    EXPECT_OK(FlsFree(ends_index));
}

CALL_TEST(Win32Fibers, a_fiber_that_returns_ends_its_thread, ends(RETURNS))
CALL_TEST(Win32Fibers, a_fiber_that_deletes_itself_ends_its_thread, ends(DELETES_ITSELF))
CALL_TEST(Win32Fibers, exit_thread_in_a_fiber, ends(EXITS))
