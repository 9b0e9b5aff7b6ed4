/* SPDX-License-Identifier: MIT
 *
 * unseen_ends.c - without a listener: a worker waits for a mutex or a semaphore, and is ended,
 * suspended, sent a signal, and cancelled. Every test runs with UMSSHIM_DETECT=0.
 *
 * modes: UMSSHIM_DETECT=0, UMSSHIM_DETECT=0 UMSSHIM_RING=0, UMSSHIM_DETECT=0 UMSSHIM_FSGSBASE=0
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;

static struct loose rig;
static int got_it, handled, unwound;

static DWORD WINAPI lock_and_note(LPVOID unused)
{
    EXPECT_EQ(pthread_mutex_lock(&guard), 0);
    flag_set(&got_it, 1);
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
    return 0;
}

static struct loose_worker *start_waiter(LPTHREAD_START_ROUTINE routine)
{
    struct loose_worker *worker;

    EXPECT_EQ(pthread_mutex_init(&guard, NULL), 0); /* a worker that was ended may own it */
    EXPECT_EQ(pthread_mutex_lock(&guard), 0);
    got_it = handled = unwound = 0;
    memset(&rig, 0, sizeof rig);
    if (!loose_start(&rig, NULL))
        return NULL;
    worker = loose_add(&rig, routine, NULL, 0);
    EXPECT_OK(worker && loose_reaches(&worker->blocked, 1));
    return worker;
}

/* The worker ends when its helper gets the mutex, or before the helper has begun to wait. It does
 * nothing with the mutex. */
TEST(UnseenEnds, terminated)
{
    struct loose_worker *worker = start_waiter(lock_and_note);

    ASSERT_NE(worker, NULL);
    EXPECT_OK(TerminateThread(worker->bare.thread, 1));
    Sleep(5); /* the helper has it by now, as a rule */
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, 10000), WAIT_OBJECT_0);
    EXPECT_EQ(flag_get(&got_it), 0);
    EXPECT_OK(loose_finish(&rig));
}

TEST(UnseenEnds, suspended)
{
    struct loose_worker *worker = start_waiter(lock_and_note);

    ASSERT_NE(worker, NULL);
    EXPECT_EQ(SuspendThread(worker->bare.thread), 0u);
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, 50), WAIT_TIMEOUT);
    EXPECT_EQ(flag_get(&got_it), 0);
    EXPECT_EQ(ResumeThread(worker->bare.thread), 1u);
    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, 10000), WAIT_OBJECT_0);
    EXPECT_EQ(flag_get(&got_it), 1);
    EXPECT_OK(loose_finish(&rig));
}

static pthread_t waiter;

static void note_handled(int number)
{
    handled += pthread_equal(pthread_self(), waiter) ? 1 : 100;
}

static DWORD WINAPI lock_and_look(LPVOID unused)
{
    waiter = pthread_self();
    return lock_and_note(unused);
}

static int signal_in_child(void *unused)
{
    struct sigaction action = {.sa_handler = note_handled};
    struct loose_worker *worker;

    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    worker = start_waiter(lock_and_look);
    if (!worker)
        return 1;
    EXPECT_EQ(pthread_kill(waiter, SIGUSR1), 0);
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, 10000), WAIT_OBJECT_0);
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(got_it, 1);
    EXPECT_OK(loose_finish(&rig));
    return 0;
}

/* The handler runs on the worker when it has the mutex. A line says so, as the sender may wait for
 * the handler. */
TEST(UnseenEnds, signalled)
{
    struct child_result result = child_run(signal_in_child, NULL, 20000);

    EXPECT_CHILD_OK(result);
    EXPECT_THAT(strstr(result.output, "umsshim: a worker that waits in a lock"), "saw \"%s\"",
                result.output);
}

static void unwind(void *unused)
{
    unwound++;
}

static DWORD WINAPI wait_to_be_cancelled(LPVOID unused)
{
    waiter = pthread_self();
    pthread_cleanup_push(unwind, NULL);
    while (sem_wait(&semaphore) == 0)
        flag_add(&got_it, 1);
    pthread_cleanup_pop(0);
    return 0;
}

/* The post lets it go, and the next wait is a cancellation point. */
TEST(UnseenEnds, cancelled)
{
    struct loose_worker *worker;

    ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
    worker = start_waiter(wait_to_be_cancelled);
    ASSERT_NE(worker, NULL);
    EXPECT_EQ(pthread_cancel(waiter), 0);
    EXPECT_EQ(sem_post(&semaphore), 0);
    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, 10000), WAIT_OBJECT_0);
    EXPECT_EQ(unwound, 1);
    EXPECT_OK(loose_finish(&rig));
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
}
