/* SPDX-License-Identifier: MIT
 *
 * worker_signals.h - signals of workers: masks, pending signals, who gets what, running handlers.
 *
 * The kernel knows carriers and homes, which block everything. So what a kernel keeps for a thread is
 * kept here for a worker: its mask, what is pending for it, what it waits for. docs/signals.md has the
 * whole picture. Who does what:
 *
 *   signal_state.c   masks and queues of all workers; the one lock
 *   signal_run.c     runs a worker's handlers, on the worker
 *   signal_thread.c  takes what is sent to the process and finds somebody for it
 *   signal_wait.c    calls that wait for signals or with a mask, and what a signal does to a call
 *   signal_front.c   libc's functions for all this
 *   cancel_front.c   libc's cancellation of a thread
 *   signal_jump.c    libc's jumps that save and restore the mask
 *   exec_front.c     becoming another program
 *
 * signals_lock covers all masks (written by their owner, or in its name while it is blocked), queues
 * and counts. Below it: the timers' and the dispatcher's. A thread's `binding` is taken after it was released.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_WORKER_SIGNALS_H
#define UMSSHIM_PLATFORM_LINUX_WORKER_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "platform/linux/engine.h"

#define SIGNAL_BIT(number) (1ull << ((number) - 1))

/* The kernel's sigaction, which is shorter than libc's. */
struct kernel_action {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
};
bool signal_action(int number, struct kernel_action *action);
bool signal_ignored(int number, const struct kernel_action *action);

struct queued_signal {
    struct queued_signal *next;
    siginfo_t info;
    bool of_process; /* goes back to the process if its worker ends first */
};

/* SIGKILL and SIGSTOP. */
#define SIGNALS_NEVER_BLOCKED (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP))
/* What engine threads leave open: faults, and abort. The kernel runs their handlers. */
#define SIGNALS_OF_FAULTS                                                                          \
    (SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGILL) |          \
     SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGSYS) | SIGNAL_BIT(SIGABRT))

/* libc's own two, which are for kernel threads: cancellation, and changes of ids (credentials.c). They
 * act in the kernel thread that they were sent to, but for a cancellation that the library itself queues
 * at a worker (cancel_front.c). */
enum { SIGNAL_CANCEL = 32, SIGNAL_SETXID = 33 };
#define SIGNALS_OF_LIBC (SIGNAL_BIT(SIGNAL_CANCEL) | SIGNAL_BIT(SIGNAL_SETXID))
/* What no worker blocks, and nobody takes out of the kernel to give it to one, whatever a set says. */
#define SIGNALS_UNTOUCHED (SIGNALS_NEVER_BLOCKED | SIGNALS_OF_LIBC)

extern struct plat_lock signals_lock;
extern struct plat_context *signals_all; /* every worker and scheduler, newest first */

static inline uint64_t *mask_of(struct plat_context *context)
{
    return (uint64_t *)(void *)&tls_at(context->fs_base)->sigmask;
}

static inline bool signals_due(const struct plat_context *context)
{
    return atomic_load_explicit(&context->signals.due, memory_order_relaxed);
}

/* ---- signal_state.c ---- */

/* A worker or scheduler begins (its mask is set), or ends. */
void signals_join(struct plat_context *context);
void signals_leave(struct plat_context *context);
/* What the signal thread has to take: open in somebody, or waited for. Under signals_lock. */
uint64_t signals_wanted(void);
/* Replaces the mask, under signals_lock. */
void mask_change(struct plat_context *context, uint64_t mask);
void waiting_change(uint64_t set, int by); /* the counts of a sigtimedwait */
/* Replaces the calling worker's mask, and runs what that lets through before it returns. */
void signals_set_mask(struct plat_context *self, uint64_t mask);
void signals_replace_mask(struct plat_context *self, uint64_t mask); /* without running it */
/* Queues it; false: no room. Under signals_lock. `due` tells whether the worker has to be told. */
bool signal_queue(struct plat_context *context, const siginfo_t *info, bool of_process);
/* Takes the first queued one of the set. Under signals_lock. */
bool signal_dequeue(struct plat_context *context, uint64_t set, siginfo_t *info);
void signals_refresh(struct plat_context *context); /* computes `due` anew; under signals_lock */
void signals_discard(int number); /* it is ignored from now on: nobody has it pending any more */
/* Moves what is pending in the kernel for the process, out of `set`, to the caller's queue. */
void signals_collect(struct plat_context *context, uint64_t set);
/* Sends to one thread; 0 or an errno. Any thread. Without `tell` the caller sees to it that the worker
 * looks: it is the worker itself, or about to answer its call. */
int signal_send(struct plat_context *target, const siginfo_t *info, bool tell);
void signal_info_tkill(siginfo_t *info, int number);
/* Has the worker see to what is due, wherever it is. Nothing held. */
void signals_tell(struct plat_context *context);
void signals_forget(void);

/* ---- signal_run.c ---- */

struct signals_ran {
    bool any;      /* a handler ran */
    bool restarts; /* and all that did have SA_RESTART */
};
/* On the worker: runs what is due. `interrupted`: where the kernel interrupted it, or NULL. */
struct signals_ran signals_run(struct plat_context *self, ucontext_t *interrupted);
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

/* ---- signal_thread.c ---- */

int signals_start(void);
/* What it takes may have grown: has it look again, soon. */
void signals_poke(void);
/* Returns when it looked again: nothing that nobody wants is taken from here on. */
void signals_sync(void);
/* What it waits for right now; under signals_lock. */
extern uint64_t signals_active;
pid_t signals_thread(void);
/* The signals of a timer that was made for one worker, and comes to the signal thread. */
bool signal_timer_add(int timer, struct plat_context *worker, int number);
void signal_timer_remove(int timer);
/* Finds a worker for a signal of the process; false: nobody. */
bool signal_to_process(const siginfo_t *info);

/* ---- signal_front.c ---- */

/* The worker or scheduler that lives on this control block, NULL: a plain thread. */
struct plat_context *ums_thread(pthread_t thread);
/* Sends to one thread, the caller included; 0 or an errno. */
int send_to_thread(struct plat_context *target, const siginfo_t *info);

/* ---- signal_jump.c ---- */

/* Words of a mask for 1024 signals that libc does not use: the first of two. */
enum { JUMP_MARK_AT = 10 };

/* ---- signal_wait.c ---- */

/* On the reactor. Before the attempt: what the call's own mask makes of the worker's. 0 or -errno. */
int call_mask_begin(struct call *call);
/* The call is over with this result: the mask that comes back. Any thread that completes it. */
void call_mask_end(struct call *call, long result);
/* The call has to wait: registers who waits for signals. */
void signal_wait_start(struct call *call);
/* Under signals_lock: this call is the caller's to complete with this result. */
bool signal_wait_decide(struct call *call, long result);
/* The worker's call is a wait for signals that nobody decided: ends it. */
bool signal_wait_cancel(struct call *call);
/* Completes a call that was let go for a signal. */
void call_interrupt(struct call *call);
/* What a signal does to the call: whether it may be let go, and whether SA_RESTART applies. */
bool call_interruptible(const struct call *call);
bool call_restarts(const struct call *call);

#endif
