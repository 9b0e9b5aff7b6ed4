/* SPDX-License-Identifier: MIT
 *
 * signal_run.h - runs a worker's signal handlers.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_SIGNAL_RUN_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_SIGNAL_RUN_H

#include "platform/linux/signals/worker_signals.h"

struct signals_ran {
    bool any;      /* a handler ran */
    bool restarts; /* and all that did have SA_RESTART */
};
/* On the worker: handles the signals that are due. `interrupted`: where the kernel interrupted it,
 * or NULL. */
struct signals_ran signals_run(struct plat_context *self, ucontext_t *interrupted);
/* Tells the worker of signals that signals_run has left for later (start.c sets it to
 * signals_tell). */
extern void (*signals_rest)(struct plat_context *worker);
/* Has the calling scheduler's home run the handlers of signals that others have sent (start.c sets
 * it to home_signals_stand). */
extern bool (*signals_stand)(struct plat_context *scheduler);
/* signal_detour.S: the return address of a context that handles due signals before it goes on. */
void ctx_detour(void);
/* Replaces the calling worker's mask, and handles the signals that this lets through. */
void signals_set_mask(struct plat_context *self, uint64_t mask);
static inline void signals_look(struct plat_context *self)
{
    if (__builtin_expect(signals_due(self), 0))
        signals_run(self, NULL);
}
/* In on_stop: handles the signals that are due, and decides whether the interrupted call is
 * restarted. */
void signals_run_interrupted(struct plat_context *self, ucontext_t *interrupted);
/* In on_stop: leaves the call that this thread makes as a helper, if it is cancelled. False: it
 * makes none. */
bool helper_interrupted(ucontext_t *interrupted);
/* Sends the signal to the calling kernel thread and has the kernel act on it, whatever the mask. */
void signal_natively(int number, const siginfo_t *info);

#endif
