/* SPDX-License-Identifier: MIT
 *
 * plat_types.h - the Windows engine's share of a context, and the hot half of the seam.
 *
 * There are two ways of switching. Pinned: the side that leaves fills the other thread's word and
 * waits for its own, so executing and yielding switch between two threads (thread_switch.h,
 * leave.c). In place: the scheduler's thread leaves its stack for the worker's and comes back
 * (inplace.c). The worker's fields tell which one it is: with `host` a scheduler's thread carries
 * it, with `saved_sp` any scheduler's thread may.
 *
 * Writers
 *   word               its own thread empties it before it gives control away; the other side fills
 *   after, arg         (schedulers) the worker that leaves, before it leaves
 *   sp                 (schedulers) their own thread, once
 *   inside             the thread that carries it, while it runs code of the engine, or does
 *                      what its scheduler is not to hear of
 *   saved_sp, values   the thread that carries it, when it leaves the worker's stack
 *   host, carrier_id   the scheduler's thread, around an exchange; any thread reads them
 *                      (interrupt.c looks again when that thread stands still)
 *   left_teb           the worker, around a call from which it leaves
 *   pinned             any thread; a scheduler reads it before it executes the worker, and the
 *                      worker when it leaves
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_PLAT_TYPES_H
#define UMSSHIM_PLATFORM_WINDOWS_PLAT_TYPES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/windows/os/plain_locks.h"
#include "platform/windows/switch/teb.h"

struct plat_thread;
struct trace_ring;

#define PLAT_OWN /* empty: a symbol that is not exported is the library's own anyway */

struct plat_lock {
    _Atomic uint32_t word; /* 0 free, 1 held */
};
#define PLAT_LOCK(rank) struct plat_lock /* only the Linux engine checks the order (lock_ranks.h) */
#define plat_lock_taken(lock) (atomic_load_explicit(&(lock)->word, memory_order_relaxed) != 0)
#define plat_lock_forget(lock) (*(lock) = (struct plat_lock){0})

/* A worker's wait in user mode: user_wait.h. */
struct user_wait {
    _Atomic uint32_t alert;    /* enum alert_word, alert.h */
    _Atomic uint8_t how;       /* enum wait_how; the thread that may change it owns the rest */
    bool absolute;             /* the deadline is a time of the system's clock, which may be set */
    bool again;                /* the worker was not blocked after all, and looks at the object
                                * again */
    uint8_t kind;              /* enum handle_kind, of the object */
    int32_t status;            /* of the call */
    uint32_t seen;             /* its record's count when the worker looked at it */
    _Atomic uint32_t tick;     /* DIRECT: when it registered, direct_ages.h */
    _Atomic uint32_t roll;     /* its place on the roll there, 0: none */
    uint32_t place;            /* among the deadlines, 0: it has none */
    uint64_t deadline;         /* of plat_now() */
    uint64_t clock_time;       /* absolute: in the system's clock */
    void *handle;              /* of the object; of our own once the wait is to be armed */
    struct handle_info *info;  /* DIRECT: of the object */
    struct arm *arm;           /* ARMED: the pool's wait */
    struct plat_context *next; /* the next wait on its record, or of those to be armed */
};

/* The state of a scheduler that the watcher saw last: platform/watch. */
struct plat_watched {
    uint64_t since; /* when it first saw this many activations; 0: never yet */
    uint32_t activations;
    bool told;
};

/* Bits: why a worker stays on its own thread in in-place mode. A scheduler's hold for all workers
 * that it executes. */
enum pinned {
    PINNED_TOKEN = 1,  /* it impersonates a user, token_pin.h */
    PINNED_WINDOW = 2, /* it has made a window call, window_pin.h: for good */
    PINNED_RUNTIME = 4 /* .NET is in the process, runtime_pin.h: for good */
};

struct plat_context {
    /* Worker: the scheduler that executed it last; NULL once it ends. Scheduler: itself. The core
     * writes it. */
    struct plat_context *scheduler;
    _Atomic uint32_t word; /* enum hand, thread_switch.h */
    bool is_scheduler;
    bool inside;
    uint8_t locks;        /* of the engine's, that it holds */
    bool ending;          /* worker: its scheduler has been told of its end; the system does the
                           * rest */
    uint8_t last_call;    /* worker: enum last_call, worker.h */
    uint8_t reason;       /* scheduler: why it was last entered, for debuggers */
    uint32_t activations; /* scheduler: how often it was entered */
    union {
        void (*after)(struct plat_context *scheduler, void *arg); /* scheduler: what to do next */
        uint32_t exit_code;                                       /* worker */
    };
    void *arg; /* scheduler: for `after` */
    void *sp;  /* scheduler: where activations start; worker: enum last_call */
    /* In-place mode, inplace.c. For a scheduler only `values`. */
    void *saved_sp;            /* worker that is saved: its registers */
    struct plat_context *host; /* hosted worker: the scheduler whose thread carries it */
    _Atomic(void *) teb;       /* worker: of its own thread, which writes it; NULL until it runs */
    uint32_t carrier_id;       /* id of the thread on which it runs, when it runs */
    _Atomic uint8_t pinned;    /* enum pinned; not 0: it runs, or its workers run, on their own
                             * threads */
    bool exchanging;           /* scheduler: its thread's TEB is being exchanged, teb_fence.h */
    uint8_t interrupt;         /* worker: enum interrupt, for which it is on its way home */
    bool deep;                 /* worker: it has left with many calls on its stack, inplace.S */
    void *left_teb; /* worker that left from within a call: the TEB that it had, teb_follow.c; or
                     * NULL */
    struct teb_values values;
    void *home_sp;                             /* worker: where its own thread waits */
    struct plat_context *to;                   /* worker that leaves its home: its scheduler */
    void (*then)(struct plat_context *worker); /* and the function that its own thread runs next */
    uint64_t interrupted_at;               /* worker that is interrupted, interrupt.c: the place */
    void *interrupted, *interrupted_state; /* and all its registers */

    void *event;        /* worker: it waits on this where it must not use alerts up; made on need */
    void *frozen;       /* worker: the handle that resumes its thread, stop.c */
    uint32_t thread_id; /* of its own thread */
    uint32_t number;    /* by which debuggers and traces name the context; the core writes it */
    uint16_t spins;     /* its own thread: how long it may spin when it waits for its word */
    uint16_t waits;
    uint32_t saved_error; /* worker in a call: its last error before the call */
    bool by_event;        /* worker in a call: parks on `event` after the call */
    /* A worker's call that its scheduler watches: short_calls.h. */
    _Atomic uint32_t call;
    struct plat_lock call_lock;
    _Atomic uint64_t call_began;    /* 0: its own thread has not begun the call */
    uint64_t call_patience;         /* ns */
    struct file_habit *call_habit;  /* of the handle: file_habits.h */
    _Atomic uint64_t watches_until; /* scheduler: its time-out */
    struct plat_context *guest;     /* scheduler: the worker that it executed last */
    void *held;        /* suspended scheduler: the worker's thread that is resumed with it */
    uint32_t end_code; /* scheduler that another thread ends: its exit code */
    bool ended_by_other;
    struct plat_context *next; /* in thread_map.c's chains */
    _Atomic uint32_t holders;  /* how many threads have found it there and act on it */
    struct user_wait wait;
    /* Worker that has left, or is leaving, for a call: for debuggers (call_notes.h). */
    const char *in_call; /* the call's name; NULL: no call */
    uintptr_t call_about;
    uint32_t left_at;            /* GetTickCount */
    struct plat_watched watched; /* scheduler */
    struct trace_ring *trace; /* scheduler: its thread records here what it does; NULL: no trace */
};

/* leave.c: the worker is on its own thread. */
int leave_own_thread(struct plat_context *worker, struct plat_context *scheduler,
                     void (*after)(struct plat_context *, void *), void *arg);

/* thread_switch.c */
int thread_switch_execute(struct plat_context *scheduler, struct plat_context *worker);

/* inplace.c */
int inplace_leave(struct plat_context *worker, struct plat_context *scheduler,
                  void (*after)(struct plat_context *, void *), void *arg);
int inplace_execute(struct plat_context *scheduler, struct plat_context *worker);

/* restart.S: with the stack position in r10 and `run` in rax. */
void sched_restart(void);

/* The number of the thread-local slot that holds a thread's context. The first 64 slots lie in the
 * TEB (winternl.h documents TlsSlots), the others behind a pointer that is NULL until one of them
 * is used. */
extern uint32_t engine_slot;

static inline struct plat_context *plat_current(void)
{
    struct plat_context *self;
    if (__builtin_expect(engine_slot < 64, 1)) {
        __asm__ volatile("movq %%gs:0x1480(,%1,8), %0" : "=r"(self) : "r"((uint64_t)engine_slot));
        return self;
    }
    struct plat_context **expansion;
    __asm__ volatile("movq %%gs:0x1780, %0" : "=r"(expansion));
    return expansion && engine_slot != UINT32_MAX ? expansion[engine_slot - 64] : NULL;
}

/* The thread's Win32 last error; the field has had this place in the TEB since the first 64-bit
 * Windows. */
static inline void plat_set_last_error(uint32_t error)
{
    __asm__ volatile("movl %0, %%gs:0x68" : : "r"(error) : "memory");
}

static inline uint32_t plat_last_error(void)
{
    uint32_t error;
    __asm__ volatile("movl %%gs:0x68, %0" : "=r"(error));
    return error;
}

/* platform/lines: the caller writes a cache line that threads share. */
#ifdef UMSSHIM_CHECKS
void plat_written(const void *address);

/* This engine has no lanes: nothing belongs to a processor. */
static inline const void *plat_lane_of(const struct plat_context *scheduler)
{
    (void)scheduler;
    return NULL;
}

/* Where this library begins. */
static inline const char *plat_image(void)
{
    extern const char __ImageBase[];
    return __ImageBase;
}
#else
static inline void plat_written(const void *address)
{
    (void)address;
}
#endif

/* base.c: waits until it has the lock. */
void lock_wait(struct plat_lock *lock, struct plat_context *self);

/* The calling thread has one more lock, or one less. `self` is NULL without a context. */
static inline void plat_count_lock(struct plat_context *self)
{
    if (self)
        self->locks++;
    else
        plain_locks_add();
}

static inline void plat_discount_lock(struct plat_context *self)
{
    if (self)
        self->locks--;
    else
        plain_locks_remove();
}

static inline void plat_lock(struct plat_lock *lock)
{
    struct plat_context *self = plat_current();
    plat_written(lock);
    plat_count_lock(self); /* before it has the lock, so that no thread stops it with the lock */
    if (__builtin_expect(atomic_exchange_explicit(&lock->word, 1, memory_order_acquire) != 0, 0))
        lock_wait(lock, self);
}

static inline void plat_unlock(struct plat_lock *lock)
{
    atomic_store_explicit(&lock->word, 0, memory_order_release);
    plat_discount_lock(plat_current());
}

static inline int plat_leave(struct plat_context *worker, struct plat_context *scheduler,
                             void (*after)(struct plat_context *, void *), void *arg)
{
    return worker->host ? inplace_leave(worker, scheduler, after, arg)
                        : leave_own_thread(worker, scheduler, after, arg);
}

/* Windows suspends and ends kernel threads wherever they are, so nothing is ever due. */
static inline bool plat_stop_due(const struct plat_context *scheduler)
{
    (void)scheduler;
    return false;
}

/* There is no fork. */
static inline uint32_t plat_call_start(void *start, void *param)
{
    return ((unsigned long (*)(void *))start)(param);
}

static inline bool plat_left_alone(const struct plat_context *worker)
{
    (void)worker;
    return false;
}

/* Nothing has to be read ahead for a switch here. */
static inline uintptr_t plat_ahead(const struct plat_context *worker)
{
    (void)worker;
    return 0;
}

/* The calling thread impersonates a user, as the kernel has noted in its TEB. */
static inline bool plat_impersonates(void)
{
    uint32_t noted;
    __asm__ volatile("movl %%gs:%c1, %0" : "=r"(noted) : "i"(TEB_IMPERSONATES));
    return noted != 0;
}

/* A scheduler that impersonates a user does not pass that on to its workers: they run on their own
 * threads meanwhile. */
static inline int plat_execute(struct plat_context *scheduler, struct plat_context *worker,
                               uintptr_t ahead)
{
    (void)ahead;
    if (worker->saved_sp &&
        !(atomic_load_explicit(&worker->pinned, memory_order_relaxed) |
          atomic_load_explicit(&scheduler->pinned, memory_order_relaxed)) &&
        __builtin_expect(!plat_impersonates(), 1))
        return inplace_execute(scheduler, worker);
    return thread_switch_execute(scheduler, worker);
}

/* Calls run(scheduler, a, b, c) at the scheduler's stack position, and overwrites what lies there
 * now. */
static inline _Noreturn void restart_with(struct plat_context *scheduler, void *run, uintptr_t a,
                                          void *b, void *c)
{
    register void *third __asm__("r8") = b, *fourth __asm__("r9") = c;
    register void *sp __asm__("r10") = scheduler->sp;
    __asm__ volatile("jmp sched_restart"
                     :
                     : "a"(run), "c"(scheduler), "d"(a), "r"(third), "r"(fourth), "r"(sp)
                     : "memory");
    __builtin_unreachable();
}

static inline _Noreturn void plat_restart(struct plat_context *scheduler, void *run, uintptr_t a,
                                          void *b, void *c)
{
    scheduler->activations++;
    scheduler->reason = (uint8_t)a;
    restart_with(scheduler, run, a, b, c);
}

/* Calls by a push and a jump. The stack is as after a call, but the processor does not expect a
 * return: few activations return, most end in ExecuteUmsThread (inplace.S). With a shadow stack it
 * is a real call. The stack pointer is an operand so that the compiler sets up the frame before. */
static inline void plat_call_entry(void *entry, uintptr_t a, void *b, void *c)
{
    register void *third __asm__("r8") = c;
    register uintptr_t sp __asm__("rsp");
    __asm__ volatile("xorl %%r9d, %%r9d\n\t"
                     "rdsspq %%r9\n\t"
                     "testq %%r9, %%r9\n\t"
                     "jnz 2f\n\t"
                     "leaq 1f(%%rip), %%r9\n\t"
                     "pushq %%r9\n\t"
                     "jmp *%%rax\n"
                     "2:\tcallq *%%rax\n"
                     "1:"
                     : "+a"(entry), "+c"(a), "+d"(b), "+r"(third), "+r"(sp)
                     :
                     : "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "mm0",
                       "mm1", "mm2", "mm3", "mm4", "mm5", "mm6", "mm7", "st", "st(1)", "st(2)",
                       "st(3)", "st(4)", "st(5)", "st(6)", "st(7)", "memory", "cc");
}

#endif
