/* SPDX-License-Identifier: MIT
 *
 * home.h - the record of a home: the kernel thread with which a context began.
 *
 * The record lies in the upper end of that thread's stack, and is gone as soon as the thread was
 * told to return.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_HOME_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_HOME_H

#include "platform/linux/plat_types.h"

/* `word` tells the parked thread what to do. HOME_DISMISSED: to end; it has no worker.
 * HOME_SIGNALS: to run its context's handlers (interrupt/home_signals.h). */
enum { HOME_PARKED, HOME_RETURN, HOME_EXIT, HOME_ERRAND, HOME_DISMISSED, HOME_SIGNALS };

enum { HOME_OBJECT_WORDS = 4 };

struct home {
    _Atomic uint32_t word; /* futex */
    pid_t tid;
    struct errand *errand; /* the call that it is to make (traps/errand.c) */
    void *below;           /* where to run handlers; NULL: on its own stack */
    void *above;           /* its own frame meanwhile */
    bool forked;           /* a handler has forked, and this is the child */
    uintptr_t fs_base;
    uintptr_t top, low;       /* a worker's stack, from below the parked frame down */
    size_t stack_bytes;       /* the size that was asked for */
    struct home *next;        /* the next home in a stock */
    struct spare_home *spare; /* the entry of the stock's `spares` for which it was made */
    bool renewable;           /* the fields below tell the thread's state at its birth
                               * (home_renewal.c) */
    bool errands;             /* it has made a call for its worker */
    unsigned uses;            /* how many workers it has had */
    bool guarded;             /* libc's list of objects leads to ours (thread_objects.c) */
    uintptr_t objects[HOME_OBJECT_WORDS]; /* libc's words about that list since then */
    uint64_t block;                       /* the checksum of its control block at birth */
    cpu_set_t processors;                 /* its processors at its birth */
    unsigned affinity_age;                /* the program's age at that time (os/affinity.h) */
    int policy, niceness, io_priority;
};

#endif
