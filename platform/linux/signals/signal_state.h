/* SPDX-License-Identifier: MIT
 *
 * signal_state.h - the masks and queues of all workers and schedulers.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_STATE_H
#define UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_STATE_H

#include "platform/linux/os/kernel_signals.h"

struct kernel_action;

/* Every worker and scheduler that is not among the newborn, the newest first. */
extern struct signal_owners {
    struct plat_context *first, *last;
} signals_all;

bool signal_action(int number, struct kernel_action *action);
bool signal_ignored(int number, const struct kernel_action *action);

/* A worker or scheduler begins (its mask is set), or ends. */
void signals_join(struct plat_context *context);
void signals_leave(struct plat_context *context);
/* Replaces the mask, under signals_lock. */
void mask_change(struct plat_context *context, uint64_t mask);
void signals_replace_mask(struct plat_context *self, uint64_t mask); /* the calling worker's */
/* Queues the signal; false: no room. Under signals_lock. `due`: the caller must tell the worker. */
bool signal_queue(struct plat_context *context, const siginfo_t *info, bool of_process);
/* Takes the first queued signal of the set. *sent_to_itself: the worker has sent it itself. Under
 * signals_lock. */
bool signal_dequeue(struct plat_context *context, uint64_t set, siginfo_t *info,
                    bool *sent_to_itself);
/* Whether signals are due that the context's home is to handle (interrupt/home_signals.h). A
 * scheduler handles those itself that it has sent to itself or taken from the process: their
 * handlers may jump. Under signals_lock. */
bool signals_for_home(struct plat_context *context);
/* The signal is ignored from now on: takes it out of every queue. */
void signals_discard(int number);
/* Moves the signals of `set` that are pending for the process in the kernel to the caller's
 * queue. */
void signals_collect(struct plat_context *context, uint64_t set);
/* Sends the signal to the process again, as if the library had not taken it. */
void signal_give_back(const siginfo_t *info);
void signal_info_tkill(siginfo_t *info, int number);
void signals_forget(struct plat_context *self); /* in a child after fork; `self`: the calling
                                                 * thread's context, or NULL */

#endif
