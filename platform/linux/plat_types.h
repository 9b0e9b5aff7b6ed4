/* SPDX-License-Identifier: MIT
 *
 * plat_types.h - the Linux engine's share of a context, and the thread-local block of every thread.
 *
 * Writers
 *   sp                 the owner of the context: the worker while it leaves, the scheduler that
 *                      executes it
 *   runs.carrier, loaded   (schedulers) the carrier that loads the scheduler, before it enters it;
 *                      `loaded` also the first thread that asks for processor time (cpu_time.h)
 *   kernel_at          whoever takes the scheduler from a sleeping worker; the worker, when that is
 *                      over
 *   call               the worker; whoever sees the call through while it is in flight
 *   home               whoever makes the context a worker's or scheduler's
 */
#ifndef UMSSHIM_PLATFORM_LINUX_PLAT_TYPES_H
#define UMSSHIM_PLATFORM_LINUX_PLAT_TYPES_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/socket.h>

#include "platform/linux/os/switch_probes.h"
#include "platform/linux/os/teb.h"
#include "platform/linux/os/lock_order.h"
#include "platform/linux/os/niceness.h"
#include "platform/linux/os/unwinding.h"

struct carrier;
struct fiber;
struct lane;
struct plat_thread;
struct call_row;
struct held_wakes;
struct home;
struct trace_ring;

/* A variable of the library's own, which is addressed directly. */
#define PLAT_OWN __attribute__((visibility("hidden")))
struct settling;

/* Where a worker that left in user mode waits for its call. Opened exactly once, by anyone. */
struct baton {
    _Atomic uint32_t word; /* BATON_*; the opener's exchange publishes the result */
    struct plat_context *worker;
};

/* Memory that fibers' stacks lie in: fiber.h. */
struct fiber_stack {
    void *memory; /* with the guard page; NULL: none */
    size_t bytes;
    unsigned memcheck; /* memcheck's number for it */
};

enum { BATON_SHUT, BATON_WAITED, BATON_POSTED };

/* Calls fire(timer) once at its deadline, on a timer thread, unless cancelled before. */
struct plat_timer {
    struct timer_queue *queue; /* where it was set; NULL: never */
    uint64_t deadline;
    void (*fire)(struct plat_timer *timer);
    struct plat_timer *child, *sibling, *previous; /* pairing heap; previous: parent or left */
    struct plat_timer *later; /* the next of its run; that one's `previous` is this one */
    bool armed;
    bool follows; /* not the first of its run */
};

/* A call that waits for readiness (calls/watch_queue.c): the calls of its file are a queue. */
struct call_watch {
    struct call *before, *behind;
    struct call *last_behind; /* of the one in front: the end of the queue */
    struct call *next_front;  /* of the one in front: the next in the hash chain */
    bool queues;              /* it waits with others of its file */
    bool known;               /* its file is told from others by `file` */
    bool armed;               /* of the one in front: its duplicate is in the epoll set */
    bool nests;               /* what it waits for is an epoll instance */
    uint32_t events;          /* of epoll: what it waits for. 0: nothing that can be watched */
    int given_fd;             /* the program's number */
    int held;                 /* the duplicate that keeps its file; -1: there is none */
    uint16_t turn;            /* a number for each wait; 0: none */
};

/* A wait for a futex's word (calls/futex_table.c). */
struct call_futex {
    _Atomic bool tabled;              /* it is in the table, under its bucket's lock */
    uint32_t born;                    /* the lane's ticks when it was put there, or looked at */
    _Atomic uint32_t in_cancel_queue; /* futex */
    struct call *next_cancelled;      /* in the reactor's queue of those */
};

/* A wait for a signal (CALL_SIGNAL); under signals_lock. */
struct call_for_signal {
    bool waits;   /* undecided */
    bool handed;  /* decided, and left to the timer that fires just now */
    uint64_t set; /* what a sigtimedwait waits for */
};

/* The ring reads these while the call is in flight; `submission` says which request it is. */
struct call_ring {
    struct iovec iov;
    struct msghdr msg;
    uint16_t submission;
};

/* One system call made on a worker's behalf. */
struct call {
    const struct call_row *entry; /* the row of the table; NULL between calls */
    long args[6];
    long result;        /* as the kernel returns it: value or -errno */
    long progress;      /* bytes already moved, for calls that must move all of them */
    uint64_t deadline;  /* PLAT_FOREVER, or when the call gives up by itself */
    bool realtime;      /* the deadline is one of CLOCK_REALTIME */
    uint8_t connection; /* an accept's or connect's: how far it is (call_connection.c) */
    uint8_t how;        /* enum outcome: how it is seen through */
    bool in_flight;     /* it was started and is not over */
    bool interrupted;   /* it was let go: the result is EINTR, or the call is to be made again */
    bool masked;        /* the worker's mask is the call's until it is over (call_mask.c) */
    _Atomic bool cancelled;       /* its worker is to end, or to run a handler: let it go */
    pid_t helper;                 /* under the helpers' lock: the helper that makes it, 0: none */
    struct call *next, *previous; /* in a queue: reactor's inbox, helpers', signal waiters' */
    struct plat_timer timer;
    struct lane *lane;         /* the reactor that started it */
    struct baton *baton;       /* where the worker waits */
    struct settling *settling; /* the caller that waits until it is armed, or NULL */
    struct call_watch watch;
    struct call_futex futex;
    struct call_for_signal signal;
    struct call_ring ring;
    union {
        int64_t timeout[2]; /* of the linked time-out: seconds, nanoseconds */
        uint64_t file[2];   /* while it waits for readiness: device and inode */
    };
};

/* Processor time of others that was used by a context: cpu_time.c. */
struct cpu_account {
    _Atomic uint32_t sequence;   /* odd: the rest is being changed */
    _Atomic pid_t on;            /* the kernel thread whose clock counts now; 0: none */
    _Atomic int sign;            /* -1: against it */
    _Atomic int64_t total, user; /* nanoseconds; less the clock's start while one counts */
};

/* Signals of a worker or scheduler (worker_signals.h); under signals_lock, except `due`. The mask
 * is in its thread-local block. */
struct plat_signals {
    struct plat_context *next, *previous; /* in signals_all, or among a processor's newborn */
    _Atomic bool listed;                  /* it is in one of them; read without the lock, too */
    _Atomic uint8_t newborn; /* 0: not newborn; else its list, plus one (signal_newborn.c) */
    struct queued_signal *first, **end;
    uint64_t pending;    /* what is queued */
    unsigned queued;     /* how many are queued */
    uint64_t start_mask; /* what it blocked before it asked for anything */
    uint64_t saved_mask; /* what comes back after a wait with a mask of its own */
    bool has_saved;
    _Atomic bool barred; /* the worker uses its call: it handles none meanwhile (stop.c) */
    bool at_home;        /* the home's thread runs its handlers, and gets its signals */
    struct plat_context *next_arriving; /* in the list of those whose home is done */
    uint64_t sent_home;                 /* the signals that it has got so */
    uint8_t ran;                /* enum aside_ran: what handlers a worker's call is to know of */
    _Atomic bool due;           /* something is queued that the mask lets through */
    _Atomic bool cancelled;     /* pthread_cancel was called; cancel_front.c */
    _Atomic bool uncancellable; /* the worker has disabled cancellation */
};

/* Milliseconds of plat_now() at some moment not long ago: os/clock.h. On a cache line of its
 * own. */
struct engine_clock {
    _Alignas(64) _Atomic uint32_t ms;
};
extern struct engine_clock engine_clock __attribute__((visibility("hidden")));

/* What the timer thread saw of a scheduler: platform/watch. */
struct plat_watched {
    uint64_t since; /* when it saw this many activations first; 0: never yet */
    uint32_t activations;
    bool told;
};

/* Where a thread sleeps that the filter does not see. */
struct fault_place {
    unsigned long stack, code;
    long call; /* its number; -1: a page fault */
};

/* How a scheduler gets a kernel thread: switch/hosting.c. */
struct scheduler_runs {
    bool hosted;               /* carriers run it; else its own thread does */
    bool real_time;            /* it is under such a policy (switch/give_way.h) */
    bool entered;              /* its first activation was made */
    _Atomic bool asleep;       /* it waits in the kernel, with no worker loaded (fault_watch.c) */
    struct carrier *carrier;   /* the one it is loaded on; NULL: its own thread */
    struct plat_context *next; /* in the queue for a carrier */
    struct plat_context *next_entered; /* in the list of all */
    struct plat_context *worker;       /* on its own thread: the worker loaded; unread */
    cpu_set_t allowed;                 /* the processors it may use */
    struct niceness own;   /* its own thread's, which is the one to change if that carries it */
    int steps;             /* of niceness, for its priority */
    void *enter_sp;        /* its home's frame in plat_scheduler_enter */
    uint32_t last_word;    /* when it leaves: what its home's word will say */
    _Atomic uint32_t hold; /* futex, under signals_lock: switch/hold.h */
    bool was_held;         /* by the thread that carries it: `loaded` is NULL for that alone */
    uint8_t patience;      /* how often a stop meets its entry point before that stands still */
};

/* An open that the worker makes at once, though it may have to wait: traps/open_call.h. */
struct worker_opening {
    _Atomic uint32_t word; /* enum open_state, and a number for each; futex */
    _Atomic uint32_t seen; /* the word, when the timer saw it last */
};

/* A worker that sleeps in a page fault or in a call that is made on its stack: fault.h. */
struct worker_fault {
    _Atomic uint32_t lent;     /* enum page_fault; futex */
    struct fault_place asked;  /* the place of which it is asked to offer itself */
    uintptr_t from;            /* where its lent call is made (lent_call.h); 0: unknown */
    _Atomic uintptr_t unknown; /* an instruction whose page it could not tell; 0 */
    struct fault_place
        seen; /* scheduler: its worker's at the last look (fault_watch.c); code 0: none */
    struct worker_opening opening;
};

/* A file that the worker has opened itself: traps/known_file.h. */
struct known_file {
    int number; /* plus one; 0: none */
    uint64_t name;
};

enum { KNOWN_PAGES = 4 };

/* A worker found these out, and need not ask the kernel again. */
struct worker_known {
    uintptr_t futex_pages[KNOWN_PAGES]; /* pages, plus one, that it may read (futex_table.c) */
    int asked_first; /* plus one, a descriptor written to after a look (call_io.c) */
    unsigned asked_times;
    int streams[4]; /* plus one, descriptors that were no disk files (known_stream.h) */
    unsigned streams_asked;
    int ended; /* plus one, a descriptor of a disk file that was read to the end */
    struct known_file file;
};

struct plat_context {
    /* Worker: the scheduler that executed it last; NULL once it ends. Scheduler: itself. The core
     * writes it. */
    struct plat_context *scheduler;
    void *sp;          /* worker: saved stack pointer; scheduler: where activations start */
    uintptr_t fs_base; /* the thread pointer, constant for life */
    union {
        struct carrier *kernel_at;    /* worker: the one that sleeps with it alone (fault.h) */
        struct plat_context **loaded; /* scheduler: where to write what runs; NULL: count, too */
    };
    bool is_scheduler;
    _Atomic bool stop_due;    /* scheduler: somebody suspends or ends it; a hint, stop.c */
    bool by_fault;            /* scheduler: what blocked_by waits for is a page */
    uint8_t reason;           /* scheduler: why it was last entered, for debuggers */
    union {                   /* for debuggers, by the owner: os/clock.h */
        uint32_t left_at;     /* worker: the clock when it last left its processor, or began */
        uint32_t activations; /* scheduler: how often it was entered */
    };
    struct lane *lane; /* scheduler: where it runs, and its workers' calls are completed */
    struct plat_context *blocked_by; /* scheduler: whose block its next activation reports */
    struct plat_thread *thread;
    struct home *home; /* the thread it was born with (switch/home.h) */
    pid_t tid;         /* of the home thread */
    uint32_t number;   /* that people know the context by; the core writes it */
    void (*after_exit)(struct plat_context *scheduler, void *); /* worker that ends */
    struct scheduler_runs runs;
    struct plat_watched watched; /* scheduler */
    struct worker_fault fault;
    struct worker_known known;
    struct call call; /* worker */
    struct cpu_account cpu;
    struct plat_signals signals;
    struct trace_ring *trace; /* scheduler: where its carrier writes what it does; NULL: nowhere */
};

/* The engine counts a thread by these, and ends it by them: program_threads.c. */
struct thread_counted {
    bool counted;   /* the engine has counted it already, or is not to count it */
    uint8_t at;     /* where */
    uint8_t too;    /* a scheduler's second place, plus one */
    bool auxiliary; /* a pool's: does not keep the process from ending */
    bool detaches;  /* one of ours to end: nobody need join it */
    bool masked;    /* an engine's thread whose signal mask never changes (os/kthread.c) */
};

/* Stacks on which a worker's calls are made. */
struct call_room {
    /* Where its stack pointer is when a rewritten call may use the stack; and where memory is that
     * the answer of a call that waits is written to without asking (os/copy.h). */
    uintptr_t low, high;
    uintptr_t kept;  /* low, while a fork is under way (site_call.h) */
    uintptr_t stack; /* for calls trapped on a full stack (signal_frame.h); 0: none */
};

/* Where ExitThread goes in threads that CreateThread made. */
struct exit_frame {
    void *frame[5];
    bool set;
};

/* The objects that a worker's end destroys (threads/thread_objects.c). */
struct own_objects {
    struct thread_object *first;
    bool go;    /* they are being destroyed */
    bool libcs; /* libc has the next ones */
};

/* Thread-local, and it travels with the thread pointer: in a worker these are the worker's. */
struct plat_tls {
    struct plat_context *current; /* worker or scheduler; NULL plain thread */
    struct plat_thread *thread;   /* the Win32 thread object, made on first need */
    struct plat_teb teb;          /* what programs may read */
    struct fiber *fiber;          /* the one that runs; NULL: the thread is none */
    struct fiber_stack adopted;   /* a fiber's, on which the thread goes on as a thread */
    void *cxx_exceptions;         /* where the C++ run time counts the thread's; NULL: not known */
    pid_t tid;                    /* cached gettid of the home */
    sigset_t sigmask;     /* what the thread believes its signal mask is, while on a carrier */
    struct call *helping; /* on a helper: the call that it makes for real now (helper.c) */
    stack_t altstack;     /* of a worker's or scheduler's, by its sigaltstack (signal_run.c) */
    struct exit_frame exit;
    struct thread_counted counting;
    bool own_affinity; /* worker: the program set its processors */
    bool ending;       /* on its way out: not to be stopped any more */
    bool stop_due;     /* a stop signal came where it may not act (stop.c) */
    bool handle_told;  /* the program has asked for its pthread_t */
    unsigned locks;    /* of ours that the thread holds */
    struct call_room room;
    void *result; /* worker: what pthread_join gives */
#ifdef UMSSHIM_CHECKS
    struct locks_held held; /* which ones */
#endif
    struct held_wakes *held_wakes; /* who is woken later (dispatch/waiters.h); NULL: at once */
    unsigned destructor_rounds;
    struct own_objects objects;
    uint64_t
        spun_at; /* worker: processor's counter at its last try for a lock (winapi/linux/spin.c) */
};

extern __thread struct plat_tls plat_tls
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

void plat_lock_contended(struct plat_lock *lock);
void plat_unlock_contended(struct plat_lock *lock);
/* A thread that is about to sleep fences all others; else each release needs a fence of its own
 * (os/lock.c). */
void locks_prepare(void);
extern _Atomic bool plat_locks_fenced __attribute__((visibility("hidden")));

/* platform/lines: a shared line is written. */
#ifdef UMSSHIM_CHECKS
void plat_written(const void *address);

static inline const void *plat_lane_of(const struct plat_context *scheduler)
{
    return scheduler->lane;
}

/* Where this library begins. */
static inline const char *plat_image(void)
{
    extern const char __ehdr_start[] __attribute__((visibility("hidden")));
    return __ehdr_start;
}
#else
static inline void plat_written(const void *address)
{
    (void)address;
}
#endif

/* The count keeps a thread that holds a lock from being stopped (stop.c). */
static inline void plat_lock_ranked(struct plat_lock *lock, enum lock_rank rank)
{
    uint32_t free = 0;
    plat_written(lock);
    lock_order_check(lock, rank);
    plat_tls.locks++;
    if (__builtin_expect(!atomic_compare_exchange_strong_explicit(
                             &lock->word, &free, 1, memory_order_acquire, memory_order_relaxed),
                         0))
        plat_lock_contended(lock);
    lock_order_took(lock, rank);
}

static inline bool plat_trylock_ranked(struct plat_lock *lock, enum lock_rank rank)
{
    uint32_t free = 0;
    if (!atomic_compare_exchange_strong_explicit(&lock->word, &free, 1, memory_order_acquire,
                                                 memory_order_relaxed))
        return false;
    plat_written(lock);
    plat_tls.locks++;
    lock_order_took(lock, rank);
    return true;
}

static inline void plat_unlock_any(struct plat_lock *lock)
{
    lock_order_gave(lock);
    if (__builtin_expect(atomic_fetch_sub_explicit(&lock->word, LOCK_HELD, memory_order_seq_cst) !=
                             LOCK_HELD,
                         0))
        plat_unlock_contended(lock);
    plat_tls.locks--;
}

static inline void plat_unlock_lasting_any(struct plat_lock *lock)
{
    lock_order_gave(lock);
    atomic_store_explicit(&lock->held, 0, memory_order_release);
    if (__builtin_expect(!atomic_load_explicit(&plat_locks_fenced, memory_order_relaxed), 0))
        atomic_thread_fence(memory_order_seq_cst);
    else
        atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&lock->sleepers, memory_order_relaxed) != 0, 0))
        plat_unlock_contended(lock);
    plat_tls.locks--;
}

/* A lock is a PLAT_LOCK(...), whose type tells its rank. */
#define plat_lock(ranked) plat_lock_ranked(&(ranked)->lock, LOCK_RANK(ranked))
#define plat_trylock(ranked) plat_trylock_ranked(&(ranked)->lock, LOCK_RANK(ranked))
/* The lock's memory may be gone as soon as another thread can take it. A full fence. */
#define plat_unlock(ranked) plat_unlock_any(&(ranked)->lock)
/* For a lock whose memory stays one for good: no locked instruction, and no fence. */
#define plat_unlock_lasting(ranked) plat_unlock_lasting_any(&(ranked)->lock)
#define plat_lock_taken(ranked)                                                                    \
    (atomic_load_explicit(&(ranked)->lock.word, memory_order_relaxed) != 0)
/* In a child after fork, whichever thread had it. */
#define plat_lock_forget(ranked) (*(ranked) = (__typeof__(*(ranked))){0})

/* A lock that one thread takes and another one gives back, to which it is handed in between. */
static inline void plat_lock_left(struct plat_lock *lock)
{
    lock_order_gave(lock);
    plat_tls.locks--;
}
static inline void plat_lock_taken_over(struct plat_lock *lock, enum lock_rank rank)
{
    plat_tls.locks++;
    lock_order_took(lock, rank);
}

/* A lane begins with its processor (switch/lane.h). */
static inline int plat_lane_cpu(const struct lane *lane)
{
    return *(const int *)(const void *)lane;
}

static inline struct plat_context *plat_current(void)
{
    return plat_tls.current;
}

static inline bool plat_left_alone(const struct plat_context *worker)
{
    return plat_tls.current != worker;
}

/* On a worker, past its own function: what the end of a thread does for the program
 * (threads/home_again.c). */
void home_worker_returns(void);

static inline __attribute__((always_inline)) uint32_t plat_call_start(void *start, void *param)
{
    UNWINDING_RUNS(worker_personality);
    uint32_t code = ((uint32_t(*)(void *))start)(param);
    home_worker_returns();
    return code;
}

/* switch.S */
int ctx_leave(void *fn, void *a, void *b, void *sp, uintptr_t fs, void **save);

/* The same where scheduler->loaded is NULL: the scheduler is held (hold.c), or time is counted. */
int plat_leave_slowly(struct plat_context *worker, struct plat_context *scheduler,
                      void (*after)(struct plat_context *, void *), void *arg);
/* The same with the time counted (cpu_time.c). */
int plat_leave_counted(struct plat_context *worker, struct plat_context *scheduler,
                       void (*after)(struct plat_context *, void *), void *arg);
_Noreturn void plat_execute_counted(struct plat_context *scheduler, struct plat_context *worker);

/* Inline, so that a caller that ends in it jumps. Always: to the compiler a probe looks like a page
 * of code. */
static inline __attribute__((always_inline)) int
plat_leave(struct plat_context *worker, struct plat_context *scheduler,
           void (*after)(struct plat_context *, void *), void *arg)
{
    PROBE_LEAVE(worker, scheduler);
    struct plat_context **loaded = __atomic_load_n(&scheduler->loaded, __ATOMIC_RELAXED);
    worker->left_at = atomic_load_explicit(&engine_clock.ms, memory_order_relaxed);
    if (__builtin_expect(loaded == NULL, 0))
        return plat_leave_slowly(worker, scheduler, after, arg);
    *loaded = NULL;
    return ctx_leave((void *)after, scheduler, arg, scheduler->sp, scheduler->fs_base, &worker->sp);
}

_Noreturn void ctx_load(void *sp, uintptr_t fs);

/* Where a scheduler can be stopped without a signal that finds it outside of this library. */
static inline bool plat_stop_due(const struct plat_context *scheduler)
{
    return atomic_load_explicit(&scheduler->stop_due, memory_order_relaxed);
}

/* A worker's thread pointer does not change while it lives. So ExecuteUmsThread may read it before
 * it claims the worker. */
static inline uintptr_t plat_ahead(const struct plat_context *worker)
{
    return *(const volatile uintptr_t *)&worker->fs_base;
}

static inline __attribute__((always_inline)) _Noreturn int
plat_execute(struct plat_context *scheduler, struct plat_context *worker, uintptr_t ahead)
{
    PROBE_EXECUTE(worker, scheduler);
    struct plat_context **loaded = __atomic_load_n(&scheduler->loaded, __ATOMIC_RELAXED);
    if (__builtin_expect(loaded == NULL, 0))
        plat_execute_counted(scheduler, worker);
    *loaded = worker;
    ctx_load(worker->sp, ahead);
}

/* Calls run(scheduler, a, b, c) at the scheduler's stack position, whatever lies there now. `a` is
 * why. */
static inline _Noreturn void plat_restart(struct plat_context *scheduler, void *run, uintptr_t a,
                                          void *b, void *c)
{
    scheduler->activations++;
    scheduler->reason = (uint8_t)a;
    register void *fourth __asm__("rcx") = c;
    __asm__ volatile("mov %[sp], %%rsp\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "push $0\n\t"
                     "jmp *%[run]"
                     :
                     : [sp] "r"(scheduler->sp), [run] "r"(run), "D"(scheduler), "S"(a), "d"(b),
                       "r"(fourth)
                     : "memory");
    __builtin_unreachable();
}

static inline __attribute__((always_inline)) void plat_call_entry(void *entry, uintptr_t a, void *b,
                                                                  void *c)
{
    UNWINDING_RUNS(entry_personality);
    ((void (*)(uintptr_t, void *, void *))entry)(a, b, c);
}

static inline void plat_set_last_error(uint32_t error)
{
    plat_tls.teb.last_error = error;
}

static inline uint32_t plat_last_error(void)
{
    return plat_tls.teb.last_error;
}

#endif
