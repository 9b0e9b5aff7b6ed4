/* SPDX-License-Identifier: MIT
 *
 * traps_and_sigsys.c - if calls are trapped, the program keeps its own use of SIGSYS: its handler,
 * its default action, another filter's signals, and syscall user dispatch.
 *
 * Runs with UMSSHIM_DETECT=traps.
 *
 * modes: UMSSHIM_DETECT=traps, UMSSHIM_DETECT=notify
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"
#include "kinds.h"
#include "trapped_read.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KERNEL_SET = 8 };

static volatile int sent, value_sent, raised;

static void on_sys(int number, siginfo_t *info, void *context)
{
    EXPECT_EQ(number, SIGSYS);
    value_sent = info->si_value.sival_int; /* first: another thread may wait for the count */
    if (info->si_code == 1)
        raised++;
    else
        __atomic_fetch_add(&sent, 1, __ATOMIC_RELEASE);
}

static void send_sys(void *unused)
{
    union sigval value = {.sival_int = 77};
    struct sigaction action;
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        uint64_t mask;
    } bare_action;
    int before = sent;

    EXPECT_EQ(sigaction(SIGSYS, NULL, &action), 0);
    EXPECT_EQ((void *)action.sa_sigaction, (void *)on_sys);
    EXPECT_EQ(raise(SIGSYS), 0);
    EXPECT_EQ(sent, before + 1);
    EXPECT_EQ(pthread_sigqueue(pthread_self(), SIGSYS, value), 0);
    /* A scheduler's signal to itself goes to the process: another thread may handle it. */
    for (int i = 0; i < 5000 && __atomic_load_n(&sent, __ATOMIC_ACQUIRE) < before + 2; i++)
        usleep(1000);
    EXPECT_EQ(value_sent, 77);
    EXPECT_EQ(sent, before + 2);
    if (GetCurrentUmsThread()) {
        EXPECT_EQ(bare_call_5(SYS_rt_sigaction, SIGSYS, 0, (long)&bare_action, KERNEL_SET, 0), 0);
        EXPECT_EQ(bare_action.handler, (void *)on_sys);
    }
}

static int own_handler(void *before)
{
    struct sigaction action = {.sa_sigaction = on_sys, .sa_flags = SA_SIGINFO};

    if (!before)
        run_in_worker(write_bare, &(struct block_case){.fd = {-1, 1}});
    EXPECT_EQ(sigaction(SIGSYS, &action, NULL), 0);
    in_each_kind(send_sys, NULL);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

TEST(TrapsAndSigsys, a_handler_of_the_programs_for_sigsys)
{
    char before[] = "before";

    EXPECT_IN_CHILD(own_handler, before, LIMIT_MS);
    EXPECT_IN_CHILD(own_handler, NULL, LIMIT_MS);
}

static void raise_sys(void *unused)
{
    raise(SIGSYS);
}

static int die_of_it(void *kind)
{
    struct kind_thread thread;

    run_in_worker(write_bare, &(struct block_case){.fd = {-1, 1}});
    EXPECT_NE(kind_start(&thread, (enum kind)(intptr_t)kind, raise_sys, NULL), 0);
    kind_join(&thread);
    return 0;
}

TEST(TrapsAndSigsys, sigsys_without_a_handler_is_the_end)
{
    for (intptr_t kind = 0; kind < KINDS; kind++) {
        struct child_result result = child_run(die_of_it, (void *)kind, LIMIT_MS);
        EXPECT_CHILD_SIGNAL(result, SIGSYS);
    }
}

/* Another filter that traps, in all threads; and syscall user dispatch on a plain thread. */
static void trap_by_another(struct block_case *c)
{
    struct sock_filter code[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
                                 {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_acct},
                                 {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_TRAP | 5},
                                 {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    struct sock_fprog program = {4, code};
    int before = raised;

    EXPECT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    EXPECT_EQ(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program),
              0);
    bare_call(SYS_acct, 0, NULL, 0);
    EXPECT_EQ(raised, before + 1);
}

static volatile char selector;
static volatile int dispatched;

static void on_dispatch(int number, siginfo_t *info, void *context)
{
    selector = 0;
    dispatched += info->si_code == 2;
}

static void dispatch(void)
{
    enum { DISPATCH = 59, ON = 1, BLOCK = 1 };
    struct sigaction action = {.sa_sigaction = on_dispatch, .sa_flags = SA_SIGINFO};

    EXPECT_EQ(sigaction(SIGSYS, &action, NULL), 0);
    if (prctl(DISPATCH, ON, 0, 0, &selector))
        return; /* a system without */
    selector = BLOCK;
    bare_call(SYS_getppid, 0, NULL, 0);
    EXPECT_EQ(dispatched, 1);
    EXPECT_EQ(prctl(DISPATCH, 0, 0, 0, 0), 0);
}

static int traps_of_others(void *unused)
{
    struct sigaction action = {.sa_sigaction = on_sys, .sa_flags = SA_SIGINFO};
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    EXPECT_EQ(sigaction(SIGSYS, &action, NULL), 0);
    run_in_worker(trap_by_another, &c);
    trap_by_another(&c);
    dispatch();
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

CALL_TEST(TrapsAndSigsys, of_another_filter_and_of_dispatch,
          EXPECT_IN_CHILD(traps_of_others, NULL, LIMIT_MS))
