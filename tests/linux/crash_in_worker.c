/* SPDX-License-Identifier: MIT
 *
 * crash_in_worker.c - a fault in a worker kills the program, or reaches the program's handler on
 * the worker's own stack with the worker's own identity.
 *
 * modes: default, UMSSHIM_FSGSBASE=0, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile int *volatile nowhere = (volatile int *)16; /* volatile: or gcc foresees it */

enum how { NULL_POINTER, ABORT, ILLEGAL, DIVIDE, STACK_OVERFLOW, TRAP };
static enum how how;
static volatile int zero;

static int overflow(int depth)
{
    volatile char frame[4096];

    frame[0] = (char)depth;
    if (zero)
        return 0; /* never; the compiler cannot know */
    return overflow(depth + 1) + frame[0];
}

static void crash(struct worker *self)
{
    usleep(1000); /* let it have been blocked once: it is no longer where it started */
    UmsThreadYield(NULL);
    switch (how) {
    case NULL_POINTER:
        *nowhere = 1;
        break;
    case ABORT:
        abort();
    case ILLEGAL:
        __asm__ volatile("ud2");
        break;
    case DIVIDE:
        zero = 100 / zero;
        break;
    case STACK_OVERFLOW:
        zero = overflow(0);
        break;
    case TRAP:
        raise(SIGTRAP);
        break;
    }
}

static void sleep_around(struct worker *self)
{
    for (int i = 0; i < 1000; i++)
        usleep(5000);
}

static int crash_in_fleet(void *arg)
{
    struct rlimit none = {0, 0};
    struct fleet *fleet;

    setrlimit(RLIMIT_CORE, &none);
    fleet = fleet_create(2, 4, FLEET_SHARED_READY);
    for (int i = 0; i < 3; i++)
        fleet_add(fleet, sleep_around, NULL);
    fleet_add(fleet, crash, NULL);
    fleet_run(fleet);
    return 1;
}

static void dies(enum how by, int number)
{
    struct child_result result;

    how = by;
    result = child_run(crash_in_fleet, NULL, 10000);
    EXPECT_CHILD_SIGNAL(result, number);
}

CALL_TEST(CrashInWorker, null_pointer, dies(NULL_POINTER, SIGSEGV))
CALL_TEST(CrashInWorker, abort, dies(ABORT, SIGABRT))
CALL_TEST(CrashInWorker, illegal_instruction, dies(ILLEGAL, SIGILL))
CALL_TEST(CrashInWorker, division_by_zero, dies(DIVIDE, SIGFPE))
CALL_TEST(CrashInWorker, stack_overflow, dies(STACK_OVERFLOW, SIGSEGV))
CALL_TEST(CrashInWorker, raise, dies(TRAP, SIGTRAP))

/* ---- with a handler ---- */

static sigjmp_buf back;
static struct {
    int count;
    void *address;
    char *local;
    char *interrupted_stack;
    pthread_t thread;
    DWORD id;
    PUMS_CONTEXT context;
} fault;

static void on_fault(int number, siginfo_t *info, void *machine)
{
    ucontext_t *registers = machine;
    char local;

    fault.count++;
    fault.address = info->si_addr;
    fault.local = &local;
    fault.interrupted_stack = (char *)registers->uc_mcontext.gregs[REG_RSP];
    fault.thread = pthread_self();
    fault.id = GetCurrentThreadId();
    fault.context = GetCurrentUmsThread();
    siglongjmp(back, 1);
}

static void fault_and_recover(struct worker *self)
{
    pthread_attr_t attributes;
    void *stack = NULL;
    size_t size = 0;

    EXPECT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
    EXPECT_EQ(pthread_attr_getstack(&attributes, &stack, &size), 0);
    pthread_attr_destroy(&attributes);
    for (volatile int i = 0; i < 4; i++) {
        fault.count = 0;
        if (i % 2)
            usleep(1000);
        else
            UmsThreadYield(NULL);
        if (sigsetjmp(back, 1) == 0) {
            *nowhere = 1;
            FAIL("no fault");
        }
        EXPECT_EQ(fault.count, 1);
        EXPECT_EQ(fault.address, nowhere);
        EXPECT_THAT(fault.local >= (char *)stack && fault.local < (char *)stack + size,
                    "the handler ran at %p, the worker's stack is %p to %p", fault.local, stack,
                    (char *)stack + size);
        EXPECT_THAT(fault.interrupted_stack >= (char *)stack &&
                        fault.interrupted_stack < (char *)stack + size,
                    "the stack pointer was %p", fault.interrupted_stack);
        EXPECT_EQ(fault.thread, pthread_self());
        EXPECT_EQ(fault.id, self->id);
        EXPECT_EQ(fault.context, self->context);
    }
}

static void with_handler(int number, worker_body body)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO, .sa_sigaction = on_fault};

    EXPECT_EQ(sigaction(number, &action, NULL), 0);
    FLEET_RUN(2, FLEET_SHARED_READY, {1, body, NULL});
}

CALL_TEST(CrashInWorker, handler_runs_on_the_workers_stack,
          with_handler(SIGSEGV, fault_and_recover))

/* The signal reaches the worker, whose stack goes on below the call: its home, to which abort gives
 * the signal by the worker's id, has the upper end. */
static void abort_and_recover(struct worker *self)
{
    char local;

    for (volatile int i = 0; i < 4; i++) {
        fault.count = 0;
        if (i % 2)
            usleep(1000);
        else
            UmsThreadYield(NULL);
        if (sigsetjmp(back, 1) == 0)
            abort();
        EXPECT_EQ(fault.count, 1);
        EXPECT_THAT(fault.local < &local, "the handler ran at %p, the worker's frame is at %p",
                    fault.local, &local);
        EXPECT_EQ(fault.thread, pthread_self());
        EXPECT_EQ(fault.context, self->context);
    }
}

CALL_TEST(CrashInWorker, handler_of_abort_runs_below_the_call,
          with_handler(SIGABRT, abort_and_recover))

/* A fault in the scheduler's entry point, while workers are blocked. */
static VOID NTAPI faulty_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    *nowhere = 1;
}

static int crash_in_proc(void *arg)
{
    struct rlimit none = {0, 0};
    PUMS_COMPLETION_LIST list = NULL;
    UMS_SCHEDULER_STARTUP_INFO info = {UMS_VERSION, NULL, faulty_proc, NULL};

    setrlimit(RLIMIT_CORE, &none);
    CreateUmsCompletionList(&list);
    info.CompletionList = list;
    EnterUmsSchedulingMode(&info);
    return 1;
}

TEST(CrashInWorker, in_the_scheduler_proc)
{
    struct child_result result = child_run(crash_in_proc, NULL, 10000);

    EXPECT_CHILD_SIGNAL(result, SIGSEGV);
}
