/* SPDX-License-Identifier: MIT
 *
 * known_wait.h - the descriptors for which a worker waits each time it reads them.
 *
 * A worker that reads the answer to a question finds nothing at first. So it remembers the numbers
 * whose reads had to wait. Such a read is deferred without an attempt (calls/poller.c): it takes no
 * system call before its file is ready. That spares the attempt and the question for the file's
 * mode.
 *
 * This is a guess. If it is wrong:
 *   the data is there already       the scheduler is entered for nothing. It finds the file ready
 *                                   when it has nothing else to do, or the call is armed at the
 *                                   second tick
 *   the file is in non-blocking     whoever arms the call asks for the mode first. A helper then
 *   mode by now                     makes the call, which does not wait. The worker guesses no more
 *   the number is another file's    the attempt says so, as for every deferred call
 * After some guesses the worker makes a real attempt, which tells whether to go on: after 1, 2, 4,
 * and then each 8 of them. One that finds data ends the guesses.
 *
 * Only the worker itself calls these functions.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_KNOWN_WAIT_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_KNOWN_WAIT_H

#include <stdbool.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/current.h"
#include "platform/linux/plat_types.h"

enum { WAITS_BEFORE_GUESS = 3, MOST_WAITS = WAITS_BEFORE_GUESS + 3 };

static inline struct known_wait *known_wait_place(struct call *call)
{
    return &call_worker(call)->known.waits[(unsigned)call->args[0] % KNOWN_WAITS];
}

/* Whether the call takes what comes. A read of no bytes is left to the kernel. */
static inline bool call_is_plain_read(const struct call *call)
{
    return call->args[2] && (call->entry->nr == SYS_read ||
                             (call->entry->nr == SYS_recvfrom && !(int)call->args[3]));
}

/* Before the attempt. True: the call is to wait without one. */
static inline bool call_waits_as_before(struct call *call)
{
    if (!call_is_plain_read(call))
        return false;
    struct known_wait *known = known_wait_place(call);
    if (known->number != (int)call->args[0] + 1 || !known->guesses)
        return false;
    known->guesses--;
    if (call->entry != &row_of_waiting_receive) /* which waits in any mode */
        call->watch.guess = GUESS_WAITS;
    return true;
}

/* After an attempt. */
static inline void known_wait_learn(struct call *call, enum outcome outcome)
{
    if (!call_is_plain_read(call))
        return;
    struct known_wait *known = known_wait_place(call);
    int number = (int)call->args[0] + 1;
    if (outcome != CALL_WAIT) {
        if (known->number == number)
            known->number = 0;
        return;
    }
    if (known->number != number)
        *known = (struct known_wait){.number = number};
    if (known->waits < MOST_WAITS)
        known->waits++;
    if (known->waits >= WAITS_BEFORE_GUESS && !call_worker(call)->known.guesses_no_more)
        known->guesses = (uint8_t)(1 << (known->waits - WAITS_BEFORE_GUESS));
}

/* The call's wait is over. */
static inline void known_wait_over(struct call *call)
{
    if (UMS_LIKELY(call->watch.guess != GUESS_WRONG))
        return;
    call_worker(call)->known.guesses_no_more = true;
    known_wait_place(call)->guesses = 0;
}

#endif
