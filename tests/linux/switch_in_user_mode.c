/* SPDX-License-Identifier: MIT
 *
 * switch_in_user_mode.c - a yield and the execute after it, and a switch of fibers, make no system call. Counted by
 * the kernel: with system call user dispatch each call of the thread is a SIGSYS.
 *
 * modes: default, UMSSHIM_DETECT=0
 */
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"
#include "is_set.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#define PR_SYS_DISPATCH_ON 1
#define SYSCALL_DISPATCH_FILTER_ALLOW 0
#define SYSCALL_DISPATCH_FILTER_BLOCK 1
#endif

enum { SWITCHES = 10000 };

static volatile char selector;
static volatile int calls, first_call;

/* The return from here is a call, too. */
static void on_call(int number, siginfo_t *info, void *context)
{
    if (!calls++)
        first_call = info->si_syscall;
    selector = SYSCALL_DISPATCH_FILTER_ALLOW;
}

/* Runs the body with calls of this kernel thread counted; false if the kernel cannot. */
static bool counted(void (*body)(void *arg), void *arg)
{
    struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};

    sigaction(SIGSYS, &action, NULL);
    calls = 0;
    selector = SYSCALL_DISPATCH_FILTER_ALLOW;
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector))
        return false;
    body(arg);
    prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
    return true;
}

static void make_one_call(void *arg)
{
    selector = SYSCALL_DISPATCH_FILTER_BLOCK;
    prctl(PR_GET_DUMPABLE);
    selector = SYSCALL_DISPATCH_FILTER_ALLOW;
}

static bool can_count;

static void yield_often(void *arg)
{
    UmsThreadYield(NULL);
    selector = SYSCALL_DISPATCH_FILTER_BLOCK;
    for (int i = 0; i < SWITCHES; i++)
        UmsThreadYield(NULL);
    selector = SYSCALL_DISPATCH_FILTER_ALLOW;
}

static void yields_counted(struct worker *self)
{
    can_count = counted(make_one_call, NULL);
    if (!can_count)
        return;
    EXPECT_EQ(calls, 1); /* it does count */
    EXPECT_OK(counted(yield_often, NULL));
    EXPECT_THAT(calls == 0, "%d, the first is number %d", calls, first_call);
}

static PUMS_CONTEXT current;
static int executed;

/* The fleet's scheduler looks at its list and the time; this one only executes. */
static VOID NTAPI execute_it_again(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerThreadBlocked)
        return;
    executed++;
    ExecuteUmsThread(current);
}

static DWORD WINAPI yields_in_a_row(LPVOID unused)
{
    yields_counted(NULL);
    return 0;
}

/* Where a scheduler has no carrier, and the kernel does not know the instruction that loads a thread pointer. */
static bool calls_for_thread_pointers(void)
{
    enum { HWCAP2_FSGSBASE_BIT = 2 };
    return is_set("UMSSHIM_DETECT", "0") && !(getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT);
}

TEST(SwitchInUserMode, yield_and_execute)
{
    struct bare worker;
    PUMS_COMPLETION_LIST list = NULL;

    if (calls_for_thread_pointers())
        SKIP("a switch loads the thread pointer by a system call here");
    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create_arrived(&worker, list, yields_in_a_row, NULL));
    current = worker.context;
    EXPECT_OK(ums_enter(list, execute_it_again, NULL));
    if (can_count)
        EXPECT_GT(executed, SWITCHES);
    EXPECT_EQ(bare_arrival(list), worker.context);
    EXPECT_EQ(WaitForSingleObject(worker.thread, 5000), WAIT_OBJECT_0);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
    if (!can_count)
        SKIP("the kernel has no system call user dispatch");
}

static void *base;

static VOID CALLBACK switch_back(LPVOID unused)
{
    for (;;)
        SwitchToFiber(base);
}

static void switch_often(void *fiber)
{
    SwitchToFiber(fiber);
    selector = SYSCALL_DISPATCH_FILTER_BLOCK;
    for (int i = 0; i < SWITCHES; i++)
        SwitchToFiber(fiber);
    selector = SYSCALL_DISPATCH_FILTER_ALLOW;
}

TEST(SwitchInUserMode, fibers)
{
    void *fiber = CreateFiber(0, switch_back, NULL);
    bool known;

    base = ConvertThreadToFiber(NULL);
    ASSERT_OK(fiber && base);
    known = counted(switch_often, fiber);
    DeleteFiber(fiber);
    EXPECT_OK(ConvertFiberToThread());
    if (!known)
        SKIP("the kernel has no system call user dispatch");
    EXPECT_THAT(calls == 0, "%d, the first is number %d", calls, first_call);
}
