/* SPDX-License-Identifier: MIT
 *
 * signal_run.h - running a worker's handlers.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_SIGNAL_RUN_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_SIGNAL_RUN_H

#include "platform/linux/signals/worker_signals.h"

struct signals_ran {
    bool any;      /* a handler ran */
    bool restarts; /* and all that did have SA_RESTART */
};
/* On the worker: runs what is due. `interrupted`: where the kernel interrupted it, or NULL. */
struct signals_ran signals_run(struct plat_context *self, ucontext_t *interrupted);
/* Some are left for later: tells the worker of them (signals_tell; start.c sets it). */
extern void (*signals_rest)(struct plat_context *worker);
/* signal_detour.S: the return address of a context that runs what is due ahead of going on. */
void ctx_detour(void);
/* Replaces the calling worker's mask, and runs what that lets through before it returns. */
void signals_set_mask(struct plat_context *self, uint64_t mask);
static inline void signals_look(struct plat_context *self)
{
    if (__builtin_expect(signals_due(self), 0))
        signals_run(self, NULL);
}
/* In on_stop: the same, and what becomes of the call that was interrupted. */
void signals_run_interrupted(struct plat_context *self, ucontext_t *interrupted);
/* In on_stop on a helper: leaves a cancelled call. True: it was one. */
bool helper_interrupted(ucontext_t *interrupted);
/* Sends it to the calling kernel thread and has the kernel act on it, whatever the mask. */
void signal_natively(int number, const siginfo_t *info);

#endif
