/* SPDX-License-Identifier: MIT
 *
 * home.h - the kernel thread that a context was born with, as others see it.
 *
 * It lies in the upper end of that thread's stack, and is gone as soon as the thread has been told
 * to return.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_HOME_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_HOME_H

#include "platform/linux/plat_types.h"

/* What `word` tells the parked thread to do. HOME_DISMISSED: it has had no worker, and is to
 * end. */
enum { HOME_PARKED, HOME_RETURN, HOME_EXIT, HOME_ERRAND, HOME_DISMISSED };

enum { HOME_OBJECT_WORDS = 4 };

struct home {
    _Atomic uint32_t word; /* futex */
    pid_t tid;
    struct errand *errand; /* what it is to do (traps/errand.c) */
    uintptr_t fs_base;
    uintptr_t top, low;       /* of a worker's: its stack, from the frame that parks down */
    size_t stack_bytes;       /* that were asked for */
    struct home *next;        /* in a stock of homes, */
    struct spare_home *spare; /* and the entry of the stock's `spares` it was made for */
    bool renewable;           /* what the thread was at its birth is known (home_renewal.c): */
    bool errands;             /* it has made a call for its worker since */
    unsigned uses;            /* how many workers it had */
    bool guarded;             /* libc's list of objects leads to ours (thread_objects.c): */
    uintptr_t objects[HOME_OBJECT_WORDS]; /* libc's words about it since */
    uint64_t block;                       /* the checksum of its control block at birth */
    cpu_set_t processors;                 /* those that it had at its birth */
    unsigned affinity_age;                /* the program's then (os/affinity.h) */
    int policy, niceness, io_priority;
};

#endif
