/* SPDX-License-Identifier: MIT
 *
 * user_mode_case.h - one call of libc's that waits, made by three workers of one scheduler. They leave it in user
 * mode, so none of the program's kernel threads stands in the call.
 */
#ifndef UMSSHIM_TESTS_LINUX_USER_MODE_CASE_H
#define UMSSHIM_TESTS_LINUX_USER_MODE_CASE_H

#include <stdbool.h>
#include <sys/types.h>

#include "fleet.h"
#include "gtest_c.h"

enum { WAITERS = 3, LIMIT_MS = 10000 };

struct wait {
    struct fleet *fleet;
    long nr, other; /* the calls that nobody may stand in */
    void (*open)(struct wait *wait);
    void (*call)(struct wait *wait, int index);
    void (*release)(struct wait *wait);
    int fd[WAITERS], peer[WAITERS];
    pid_t child[WAITERS];
    int stand; /* who does nevertheless: the tests' own watchdog polls */
    int returned;
    bool ends_by_itself; /* and may have by the time somebody looks */
    char path[64];
};

/* Opens, has every worker call, looks where they are, releases them, and closes what is in fd and peer. */
void run_wait(struct wait *wait);

/* A test that is one such call: open_NAME, call_NAME, release_NAME. */
#define WAIT(suite, name, number, second, nevertheless)                                            \
    TEST(suite, name)                                                                              \
    {                                                                                              \
        struct wait wait = {.nr = number,                                                          \
                            .other = second,                                                       \
                            .stand = nevertheless,                                                 \
                            .open = open_##name,                                                   \
                            .call = call_##name,                                                   \
                            .release = release_##name};                                            \
        run_wait(&wait);                                                                           \
    }

#endif
