/* SPDX-License-Identifier: MIT
 *
 * deferred.h - a lane's deferred calls (poller.c): for those who take some out and put them back.
 * On any thread, with none of the lane's locks held.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_DEFERRED_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_DEFERRED_H

#include <stdbool.h>
#include <stdint.h>

struct call;
struct lane;

enum { PATIENCE = 64 }; /* from this many on, deferral.fruitless says that asking is in vain */

struct choice {
    bool slept_on;       /* calls on which a scheduler sleeps, too; needs `arming` */
    bool *asked;         /* if not NULL, set to: a scheduler that has slept is just asking one */
    bool *left_alone;    /* if not NULL, set to: among them are some that nobody sleeps on */
    uint32_t age;        /* looked at this many ticks ago, or earlier */
    uint32_t age_asleep; /* the same for those on which a scheduler sleeps */
    bool by_number;      /* only calls by the numbers first to last */
    unsigned first, last;
    unsigned most; /* how many, at the most; 0: all */
};

/* Takes out the chosen calls: MAX_DEFERRED at most, and as many that are slept on. Returns
 * how many. They are the caller's until it passes them on. */
unsigned deferred_take(struct lane *lane, const struct choice *choice, struct call **taken);
/* Defers a call. Where there is no room for it, arms the oldest. */
void deferred_put(struct lane *lane, struct call *call);

#endif
