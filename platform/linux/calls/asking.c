/* SPDX-License-Identifier: MIT
 *
 * asking.c - deferred calls are attempted again, "asked", after a worker of their lane has written
 * or sent: one worker writes what another reads. poller.c defers them.
 *
 * Writes to one descriptor serve, as a rule, calls on one other, the partner, which is asked alone.
 * The kernel does not tell which numbers are a pipe's two ends.
 *
 * To ask costs system calls, and is for nothing where all data comes from elsewhere, as in a
 * server. `fruitless` counts the writes that have asked for nothing, less two for each call that
 * had something. So it grows where that happens more than two times in three. From PATIENCE on only
 * each RARELY-th write asks.
 */
#include "platform/linux/calls/asking.h"

#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/deferred.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/calls/watched.h"
#include "platform/linux/switch/lane.h"

enum { RARELY = 16, ASKED_AT_ONCE = 4 };

/* The number that was written to, and the number of the call that had something then. */
static uint64_t pair_of(int written, int waiting)
{
    return (uint64_t)(uint32_t)written << 32 | (uint32_t)waiting;
}

static uint64_t *partner_of(struct lane *lane, int written)
{
    return &lane->deferral.partners[(unsigned)written % PARTNERS];
}

/* Lost updates do no harm: the count is only an estimate. */
static void note_asked(struct lane *lane, bool had_something)
{
    unsigned fruitless = __atomic_load_n(&lane->deferral.fruitless, __ATOMIC_RELAXED);
    if (had_something)
        fruitless = fruitless > 2 ? fruitless - 2 : 0;
    else if (fruitless < 2 * PATIENCE)
        fruitless++;
    __atomic_store_n(&lane->deferral.fruitless, fruitless, __ATOMIC_RELAXED);
}

/* Asks the chosen calls; returns how many. Notes the number of each that had something. */
static unsigned ask(struct lane *lane, const struct choice *choice, int written,
                    bool *had_something)
{
    struct call *taken[MAX_DEFERRED];
    unsigned n = deferred_take(lane, choice, taken);
    for (unsigned i = 0; i < n; i++) {
        enum outcome outcome = taken[i]->entry->ops->attempt(taken[i]);
        if (outcome != CALL_WAIT) {
            *had_something = true;
            note_asked(lane, true);
            if (taken[i]->watch.events)
                __atomic_store_n(partner_of(lane, written),
                                 pair_of(written, taken[i]->watch.given_fd), __ATOMIC_RELAXED);
        }
        if (outcome == CALL_DONE)
            call_complete(taken[i], taken[i]->result);
        else if (outcome == CALL_WAIT)
            deferred_put(lane, taken[i]);
        else
            helper_submit(taken[i]);
    }
    return n;
}

/* Asks only the call that had something after the last write to this number. True: that will do.
 * While that call does not wait, each RARELY-th write asks the others: the number may be another
 * file's by now. Lost updates of the counts do no harm: they are only estimates. */
static bool ask_partner(struct lane *lane, int written)
{
    uint64_t pair = __atomic_load_n(partner_of(lane, written), __ATOMIC_RELAXED);
    struct choice partner = {.by_number = true, .first = (unsigned)pair, .last = (unsigned)pair};
    bool had_something = false;
    if (pair >> 32 != (unsigned)written || !(unsigned)pair)
        return false;
    unsigned n = ask(lane, &partner, written, &had_something);
    if (!n)
        return lane->deferral.partners_away[(unsigned)written % PARTNERS]++ % RARELY;
    return had_something;
}

/* Where the partner has nothing, asks a few of the others. One that had nothing is asked after the
 * others the next time. */
void asking_after_write(struct lane *lane, int written)
{
    watched_after_write(lane);
    bool had_something = false;
    if (!__atomic_load_n(&lane->deferral.count, __ATOMIC_RELAXED))
        return;
    if (__atomic_load_n(&lane->deferral.fruitless, __ATOMIC_RELAXED) >= PATIENCE &&
        lane->deferral.unasked++ % RARELY)
        return;
    if (!ask_partner(lane, written) &&
        ask(lane, &(struct choice){.most = ASKED_AT_ONCE}, written, &had_something) &&
        !had_something)
        note_asked(lane, false);
}
