/* SPDX-License-Identifier: MIT
 *
 * plat_types.h - the Windows engine's share of a context, and the hot half of the seam.
 *
 * Two ways of switching. Pinned: whoever leaves gives the other side's thread its word and waits
 * for its own, so executing and yielding switch between two threads (thread_switch.h, leave.c). In
 * place: the scheduler's thread leaves its stack for the worker's and comes back (inplace.c). Which
 * one it is shows in the worker: host says that a scheduler's thread carries it, saved_sp that it
 * may be carried by any.
 *
 * Writers
 *   word               its own thread empties it before it gives control away; the other side fills
 *   after, arg         (schedulers) the worker that leaves, before it leaves
 *   sp                 (schedulers) their own thread, once
 *   inside             the thread that carries it: what it does is the engine's, or hidden from the
 *                      scheduler
 *   saved_sp, values   the thread that carries it, when it leaves the worker's stack
 *   host, carrier_id   the scheduler's thread, around an exchange; read by anyone (interrupt.c
 *                      looks again when that thread stands still)
 *   left_teb           the worker, around a call from which it leaves
 *   pinned             anyone; looked at when the worker is executed, and when it leaves
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

#define PLAT_OWN /* nothing to say: what is not exported is the library's own */

struct plat_lock {
    _Atomic uint32_t word; /* 0 free, 1 held */
};
#define PLAT_LOCK(rank) struct plat_lock /* the order is the Linux engine's (lock_ranks.h) */
#define plat_lock_taken(lock) (atomic_load_explicit(&(lock)->word, memory_order_relaxed) != 0)
#define plat_lock_forget(lock) (*(lock) = (struct plat_lock){0})

/* A worker's wait in user mode: user_wait.h. */
struct user_wait {
    _Atomic uint32_t alert;    /* enum alert_word, alert.h */
    _Atomic uint8_t how;       /* enum wait_how; the thread that may change it owns the rest */
    bool absolute;             /* the deadline is one of the system's clock, which may be set */
    bool again;                /* the block was taken back: look again */
    uint8_t kind;              /* enum handle_kind, of the object */
    int32_t status;            /* of the call */
    uint32_t seen;             /* its record's count when it was looked at */
    _Atomic uint32_t tick;     /* DIRECT: when it registered, direct_ages.h */
    _Atomic uint32_t roll;     /* its place on the roll there, 0: none */
    uint32_t place;            /* among the deadlines, 0: it has none */
    uint64_t deadline;         /* of plat_now() */
    uint64_t clock_time;       /* absolute: in the system's clock */
    void *handle;              /* of the object; once it is to be armed, one of our own */
    struct handle_info *info;  /* DIRECT: of the object */
    struct arm *arm;           /* ARMED: the pool's wait */
    struct plat_context *next; /* on its record, or to be armed */
};

/* What the watcher saw of a scheduler: platform/watch. */
struct plat_watched {
    uint64_t since; /* when it saw this many activations first; 0: never yet */
    uint32_t activations;
    bool told;
};

/* Why a worker, or each one that a scheduler executes, stays on its own thread in in-place mode:
 * bits. */
enum pinned {
    PINNED_TOKEN = 1,  /* it acts as somebody else, token_pin.h */
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
    bool ending;          /* worker: its scheduler has been told; the rest is the system's */
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
    struct plat_context *host; /* worker that is hosted: by whose thread */
    _Atomic(void *) teb;       /* worker: of its own thread, which writes it; NULL until it runs */
    uint32_t carrier_id;       /* the thread that it runs on when it runs */
    _Atomic uint8_t pinned; /* enum pinned; not 0: runs, or its workers run, on their own threads */
    bool exchanging;        /* scheduler: its thread's TEB is being exchanged, teb_fence.h */
    uint8_t interrupt;      /* worker: enum interrupt, which it is on its way to */
    bool deep;              /* worker: it has left from within many calls, inplace.S */
    void *left_teb; /* worker: the TEB that it left from within a call, teb_follow.c; or NULL */
    struct teb_values values;
    void *home_sp;                             /* worker: where its own thread waits */
    struct plat_context *to;                   /* worker that leaves its home: its scheduler */
    void (*then)(struct plat_context *worker); /* and what its thread does next */
    uint64_t interrupted_at; /* worker that is interrupted, interrupt.c: where it was */
    void *interrupted, *interrupted_state; /* and all its registers */

    void *event;        /* worker: to wait on where alerts must not be used up; made on need */
    void *frozen;       /* worker: the handle that resumes its thread, stop.c */
    uint32_t thread_id; /* of its own thread */
    uint32_t number;    /* that people know the context by; the core writes it */
    uint16_t spins;     /* its own thread: how long waiting for its word may spin */
    uint16_t waits;
    uint32_t saved_error; /* worker in a call: the last error it came with */
    bool by_event;        /* worker in a call: where it parks after it */
    /* A worker's call that its scheduler watches: short_calls.h. */
    _Atomic uint32_t call;
    struct plat_lock call_lock;
    _Atomic uint64_t call_began;    /* 0: its thread is not there yet */
    uint64_t call_patience;         /* ns */
    struct file_habit *call_habit;  /* of the handle: file_habits.h */
    _Atomic uint64_t watches_until; /* scheduler: its time-out */
    struct plat_context *guest;     /* scheduler: whom it executed last */
    void *held;        /* scheduler that is suspended: the thread that resumes with it */
    uint32_t end_code; /* scheduler that another thread ends */
    bool ended_by_other;
    struct plat_context *next; /* in thread_map.c's chains */
    _Atomic uint32_t holders;  /* who has found it there and acts on it */
    struct user_wait wait;
    /* Worker that has left, or is leaving, for a call: for people (call_notes.h). */
    const char *in_call; /* its name; NULL: for none */
    uintptr_t call_about;
    uint32_t left_at;            /* GetTickCount */
    struct plat_watched watched; /* scheduler */
    struct trace_ring *trace; /* scheduler: where its thread writes what it does; NULL: nowhere */
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

/* Which of the thread's slots holds its context. Slots of the first 64 lie in the TEB (winternl.h
 * documents TlsSlots), the others behind a pointer that is NULL until one of them is used. */
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

/* The thread's Win32 last error; the field is where it has been since the first 64-bit Windows. */
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

/* platform/lines: a shared line is written. */
#ifdef UMSSHIM_CHECKS
void plat_written(const void *address);

/* There are no lanes: nothing belongs to a processor. */
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

/* base.c: until it has the lock. */
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
    plat_count_lock(self); /* before it has it: it must not be stopped with it */
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

/* Windows suspends and ends kernel threads wherever they are. */
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

/* Nothing to know ahead: a switch reads nothing of the worker's. */
static inline uintptr_t plat_ahead(const struct plat_context *worker)
{
    (void)worker;
    return 0;
}

/* The calling thread has a token, as the kernel has noted in its TEB. */
static inline bool plat_impersonates(void)
{
    uint32_t noted;
    __asm__ volatile("movl %%gs:%c1, %0" : "=r"(noted) : "i"(TEB_IMPERSONATES));
    return noted != 0;
}

/* A scheduler that acts as somebody else does not lend that to its workers: they run on their own
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

/* Calls run(scheduler, a, b, c) at the scheduler's stack position, whatever lies there now. */
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

/* A call by a push and a jump, to be the same on the stack, and no entry among those by which the
 * processor predicts returns: few activations return, most end in ExecuteUmsThread (inplace.S).
 * With a shadow stack it is a call. The stack pointer is an operand, or there might be no frame
 * yet. */
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
