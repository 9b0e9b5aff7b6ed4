/* SPDX-License-Identifier: MIT
 *
 * package.h - the package proper, shared by the grounds UMS and user: threads, processors, lists.
 *
 * A processor runs a loop: it chooses a thread, goes on with it, and is back when the thread leaves
 * (by a request: yield, wait, join, finish) or, on UMS, blocks. A thread asks for what has to
 * happen once its stack was left; the loop does it. So a processor that finds a thread in a list
 * may run it.
 *
 * Locks: `struct spin` everywhere; a lock's or condition's guard comes before a processor's lock.
 * No call that may block is made under one. A thread may be stopped inside nevertheless: spin.c.
 */
#ifndef FASTTHREADS_PACKAGE_H
#define FASTTHREADS_PACKAGE_H

#include "context.h"
#include "ground.h"

#include <stdatomic.h>
#include <stdint.h>

/* Taking it costs one locked instruction, leaving it a comparison and a plain store; that the word
 * says which thread is inside costs nothing, and is all that recovery needs. An odd word: its
 * holder is called back. */
struct spin {
    _Atomic(struct ft_thread *) holder;
};

enum request {
    REQUEST_YIELD,    /* the others of its priority first */
    REQUEST_GIVE_WAY, /* those of higher priorities first */
    REQUEST_SPIN, /* the others first; the holder of `object`, a struct spin, has its priority */
    REQUEST_SECTION_OVER, /* it was continued for the section only: the others first */
    REQUEST_WAIT,         /* in a list; `object` is the struct spin to be left now */
    REQUEST_JOIN,         /* `object` is the thread */
    REQUEST_FINISH
};

struct ft_thread {
    struct ft_thread *newer; /* in a ready list */
    struct ft_thread *older; /* there, too; in all other lists the next */
    struct ft_thread *of_all;
    _Atomic(struct processor *) where; /* whose loop went on with it last */
    void (*body)(void *);              /* NULL: end */
    void *arg;
    _Atomic(struct ft_thread *)
        joiner; /* NULL, the thread that waits for the end, or FT__FINISHED */
    enum request request;
    void *object;
    _Atomic int stopped;  /* by us: its next arrival is no news */
    _Atomic int own;      /* its priority, ... */
    _Atomic int priority; /* ... or the higher one that it was lent: priority.c */
    _Atomic(struct processor *)
        listed; /* in whose ready list it is; changed under that one's lock */
    int level;  /* there */
#ifdef FT_SECTION_FLAGS
    _Atomic int sections; /* that it is inside */
    _Atomic int called;   /* back, at their end */
#endif

    PUMS_CONTEXT context; /* UMS */
    HANDLE handle;
    struct context saved; /* user */
};

extern struct ft_thread ft__finished;
#define FT__FINISHED (&ft__finished)

struct queue {
    struct ft_thread *first;
    struct ft_thread *last;
};

/* The ready threads of a priority. */
struct level {
    struct ft_thread *newest;
    struct ft_thread *oldest;
};

/* The highest priority of those in the completion list and in `news` that have unblocked, and of
 * those that had been stopped. -1: there is none. */
struct news {
    int unblocked;
    int stopped;
};

struct processor {
    _Alignas(64) struct spin lock;      /* for the next four */
    _Atomic(struct ft_thread *) unused; /* finished and joined, to be used again */
    unsigned long forks;
    _Atomic unsigned
        levels; /* a bit for each that holds somebody; read without the lock as a hint */
    struct level ready[FT_MAX_PRIORITY + 1];

    /* The loop's own, but for `current`, which others read. */
    _Alignas(64) _Atomic(struct ft_thread *) current;
    struct ft_thread loop;  /* the holder of a lock that the loop holds */
    struct ft_thread *next; /* to go on with at once */
    struct queue kept;      /* arrived; on their way to the ready list */
    struct queue late;      /* yielded; go to its far end */
    BOOL stuck;             /* the holder of the own lock is away */
    BOOL untold;            /* the allocator may think that it is idle */
    struct ft_statistics counts;
    _Atomic unsigned long looks; /* at the arrivals */
    int index;
    DWORD_PTR where;
    HANDLE thread;
    struct context saved; /* user: of the loop, while a thread runs */

    /* Between loops. */
    _Alignas(64) _Atomic int idle;
    _Atomic int granted; /* by the allocator */
    _Atomic int away;    /* given up: it waits to be granted again */
    _Atomic int awaited; /* somebody waits for its loop to run: preempt.c */
    HANDLE wake;
    HANDLE left; /* its loop runs, or it was given up */
};

/* What differs between UMS and user. */
struct engine {
    DWORD (*prepare)(void);
    DWORD (*create)(struct ft_thread *thread, SIZE_T stack_bytes);
    BOOL arrives;                             /* a new thread arrives by itself */
    void (*leave)(struct ft_thread *self);    /* returns when somebody goes on with it */
    DWORD (*loop)(struct processor *self);    /* the processor's thread */
    void (*arrivals)(struct processor *self); /* to self->kept */
    void (*news)(struct news *found); /* on a plain thread: from the list to the package's news */
    void (*doze)(struct processor *self, DWORD milliseconds); /* or until woken, or an arrival */
    DWORD (*destroy)(struct ft_thread *all);
};

struct package {
    const struct engine *engine;
    struct processor *processors;
    int count;
    SIZE_T stack_bytes;
    struct ft_thread *first;
    _Atomic(struct ft_thread *) all;
    _Atomic(struct ft_thread *)
        news; /* arrived, and seen by the notifier first; linked by `older` */
    _Atomic unsigned long created;
    _Atomic unsigned long raised; /* by the notifier */
    _Atomic int ranked;           /* a thread was forked with a priority */
    _Atomic int idle;             /* processors */
    _Atomic int over;             /* the first thread has ended */
    _Atomic int gone;             /* processors that left for good */
};

extern struct package ft__package;

/* The calling thread. Not inline: it may run on another kernel thread than when it last asked. */
struct ft_thread *ft__self(void);
void ft__set_self(struct ft_thread *self);

/* ---- spin.c ---------------------------------------------------------------------------------- */

static inline BOOL spin_try(struct spin *spin, struct ft_thread *self)
{
    struct ft_thread *nobody = NULL;

    return atomic_compare_exchange_strong_explicit(&spin->holder, &nobody, self,
                                                   memory_order_acq_rel, memory_order_relaxed);
}

static inline struct ft_thread *spin_holder(struct spin *spin)
{
    char *word = (char *)atomic_load_explicit(&spin->holder, memory_order_acquire);

    return (struct ft_thread *)(void *)(word - ((uintptr_t)word & 1));
}

/* In a thread: waits, and lets others run if it takes long. */
void ft__spin_wait(struct spin *spin, struct ft_thread *self);

/* In a thread that was called back, at the end of its section. */
void ft__return_to_loop(struct ft_thread *self);
void ft__leave_called_back(struct spin *spin, struct ft_thread *self);

/* In a loop. */
static inline void spin_drop(struct spin *spin)
{
    atomic_store_explicit(&spin->holder, NULL, memory_order_release);
}

/* The next five are how a thread enters and leaves a section. FT_SECTION_FLAGS has it say so in a
 * word of its own, which the lock's word makes needless: to see what that costs. */
static inline void section_begins(struct ft_thread *self)
{
#ifdef FT_SECTION_FLAGS
    atomic_store_explicit(&self->sections,
                          atomic_load_explicit(&self->sections, memory_order_relaxed) + 1,
                          memory_order_relaxed);
#else
    UNREFERENCED_PARAMETER(self);
#endif
}

static inline void section_ends(struct ft_thread *self)
{
#ifdef FT_SECTION_FLAGS
    atomic_store_explicit(&self->sections,
                          atomic_load_explicit(&self->sections, memory_order_relaxed) - 1,
                          memory_order_relaxed);
#else
    UNREFERENCED_PARAMETER(self);
#endif
}

static inline BOOL spin_try_enter(struct spin *spin, struct ft_thread *self)
{
    section_begins(self);
    if (spin_try(spin, self))
        return TRUE;
    section_ends(self);
    return FALSE;
}

static inline void spin_enter(struct spin *spin, struct ft_thread *self)
{
    section_begins(self);
    if (!spin_try(spin, self))
        ft__spin_wait(spin, self);
}

static inline void spin_leave(struct spin *spin, struct ft_thread *self)
{
#ifdef FT_SECTION_FLAGS
    spin_drop(spin);
    section_ends(self);
    if (atomic_load_explicit(&self->called, memory_order_relaxed) &&
        !atomic_load_explicit(&self->sections, memory_order_relaxed))
        ft__return_to_loop(self);
#else
    if (__builtin_expect(atomic_load_explicit(&spin->holder, memory_order_relaxed) != self, 0))
        ft__leave_called_back(spin, self);
    else
        spin_drop(spin);
#endif
}

static inline void no_longer_called(struct ft_thread *thread)
{
#ifdef FT_SECTION_FLAGS
    if (atomic_load_explicit(&thread->called, memory_order_relaxed))
        atomic_store_explicit(&thread->called, 0, memory_order_relaxed);
#else
    UNREFERENCED_PARAMETER(thread);
#endif
}

/* The holder is to come back to its loop at the end of its section. FALSE: it has left. */
BOOL ft__call_back(struct spin *spin, struct ft_thread *holder);

/* In a loop: FALSE when the holder is stopped somewhere. The loop must go on without. */
BOOL ft__spin_in_loop(struct spin *spin, struct processor *self);

/* After that: the holder, if it has arrived here and so can be continued first. */
struct ft_thread *ft__recover(struct processor *self);

/* ---- ready.c --------------------------------------------------------------------------------- */

void ft__append(struct queue *queue, struct ft_thread *thread);
struct ft_thread *ft__take_first(struct queue *queue);
/* FALSE: it is not in the queue. */
BOOL ft__take_out(struct queue *queue, struct ft_thread *wanted);

/* Under the processor's lock. */
void ft__push_newest(struct processor *processor, struct ft_thread *thread);
void ft__unlist(struct processor *processor, struct ft_thread *thread);

/* In a thread: makes another one ready, on the processor that runs the caller. */
void ft__make_ready(struct ft_thread *self, struct ft_thread *thread);

/* If a processor sleeps it looks for work; if none does, the allocator hears that one is wanted. */
void ft__wake_one(void);
void ft__wake_all(void);

/* The priority that its highest ready thread has; -1: there is none. A hint without the lock. */
static inline int ft__highest(struct processor *processor)
{
    unsigned levels = atomic_load_explicit(&processor->levels, memory_order_relaxed);

    return levels ? 31 - __builtin_clz(levels) : -1;
}

/* In a loop: the next thread to go on with; here, then elsewhere. NULL: none is ready. */
struct ft_thread *ft__choose_here(struct processor *self);
struct ft_thread *ft__steal(struct processor *self);

/* ---- priority.c ------------------------------------------------------------------------------ */

static inline int ft__priority(struct ft_thread *thread)
{
    return atomic_load_explicit(&thread->priority, memory_order_relaxed);
}

static inline void ft__take_back_loan(struct ft_thread *thread)
{
    int own = atomic_load_explicit(&thread->own, memory_order_relaxed);

    if (ft__priority(thread) != own)
        atomic_store_explicit(&thread->priority, own, memory_order_relaxed);
}

/* The caller sets it before anybody can go on with the thread. */
void ft__set_priority(struct ft_thread *thread, int priority);

/* The highest priority of a ready thread, those of one processor left out; -1: none is ready. A
 * hint. */
int ft__best_ready(const struct processor *but);

/* In a thread, at the end of a call: it has made one of this priority ready, which may go first. */
void ft__give_way(struct ft_thread *self, int priority);

/* In a loop that has no lock: whoever holds this one is to go on before others of lower
 * priorities. */
void ft__lend(struct processor *self, struct spin *spin, int priority);

/* ---- processor.c ----------------------------------------------------------------------------- */

/* In a loop: the thread has left its stack with its request. */
void ft__has_left(struct processor *self, struct ft_thread *thread);

/* In a loop: waits for a thread to go on with. NULL: it is all over. */
struct ft_thread *ft__choose(struct processor *self);

/* Nobody is ready: processors that the allocator withholds count as idle, too. */
void ft__rest_is_idle(void);

/* ---- preempt.c ------------------------------------------------------------------------------- */

/* On a plain thread: takes the thread off the processor that it was seen on. */
void ft__stop_thread(struct processor *processor, struct ft_thread *thread);

/* On a plain thread: returns when the processor was given up. A thread that computes there is
 * stopped, and arrives to be gone on with elsewhere. */
void ft__take_back(struct processor *processor);

/* ---- notice.c -------------------------------------------------------------------------------- */

DWORD ft__notice_open(void);
void ft__notice_close(
    void); /* at the latest when threads are run to their end; again does nothing */
/* A processor that was idle goes on with something. */
void ft__notice_busy(void);

/* ---- threads.c, locks.c: the calls ----------------------------------------------------------- */

void ft__thread_main(struct ft_thread *self);
void ft__leave(struct ft_thread *self, enum request request, void *object);
struct ft_thread *ft__fork(int priority, void (*body)(void *), void *arg);
void ft__join(struct ft_thread *thread);
void ft__yield(void);
void ft__lock_init(struct ft_lock *lock);
void ft__acquire(struct ft_lock *lock);
void ft__release(struct ft_lock *lock);
void ft__condition_init(struct ft_condition *condition);
void ft__wait(struct ft_condition *condition, struct ft_lock *lock);
void ft__signal(struct ft_condition *condition);
void ft__broadcast(struct ft_condition *condition);

/* ---- run.c ----------------------------------------------------------------------------------- */

/* New, and entered among all; ready at once if the engine's do not arrive. NULL: last error. */
struct ft_thread *ft__new_thread(int priority, void (*body)(void *), void *arg);
DWORD ft__package_run(const struct engine *engine, const struct ft_options *options,
                      void (*first)(void *), void *arg, struct ft_statistics *statistics);

#define FT__PACKAGE_CALLS                                                                          \
    .fork = ft__fork, .join = ft__join, .yield = ft__yield, .lock_init = ft__lock_init,            \
    .acquire = ft__acquire, .release = ft__release, .condition_init = ft__condition_init,          \
    .wait = ft__wait, .signal = ft__signal, .broadcast = ft__broadcast,                            \
    .allocate = ft__heap_allocate, .free = ft__heap_free

#endif
