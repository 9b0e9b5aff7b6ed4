/* SPDX-License-Identifier: MIT
 *
 * futex_table.h - futex waits of workers that the kernel has not been told of yet (futex_table.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_FUTEX_TABLE_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_FUTEX_TABLE_H

#include <stdbool.h>

struct lane;
struct call;

/* Takes the futex wait of a worker that is about to wait at its baton. The wait may be over before
 * this returns. False: the table does not take it, and the caller is to arm it at once. */
bool futex_table_enter(struct lane *lane, struct call *call);

/* Arm the lane's waits: all of them, or those that have seen a whole tick pass. The second says
 * whether any are left. */
void futex_table_arm(struct lane *lane);
bool futex_table_age(struct lane *lane);

/* True: the wait was here and is the caller's now. Any thread. */
bool futex_table_cancel(struct call *call);

/* Whether the worker may read the word itself: the kernel has found its page readable before. The
 * second notes that the kernel has. */
bool futex_word_known(const struct call *call);
void futex_word_is_good(struct call *call);

/* In a child after fork. */
void futex_table_forget(void);

#endif
