/* SPDX-License-Identifier: MIT
 *
 * fiber.h - fibers: stacks between which a thread switches by itself. Any kind of thread may have
 * them.
 *
 * A fiber has a stack with its frames, control words, and the C++ run time's counts of exceptions.
 * All else belongs to the thread that runs it: thread pointer, TLS, last error, id, mask. To the
 * engine a fiber is nothing but another place for a stack pointer. A worker that blocks, yields, is
 * suspended or ended in a fiber does so as a worker, and its scheduler does not notice.
 *
 * The owner of a fiber
 *   runs_on == NULL            none: one thread of the program may switch to it, or delete it
 *   runs_on == a thread's own  that thread runs on it, and alone writes it
 *   runs_on == FIBER_ENDED     its thread has ended on it; it has no stack any more
 * If two threads want one fiber at the same time that is the program's mistake, as on Windows;
 * `runs_on` serves to report it, and is no lock. The program itself has to order the two threads,
 * so that the second sees the fiber's state.
 *
 * The stack that a thread is created with is the thread's: a fiber that the thread was converted to
 * has none of its own. A fiber's own stack is freed with the fiber. If its thread is converted back
 * while it is on that stack, it is freed with the thread (`adopted`).
 *
 * A scheduler's activations begin on the stack on which EnterUmsSchedulingMode was called, where
 * the frames of another fiber may lie by now. So a scheduler that is in a fiber elsewhere cannot
 * execute a worker: it would not come back. `stop_due` makes ExecuteUmsThread fail then, at no cost
 * to other schedulers (stop.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_FIBER_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_FIBER_H

#include "platform/linux/plat_types.h"

#define FIBER_ENDED ((const void *)1)

struct fiber {
    void *data;                  /* GetFiberData reads this, the first word */
    void *sp;                    /* while no thread runs it */
    const void *_Atomic runs_on; /* see above */
    uintptr_t low, high;         /* the part of its stack that may be used */
    struct fiber_stack stack;    /* its own stack; memory is NULL: it uses its thread's */
    uintptr_t cxx[2];            /* words of the C++ run time, while no thread runs it */
    void *shadow;                /* the address sanitizer's, while no thread runs it */
    bool deleted;                /* the program has deleted it: its thread frees its memory */
    void (*start)(void *);
    void *values; /* of fiber-local storage; winapi knows their owners */
};

/* A fiber that will begin with first(fiber), which does not return. NULL: no memory. */
struct fiber *fiber_create(size_t stack_bytes, void (*first)(struct fiber *));
/* Makes the calling thread a fiber. NULL: no memory. pre: the thread is no fiber yet. */
struct fiber *fiber_adopt(void);
/* Calls start(data). If the stack is unwound through that call, unwound() is called. All callers
 * pass the same `unwound`. */
void fiber_call(struct fiber *fiber, void (*unwound)(void));
/* The calling thread is no fiber any more. It stays on its stack. Frees the fiber's record. */
void fiber_abandon(struct fiber *fiber);
/* Frees everything. pre: no thread runs it. */
void fiber_destroy(struct fiber *fiber);
/* pre: the calling thread runs `from`, and no thread runs `to`. Returns when a thread switches back
 * to `from`, on that thread. */
void fiber_switch(struct fiber *from, struct fiber *to);
/* Called first on a new fiber. */
void fiber_arrived(struct fiber *fiber);
/* Called by a thread that is about to end, on its own stack. */
void fiber_thread_ended(void);

/* Whether the scheduler is in a fiber from which it cannot execute. */
bool fiber_is_elsewhere(const struct plat_context *scheduler);

#endif
