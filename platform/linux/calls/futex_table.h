/* SPDX-License-Identifier: MIT
 *
 * futex_table.h - futex waits of workers that the kernel has not been told of yet (futex_table.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_FUTEX_TABLE_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_FUTEX_TABLE_H

#include "platform/linux/traps/calls.h"

/* Takes the wait of a worker that is about to wait at its baton; it may be over before this returns. False:
 * not here, it is to be armed at once. */
bool futex_table_enter(struct lane *lane, struct call *call);

/* Leaves the lane's waits to the kernel: all of them, or those that have seen a whole tick pass. The latter says
 * whether any are left. */
void futex_table_arm(struct lane *lane);
bool futex_table_age(struct lane *lane);

/* True: the wait was here and is the caller's now. Any thread. */
bool futex_table_cancel(struct call *call);

/* The operations that let others go on, of a worker or scheduler: true, with the result as the kernel has it.
 * False: it is no such operation. */
bool futex_lets_go(struct plat_context *self, const long args[6], long *result);

/* Whether the worker may look at the word itself: the kernel has found its page readable before. */
bool futex_word_known(const struct call *call);
void futex_word_is_good(struct call *call);

/* The call, which somebody waits for to be armed, is (struct settling). On the reactor. */
void futex_settled(struct settling *settling);

/* In a child after fork. */
void futex_table_forget(void);

#endif
