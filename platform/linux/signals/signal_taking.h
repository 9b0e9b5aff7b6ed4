/* SPDX-License-Identifier: MIT
 *
 * signal_taking.h - taking out of the kernel what is pending for the process.
 *
 * A round takes what was pending when it began. It ends however fast more comes: a standard signal
 * is pending once, so each is taken once; of the queued ones no more are taken than the library has
 * room for.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_TAKING_H
#define UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_TAKING_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { SIGNAL_FIRST_QUEUED = 34, SIGNAL_QUEUE_ROOM = 4096 };

struct signal_round {
    uint64_t set;    /* what may still be taken */
    unsigned queued; /* how many of the queued ones were */
};

/* False: the round is over. */
bool signal_take(struct signal_round *round, siginfo_t *info);

#endif
