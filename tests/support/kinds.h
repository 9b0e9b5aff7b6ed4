/* SPDX-License-Identifier: MIT
 *
 * kinds.h - the three kinds of thread: a plain one, a worker, a scheduler in its entry point. The
 * effect of a Win32 call must not depend on the kind of thread that makes it.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_KINDS_H
#define UMSSHIM_TESTS_SUPPORT_KINDS_H

#include <windows.h>

#include <stdbool.h>

#include "bare.h"

enum kind { KIND_PLAIN, KIND_WORKER, KIND_SCHEDULER, KINDS };

const char *kind_name(enum kind kind);

/* One thread of a kind. It runs body(arg) and ends with `code`. A worker gets a scheduler of its
 * own, on another thread. */
struct kind_thread {
    enum kind kind;
    void (*body)(void *arg);
    void *arg;
    DWORD code;
    HANDLE thread;
    DWORD id;
    struct bare worker;
    HANDLE driver; /* the worker's scheduler */
    PUMS_COMPLETION_LIST list;
    int driven;
};

/* False after a recorded failure. The struct must stay until kind_join. */
bool kind_start(struct kind_thread *self, enum kind kind, void (*body)(void *), void *arg);
/* Waits 10 s for the thread's end, and frees everything. False after a recorded failure. */
bool kind_join(struct kind_thread *self);

/* Runs block(arg) on a thread of this kind. release(arg), on another thread, ends its wait; it may
 * be NULL. Checks that block does not return before release is called. For a worker release runs in
 * another worker on the same scheduler: so the wait must leave the scheduler. */
void on_kind(enum kind kind, void (*block)(void *), void (*release)(void *), void *arg);
/* The same on each kind in turn. */
void on_each_kind(void (*block)(void *), void (*release)(void *), void *arg);

/* Calls body(arg) on a thread of each kind in turn. The body need not wait. */
void in_each_kind(void (*body)(void *), void *arg);

/* A test that is nothing but such a body. */
#define TEST_IN_EACH_KIND(suite, name)                                                             \
    static void suite##_##name##_body(void *unused);                                               \
    TEST(suite, name)                                                                              \
    {                                                                                              \
        in_each_kind(suite##_##name##_body, NULL);                                                 \
    }                                                                                              \
    static void suite##_##name##_body(void *unused)

#endif
