/* SPDX-License-Identifier: MIT
 *
 * thread_object.h - threads as dispatcher objects: plain ones, workers, schedulers.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_THREAD_OBJECT_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_THREAD_OBJECT_H

#include "platform/chain.h"
#include "platform/linux/dispatch/object.h"

struct apc;
struct turn;
struct thread_asked;
struct ucontext_t;

/* Times of a thread, which stay known after its end. */
struct thread_times {
    int64_t born_at, ended_at;            /* nanoseconds of CLOCK_REALTIME */
    uint64_t carried_total, carried_user; /* processor time as a scheduler, once it has left */
    uint64_t cpu_total, cpu_user;         /* once it has ended */
    bool cpu_known;                       /* the processor time was counted to the end */
};

enum { SYNC_NONE, SYNC_MAKES, SYNC_ASKED, SYNC_KEPT = 4 }; /* interrupt/sync_call.h */

/* How a plain thread or a scheduler is stopped: interrupt/stop.c. */
struct thread_stop {
    _Atomic bool ending;    /* it ends at its next stop */
    _Atomic bool nudging;   /* `nudge` is set; registers_await waits at this address */
    _Atomic uint32_t count; /* suspend count; futex */
    _Atomic bool stopped;   /* it stands still, or waits and will look at `count` when it is done */
    struct plat_timer nudge;
    _Atomic(struct ucontext_t *) stands_at; /* its registers: interrupt/registers.h */
    _Atomic(struct thread_asked *) asked;   /* the thread that asks for them */
    _Atomic uint32_t sync_call;             /* of workers, too: SYNC_* */
    _Atomic uintptr_t sync_at;              /* where it waits in such a call; 0: in system calls */
    struct object *sync_kept[SYNC_KEPT];    /* such calls have references; its own */
    struct turn *turns;                     /* that it has: interrupt/turn.h. Its own */
};

/* A thread begins with these. */
struct thread_begin {
    uint32_t (*start)(void *);
    void *param;
    sigset_t sigmask;
};

enum { BOOST_ON = 1, BOOST_OFF };

/* The completion port that a thread serves: port_limit.h. */
struct service {
    struct object *port; /* with a reference; NULL: none. Written by the thread itself */
    struct port_limit *limit;
    struct plat_thread *next, *previous; /* with the port's lock */
    _Atomic bool placed;                 /* it has a place */
    _Atomic uint32_t looks;              /* looks since it has the place that did not see it run */
    struct spare_packets {               /* packet_memory.h; these and `taken` are its own */
        struct packet *first;
        uint32_t count;
    } spare_small, spare;
    uint32_t taken; /* how often it took packets since it last looked (port.c) */
};

/* Hints of the program's. They are kept and told, and change nothing here. */
struct thread_hints {
    _Atomic uint8_t boost;    /* 0, or BOOST_* */
    uint32_t stack_guarantee; /* set by the thread itself */
};

struct plat_thread {
    struct object object;
    /* Set while the thread is a worker or a scheduler. A thread changes it under `binding`, and
     * holds `binding` while it acts on the context from outside. That lock is taken before any
     * other. */
    struct plat_context *context;
    PLAT_LOCK(BINDING) binding;
    pid_t tid;
    uint32_t exit_code;
    bool ended;
    struct thread_stop stopping;
    int priority;             /* in force for a scheduler, of others only remembered */
    uint32_t ideal_processor; /* advisory */
    struct thread_hints hints;
    struct thread_times times;
    uint16_t *description; /* UTF-16, malloc'ed; under own_lock */
    char *name;            /* the same in UTF-8 */
    struct thread_begin begin;

    /* Where it waits, for a thread that wants to end its wait (waiters.h). */
    _Atomic uintptr_t waits_at;
    struct sitter *
        sitter; /* decides its waits for any of several (seat.h); its own, but for the word in it */
    struct wait *armed; /* a wait to clear away if the thread will not run again: wait_disarm */
    struct service serves;
    /* Changed by the thread itself, or by the thread that gives it a mutex while it waits. */
    CHAIN_OF(struct mutex) owned;
    _Atomic bool orphans; /* other threads have closed some of them */

    struct wait *sleep; /* a wait for nothing but time, while undecided; under the object's lock */

    PLAT_LOCK(THREAD) own_lock;      /* a leaf: no other lock is taken with it held */
    _Atomic(struct apc *) first_apc; /* read without the lock by the thread itself */
    struct apc *last_apc;
};

/* A thread object that is not bound to a kernel thread yet. */
struct plat_thread *thread_create_object(void);
/* The calling thread's object, made on first need. NULL: no memory. */
__attribute__((noinline)) struct plat_thread *thread_make_current(void);
static inline struct plat_thread *thread_current(void)
{
    struct plat_thread *thread = plat_tls.thread;
    return UMS_LIKELY(thread != NULL) ? thread : thread_make_current();
}
pid_t thread_current_id(void);
/* The thread of this id that has an object and has not ended, with a reference; or NULL. */
struct plat_thread *thread_by_id(pid_t tid);
int64_t thread_clock(void); /* nanoseconds of CLOCK_REALTIME: born_at, ended_at */
bool thread_has_ended(struct plat_thread *thread);
/* The thread is a scheduler's from now on: puts its name into the trace. */
void thread_tell_name(struct plat_thread *thread);
/* On the thread itself: has the library see its end. */
void thread_end_seen(void);
/* Gives the object to the thread with this thread-local block. The library sees that thread's end,
 * and the thread has not begun to run the program's code. The caller's reference stays the
 * caller's; the thread gets one of its own, until dispatch_hooks.thread_ended. */
void thread_born(struct plat_thread *thread, pid_t tid, struct plat_tls *tls);
int thread_get_affinity(struct plat_thread *thread, cpu_set_t *mask); /* 0 or -errno */
/* Ends the calling plain thread. */
_Noreturn void thread_exit(uint32_t code);

#endif
