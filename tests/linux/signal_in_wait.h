/* SPDX-License-Identifier: MIT
 *
 * signal_in_wait.h - a worker that waits in a Win32 call, and gets signals there.
 */
#ifndef UMSSHIM_TESTS_LINUX_SIGNAL_IN_WAIT_H
#define UMSSHIM_TESTS_LINUX_SIGNAL_IN_WAIT_H

#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

enum { TIMES = 3 };

struct waiting {
    DWORD (*wait)(struct waiting *self);
    void (*end)(struct waiting *self); /* by the tester; NULL: it ends by its time */
    HANDLE handle[3];
    CRITICAL_SECTION section;
    SRWLOCK lock;
    CONDITION_VARIABLE condition;
    INIT_ONCE once;
    int word;
    DWORD result;
    pthread_t thread;
    int begun, over, ready;
};

static struct loose rig;
static struct waiting now;
static pthread_t target;
static int handled, elsewhere, returned;

static inline void on_signal(int number)
{
    if (!pthread_equal(pthread_self(), target))
        flag_add(&elsewhere, 1);
    Sleep(1); /* a wait within the wait */
    flag_add(&handled, 1);
}

static inline void install(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};

    handled = elsewhere = returned = 0;
    EXPECT_EQ(sigaction(number, &action, NULL), 0);
}

static inline DWORD WINAPI wait_here(LPVOID param)
{
    struct waiting *self = param;

    target = self->thread = pthread_self();
    flag_set(&self->begun, 1);
    self->result = self->wait(self);
    flag_set(&self->over, 1);
    return 0;
}

static inline bool begin(DWORD (*wait)(struct waiting *), void (*end)(struct waiting *))
{
    memset(&now, 0, sizeof now);
    memset(&rig, 0, sizeof rig);
    now.wait = wait;
    now.end = end;
    for (int i = 0; i < 3; i++)
        now.handle[i] = CreateEventA(NULL, FALSE, FALSE, NULL);
    InitializeCriticalSection(&now.section);
    return loose_start(&rig, NULL);
}

/* Whether the worker has begun its wait, and left its scheduler. */
static inline bool waits(struct loose_worker *worker)
{
    return worker && loose_reaches(&now.begun, 1) && loose_reaches(&worker->blocked, 1);
}

static inline void finish(void)
{
    EXPECT_OK(loose_reaches(&now.over, 1));
    loose_finish(&rig);
    for (int i = 0; i < 3; i++)
        if (now.handle[i])
            CloseHandle(now.handle[i]);
    EXPECT_EQ(flag_get(&elsewhere), 0);
}

static inline void signal_it(void)
{
    for (int i = 1; i <= TIMES; i++) {
        EXPECT_EQ(pthread_kill(now.thread, SIGUSR1), 0);
        EXPECT_OK(loose_reaches(&handled, i));
    }
}

static inline void run(DWORD (*wait)(struct waiting *), void (*end)(struct waiting *), DWORD result)
{
    install(SIGUSR1, on_signal);
    if (!begin(wait, end))
        return;
    if (waits(loose_add(&rig, wait_here, &now, 0))) {
        signal_it();
        EXPECT_EQ(flag_get(&now.over), 0);
        end(&now);
    }
    finish();
    EXPECT_EQ(now.result, result);
}

#endif
