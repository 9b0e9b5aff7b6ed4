/* SPDX-License-Identifier: MIT
 *
 * full_signal_queue.c - the user's queue of signals has no room (RLIMIT_SIGPENDING): threads can be
 * stopped and ended all the same, masks change, and signals to the process are handled, or stay
 * pending for the process.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"
#include "signal_case.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

enum { LIMIT_MS = 15000, TIMES = 100, CODE = 5 };

static struct loose rig;
static int counter, stop;
static int ends[2];

static void *queue_one(void *unused)
{
    EXPECT_ERRNO(syscall(SYS_tgkill, getpid(), gettid(), SIGRTMIN), EAGAIN);
    return unused;
}

/* Nobody may queue anything from here on; a plain thread sees that this is so. */
static void fill_queue(void)
{
    struct rlimit none = {0, 0};
    pthread_t thread;

    EXPECT_EQ(setrlimit(RLIMIT_SIGPENDING, &none), 0);
    EXPECT_EQ(pthread_create(&thread, NULL, queue_one, NULL), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
}

/* ---- Masks ---- */

static void change_masks(struct block_case *c)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    fill_queue();
    for (int i = 1; i < TIMES; i++) {
        EXPECT_EQ(flag_get(&handled), i);
        EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
        EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
        EXPECT_EQ(flag_get(&handled), i);
        EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
    }
}

/* The last step of what runs in a child: its exit status. */
static int finish(void)
{
    EXPECT_OK(loose_finish(&rig));
    EXPECT_OK(DeleteUmsCompletionList(rig.list));
    return 0;
}

static int masks(void *unused)
{
    struct block_case c = {.number = 0};
    sigset_t set;

    install(0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* this thread would take it */
    run_in_worker(change_masks, &c);
    return 0;
}

CALL_TEST(FullSignalQueue, masks_change, EXPECT_IN_CHILD(masks, NULL, LIMIT_MS))

/* ---- Stopping ---- */

static DWORD WINAPI count(LPVOID unused)
{
    while (!flag_get(&stop))
        flag_add(&counter, 1);
    return 0;
}

static DWORD WINAPI read_bare(LPVOID unused)
{
    char byte;

    FAIL("read returned %ld", syscall(SYS_read, ends[0], &byte, 1));
    return 0;
}

static int stop_and_end(void *unused)
{
    struct loose_worker *worker;

    fill_queue();
    make_pipe(ends);
    if (!loose_start(&rig, NULL))
        return 1;
    worker = loose_add(&rig, count, NULL, 0);
    EXPECT_OK(loose_reaches(&counter, 1));
    for (int i = 0; i < TIMES; i++) {
        int before;

        EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
        EXPECT_OK(loose_suspended(worker));
        before = flag_get(&counter);
        EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
        EXPECT_OK(loose_reaches(&counter, before + 1));
    }
    flag_set(&stop, 1);
    EXPECT_OK(loose_reaches(&worker->ended, 1));
    for (int i = 0; i < TIMES / 5; i++) {
        worker = loose_add(&rig, read_bare, NULL, 0);
        EXPECT_OK(loose_reaches(&worker->blocked, 1));
        EXPECT_OK(TerminateThread(worker->bare.thread, CODE));
        EXPECT_OK(loose_reaches(&worker->ended, 1));
    }
    return finish();
}

CALL_TEST(FullSignalQueue, threads_are_stopped_and_ended,
          EXPECT_IN_CHILD(stop_and_end, NULL, LIMIT_MS))

/* ---- Cancellation ---- */

static pthread_t victim;

static DWORD WINAPI read_for_ever(LPVOID unused)
{
    char byte;

    victim = pthread_self();
    flag_set(&counter, 1);
    FAIL("read returned %zd", read(ends[0], &byte, 1));
    return 0;
}

static int cancel(void *unused)
{
    struct loose_worker *worker;

    fill_queue();
    make_pipe(ends);
    if (!loose_start(&rig, NULL))
        return 1;
    for (int i = 0; i < TIMES / 5; i++) {
        flag_set(&counter, 0);
        worker = loose_add(&rig, read_for_ever, NULL, 0);
        EXPECT_OK(loose_reaches(&counter, 1));
        if (i % 2)
            EXPECT_OK(loose_reaches(&worker->blocked, 1));
        EXPECT_EQ(pthread_cancel(victim), 0);
        EXPECT_OK(loose_reaches(&worker->ended, 1));
    }
    return finish();
}

CALL_TEST(FullSignalQueue, workers_are_cancelled, EXPECT_IN_CHILD(cancel, NULL, LIMIT_MS))

/* ---- A signal that its worker could not handle any more ---- */

static DWORD WINAPI open_and_yield(LPVOID unused)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
    while (!flag_get(&stop)) {
        flag_add(&counter, 1);
        UmsThreadYield(NULL);
    }
    return 0;
}

static bool is_pending(int number)
{
    sigset_t now;

    EXPECT_EQ(sigpending(&now), 0);
    return sigismember(&now, number) == 1;
}

/* The worker is not executed when it comes, and then ends. */
static int give_back(void *unused)
{
    struct timespec limit = {8, 0};
    struct loose_worker *worker;
    sigset_t set;
    siginfo_t info;
    long long begun;

    memset(&info, 0, sizeof info);
    install(0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (!loose_start(&rig, NULL))
        return 1;
    worker = loose_add(&rig, open_and_yield, NULL, 0);
    EXPECT_OK(loose_reaches(&counter, 1));
    EXPECT_OK(loose_hold(&rig));
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    for (begun = now_ms(); is_pending(SIGUSR1) && elapsed_ms(begun) < 8000;)
        Sleep(0);
    EXPECT_EQ(is_pending(SIGUSR1), false); /* it is the worker's */
    EXPECT_OK(TerminateThread(worker->bare.thread, CODE));
    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, 8000), WAIT_OBJECT_0);
    EXPECT_EQ(sigtimedwait(&set, &info, &limit), SIGUSR1);
    EXPECT_EQ(info.si_pid, getpid());
    EXPECT_EQ(handled, 0);
    flag_set(&rig.hold, 0);
    return finish();
}

CALL_TEST(FullSignalQueue, a_signal_goes_back_to_the_process,
          EXPECT_IN_CHILD(give_back, NULL, LIMIT_MS))

/* ---- Whose the signal is that stops threads ---- */

static int take_reserved(void *unused)
{
    struct sigaction action = {.sa_handler = on_signal}, now;

    if (!loose_start(&rig, NULL))
        return 1;
    loose_add(&rig, count, NULL, 0);
    EXPECT_OK(loose_reaches(&counter, 1));
    EXPECT_ERRNO(sigaction(SIGSTKFLT, &action, NULL), EINVAL);
    EXPECT_THAT(signal(SIGSTKFLT, on_signal) == SIG_ERR, "it is the library's");
    EXPECT_EQ(sigaction(SIGSTKFLT, NULL, &now), 0);
    EXPECT_THAT(now.sa_handler != on_signal, "it is the library's");
    flag_set(&stop, 1);
    return finish();
}

CALL_TEST(FullSignalQueue, stop_signal_is_reserved, EXPECT_IN_CHILD(take_reserved, NULL, LIMIT_MS))

static int take_first(void *unused)
{
    struct sigaction action = {.sa_handler = on_signal}, now;

    handled = 0;
    EXPECT_EQ(sigaction(SIGSTKFLT, &action, NULL), 0);
    if (!loose_start(&rig, NULL))
        return 1;
    struct loose_worker *worker = loose_add(&rig, count, NULL, 0);
    EXPECT_OK(loose_reaches(&counter, 1));
    EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
    EXPECT_OK(loose_suspended(worker));
    EXPECT_EQ(handled, 0);
    EXPECT_EQ(sigaction(SIGSTKFLT, NULL, &now), 0);
    EXPECT_THAT(now.sa_handler == on_signal, "the program was first");
    EXPECT_EQ(raise(SIGSTKFLT), 0);
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
    flag_set(&stop, 1);
    return finish();
}

CALL_TEST(FullSignalQueue, programs_own_handler_stays, EXPECT_IN_CHILD(take_first, NULL, LIMIT_MS))
