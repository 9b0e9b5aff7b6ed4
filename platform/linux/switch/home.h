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

struct home {
    _Atomic uint32_t word; /* futex */
    pid_t tid;
    struct errand *errand; /* what it is to do (traps/errand.c) */
    uintptr_t fs_base;
    uintptr_t top, low;       /* of a worker's: its stack, from the frame that parks down */
    size_t stack_bytes;       /* that were asked for */
    struct home *next;        /* in a stock of homes, */
    struct spare_home *spare; /* and what it was made as */
};

#endif
