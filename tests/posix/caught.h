/* SPDX-License-Identifier: MIT
 *
 * caught.h - a handler that notes what it is told, and masks of one signal.
 */
#ifndef UMSSHIM_TESTS_POSIX_CAUGHT_H
#define UMSSHIM_TESTS_POSIX_CAUGHT_H

#include "assertion.h"

#include <signal.h>

static volatile sig_atomic_t signals, value, code;
static volatile pthread_t handled_by;

static inline void on_signal(int sig, siginfo_t *info, void *unused)
{
    signals++;
    value = info->si_value.sival_int;
    code = info->si_code;
    handled_by = pthread_self();
}

static inline void catch (int sig, int flags)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | flags};
    EXPECT_EQ(sigaction(sig, &action, NULL), 0);
}

static inline void wait_for(int count)
{
    for (int i = 0; i < 5000 && signals < count; i++)
        sleep_ms(1);
    EXPECT_EQ(signals, count);
}

static inline sigset_t only(int sig)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    return set;
}

static inline void block(int sig)
{
    sigset_t set = only(sig);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
}

static inline int is_pending(int sig)
{
    sigset_t set;
    EXPECT_EQ(sigpending(&set), 0);
    return sigismember(&set, sig);
}

#endif
