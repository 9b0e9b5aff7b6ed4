/* SPDX-License-Identifier: MIT
 *
 * kept_number.h - numbers of descriptors that workers wait for again and again: their place in the
 * lane's epoll set outlives the wait (kept_number.c). Each function needs the readiness's lock,
 * unless it says otherwise.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_KEPT_NUMBER_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_KEPT_NUMBER_H

#include <stdbool.h>
#include <sys/stat.h>

#include "platform/linux/switch/lane.h"

/* Without the lock: whether the number may have a place. */
static inline bool kept_likely(const struct lane *lane, const struct call *call)
{
    return __atomic_load_n(
               &lane->readiness.kept[(unsigned)call->watch.given_fd % KEPT_NUMBERS].number,
               __ATOMIC_RELAXED) == call->watch.given_fd + 1;
}
/* The number's place for the call. NULL: there is none, or it is in use. */
struct kept_number *kept_place(struct lane *lane, const struct call *call);
/* Whether this file is the one that has the place. */
bool kept_is_of(const struct kept_number *kept, const struct stat *file);
/* Arms the place; the call's duplicate is there already. kept_take then notes the call that waits
 * there. False: the caller is to call kept_drop. */
bool kept_arm(struct lane *lane, const struct kept_number *kept);
void kept_take(struct kept_number *kept, struct call *call);
void kept_drop(struct kept_number *kept);

/* Counts a wait that was armed by its duplicate, by a number at whose place no call waits. */
void kept_note(struct lane *lane, const struct call *call);
/* Takes the call out of its number's place, if it waits there. */
void kept_leave(struct lane *lane, const struct call *call);
/* Makes a place, if the number has waited often enough. The last wait for the call's file is over,
 * and its duplicate is still open. */
void kept_offer(struct lane *lane, const struct call *call);

/* An event's data is the name of a call (watched.c) or, if this is true, of a number's place. */
static inline bool kept_is_event(uint64_t data)
{
    return data & 1;
}
/* The call that waits at the place. NULL: its wait is over. */
struct call *kept_front(struct lane *lane, uint64_t data);

#endif
