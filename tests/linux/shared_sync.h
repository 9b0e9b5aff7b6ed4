/* SPDX-License-Identifier: MIT
 *
 * shared_sync.h - events, semaphores and mutexes that a test shares with processes it makes: names
 * that are the test's own, and processes that do a thing on a thread of some kind.
 */
#ifndef UMSSHIM_TESTS_LINUX_SHARED_SYNC_H
#define UMSSHIM_TESTS_LINUX_SHARED_SYNC_H

#include <windows.h>

#include "child.h"
#include "gtest_c.h"
#include "kinds.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* They only end hangs. */
enum { LIMIT_MS = 100000, SOON = 80000 };

/* One of a few names of the test's process. */
enum { NAME_ROOM = 80 };
const char *name_of(const char *what);

/* A process that runs body(kind) on its first thread, whose value it ends with. It says when it is
 * ready by partner_ready, and goes on when it is told to by partner_await. */
struct partner {
    pid_t process;
    int says, told;
};
struct partner partner_start(int (*body)(enum kind kind), enum kind kind);
/* In the partner: on a thread of this kind. 0, or 1 after a failed check. */
int run_on_kind(enum kind kind, void (*body)(void *unused));
/* In the partner. */
void partner_ready(void);
void partner_await(void);
/* In the test. */
void expect_ready(struct partner *partner);
void go_on(struct partner *partner);
void expect_end(struct partner *partner, int code); /* -signal: by that */
void kill_partner(struct partner *partner);

/* The words of the events, semaphores and mutexes that this process shares, by their files: how
 * many. Each is the first of its object's page. */
unsigned find_words(_Atomic uint64_t **words, unsigned room);
/* Whether a process waits for the object of that word. */
bool is_waited_for(_Atomic uint64_t *words);
/* In the test: until one does, or the partner has ended. */
void expect_waits(struct partner *partner, _Atomic uint64_t *words);

#endif
