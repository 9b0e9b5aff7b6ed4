/* SPDX-License-Identifier: MIT
 *
 * signal_taking.h - taking signals that are pending for the process out of the kernel.
 *
 * A round takes the signals that were pending when it began. It ends however fast new ones come: it
 * takes each standard signal once, and no more queued ones than the library has room for.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_TAKING_H
#define UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_TAKING_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { SIGNAL_FIRST_QUEUED = 34, SIGNAL_QUEUE_ROOM = 4096 };

struct signal_round {
    uint64_t set;    /* the signals that may still be taken */
    unsigned queued; /* how many queued signals were taken */
};

/* False: the round is over. */
bool signal_take(struct signal_round *round, siginfo_t *info);

#endif
