/* SPDX-License-Identifier: MIT
 *
 * fiber.h - fibers: stacks among which a thread goes to and fro by itself. Any kind of thread has
 * them.
 *
 * A fiber is what stands on one stack: its frames, control words, and what the C++ run time counts
 * of exceptions. Everything else is the thread's that runs it: thread pointer, TLS, last error, id,
 * mask. To the engine a fiber is nothing but another place for a stack pointer. A worker that
 * blocks, yields, is suspended or ended in a fiber does so as a worker, and its scheduler never
 * knows.
 *
 * The owner of a fiber
 *   runs_on == NULL            nobody: the program may have one thread switch to it, or delete it
 *   runs_on == a thread's own  that thread runs on it, and alone writes it
 *   runs_on == FIBER_ENDED     its thread has ended on it; it has no stack any more
 * Two threads that want one fiber at a time are the program's mistake, as on Windows; `runs_on` is
 * there to name it, no lock. The program publishes a fiber's state to the next thread, by whatever
 * orders the two threads.
 *
 * The stack that a thread is created with is the thread's: a fiber that the thread was converted to
 * has none of its own. A fiber's own stack goes with the fiber, or, if its thread is converted back
 * while on it, with the thread (`adopted`).
 *
 * A scheduler's activations begin on the stack on which EnterUmsSchedulingMode was called, where
 * the frames of another fiber may lie by now. So a scheduler that is in a fiber elsewhere cannot
 * execute a worker: it would not come back. `stop_due` keeps plat_execute's callers off, at no
 * price to others (stop.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_FIBER_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_FIBER_H

#include "platform/linux/plat_types.h"

#define FIBER_ENDED ((const void *)1)

struct fiber {
    void *data;                  /* what GetFiberData reads: the first word */
    void *sp;                    /* while nobody runs it */
    const void *_Atomic runs_on; /* see above */
    uintptr_t low, high;         /* where its stack may be used */
    struct fiber_stack stack;    /* its own; memory is NULL: it has its thread's */
    uintptr_t cxx[2];            /* of the C++ run time's, while nobody runs it */
    void *shadow;                /* the address sanitizer's, while nobody runs it */
    bool deleted;                /* its memory goes with its thread */
    void (*start)(void *);
    void *values; /* of fiber-local storage: whose they are knows winapi */
};

/* A fiber that will begin with first(fiber), which does not return. NULL: no memory. */
struct fiber *fiber_create(size_t stack_bytes, void (*first)(struct fiber *));
/* Makes the calling thread a fiber. NULL: no memory. pre: the thread is no fiber yet. */
struct fiber *fiber_adopt(void);
/* Calls start(data). If the stack is unwound through that call, unwound() is called, always the
 * same one. */
void fiber_call(struct fiber *fiber, void (*unwound)(void));
/* The calling thread is a thread again, on the stack that it is on. Gives the fiber's memory
 * back. */
void fiber_abandon(struct fiber *fiber);
/* Gives everything back. pre: nobody runs it. */
void fiber_destroy(struct fiber *fiber);
/* pre: the calling thread runs `from`, nobody `to`. Returns when somebody switches back, on that
 * thread. */
void fiber_switch(struct fiber *from, struct fiber *to);
/* First thing on a new fiber. */
void fiber_arrived(struct fiber *fiber);
/* Of a thread that is about to vanish, on its own stack. */
void fiber_thread_ended(void);

/* The scheduler is in a fiber from which it cannot execute. */
bool fiber_is_elsewhere(const struct plat_context *scheduler);

#endif
