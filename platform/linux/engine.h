/* SPDX-License-Identifier: MIT
 *
 * engine.h - the private types of the Linux engine, who owns what, and the lock order.
 *
 * Kernel threads
 *   home        one per worker: owns its stack, TCB and thread id; parked while the worker lives
 *   carrier     filtered; lends its processor to whatever context is loaded on it
 *   nursery     filtered; clones carriers, one per lane
 *   reactor     one per lane: receives the notifications, starts the calls, owns the ring
 *   timer       one per lane and one more: fires what is due
 *   service (thread creation), signal thread, handler thread, helpers: one of each, as many as are needed
 * A lane is a processor's set of them. Everything but homes and carriers is born and stays outside
 * the filter; everything has asynchronous signals blocked.
 *
 * From a block to the entry point (blocked worker W, scheduler S, carriers A and C, reactor R)
 *   1. A makes the call with W loaded; the filter turns it into a notification; A stands still.
 *   2. R receives it and tries the call. Done at once: R answers, A goes on, nobody noticed.
 *   3. Else R marks W blocked (core->worker_blocked), leaves the call with the ring, a timer or a
 *      helper, and hands S to an idle carrier C: writes C->assigned, then C->word (release), wakes.
 *   4. C loads S's stack and thread pointer: core->activate(S, true).
 *   5. The call completes: its result is stored, core->worker_completed(W) queues W (release).
 *   6. plat_execute(S', W) by any scheduler S' on carrier D: A->scheduler = S', S'->carrier = A;
 *      D goes to its own stack, answers the notification, is idle. A wakes up as S''s carrier.
 *   A is W's from 1 to 6; nobody else may touch A->context, A->scheduler meanwhile.
 *
 * Lock order: a lane's three locks, carrier->lock, the dispatcher's (an order of their own: waiters.h),
 * timers, helpers, service are leaves: none is taken with another held, except signals_lock around timers
 * and the dispatcher's; carrier->lock around the answering ioctl; the dispatcher's and the pool's around
 * timers; a pool_wait's own around the dispatcher's and the pool's; a thread's binding around all of these.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_ENGINE_H
#define UMSSHIM_PLATFORM_LINUX_ENGINE_H

#include <liburing.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "platform/platform.h"
#include "platform/check.h"

struct carrier {
    struct plat_context *context;   /* the worker loaded, NULL: the scheduler */
    _Atomic uint32_t word; /* futex of an idle carrier: 1 when assigned was written */
    struct plat_context *assigned;  /* the scheduler to load */
    struct plat_context *scheduler; /* whose processor this is, NULL: idle */
    struct plat_context *answer;    /* the worker whose call to answer once on our own stack */
    struct carrier *next_idle;
    struct lane *lane;
    uintptr_t fs_base;
    void *base_sp; /* where the idle loop starts over */
    pid_t tid;
    bool seen; /* counted among the lane's carriers */
    struct plat_lock lock; /* the notification's id against its restart */
    struct call *standing; /* under the lock: the call whose notification waits for its worker's turn */
    _Atomic bool signal_due; /* raised under the lock, with the signal sent; lowered by its handler */
    cpu_set_t affinity;    /* what this kernel thread has */
};

enum { MAX_YOUNG = 4 };
enum reactor_go { REACTOR_RUNS = 1, REACTOR_ENDS };

struct lane {
    int cpu;
    int listener;
    int wake_fd;             /* eventfd: something is in the inbox */
    int epoll;               /* the poller's set */
    struct plat_lock watched_lock;
    struct call *watched;    /* calls whose readiness the poller waits for */
    struct plat_lock young_lock;
    struct call *young[MAX_YOUNG]; /* just blocked, not armed yet (poller.c); oldest first */
    unsigned young_count;
    unsigned fruitless;      /* times in a row that the young were asked and none had anything */
    bool ticking;            /* the tick is set */
    bool born_since_tick;    /* somebody was put among the young since the last */
    struct plat_timer tick;
    uint64_t wake_count;     /* where the ring reads wake_fd to */
    struct io_uring ring;
    bool have_ring;
    _Atomic(struct call *) inbox; /* calls of workers that left in user mode */
    _Atomic(struct call *) cancelled; /* calls to let go */
    int cancel_fd;               /* eventfd in the poller's set: look for cancelled calls */
    pthread_t reactor, poller, nursery;
    struct plat_lock lock;       /* the fields below */
    struct carrier *idle;        /* last in, first out: the warm ones */
    unsigned idle_count;
    unsigned coming;             /* carriers created that have not shown themselves yet */
    struct plat_context *starving, **starving_end; /* schedulers that wait for a carrier */
    unsigned starving_count;
    unsigned schedulers;         /* that live here */
    unsigned carriers;           /* that there are */
    bool exhausted;              /* the last one that was wanted could not be created */
    _Atomic uint32_t nursery_word; /* futex: 1 when carriers run low */
    _Atomic int ready;           /* nursery: 0 starting, 1 up, -errno */
    _Atomic int stocked;         /* nursery: 0 not yet, 1 there are carriers, -errno: there is none */
    bool hosts;                  /* it has a listener and carriers */
    _Atomic uint32_t reactor_go; /* futex: 0, or an enum reactor_go */
    _Atomic uint32_t reactor_up; /* futex */
    bool guarded;                /* a guardian process keeps the listener */
};

/* What this machine and this process allow; probed once, printed with UMSSHIM_LOG=caps. */
struct engine_caps {
    bool detect;   /* blocking system calls are seen */
    bool killable; /* a received notification is not disturbed by signals */
    bool ring;     /* io_uring may be used */
    bool ring_futex;
    bool front;    /* libc wrappers try in user mode first */
    bool sticky;   /* carriers keep to their lane's processor */
    bool sync_wakeup; /* a listener wakes up on its waker's processor */
    bool caught;   /* this process was forked from inside the filter */
};

extern const struct plat_core *engine_core;
extern struct engine_caps engine_caps;
extern unsigned char ctx_have_fsgsbase; /* read by switch.S */

/* Where this library's code lies: the linker's names. */
extern const char library_start[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern const char library_end[] __asm__("etext") __attribute__((visibility("hidden")));
static inline bool library_holds(const void *code)
{
    return (const char *)code >= library_start && (const char *)code < library_end;
}

/* switch.S */
_Noreturn void ctx_jump(void *fn, void *a, void *b, void *sp, uintptr_t fs);
void ctx_first(void);
void ctx_detour(void);

static inline uintptr_t thread_pointer(void)
{
    return (uintptr_t)__builtin_thread_pointer();
}

/* Another thread's thread-local block of ours: at the same distance from every control block. */
static inline struct plat_tls *tls_at(uintptr_t control_block)
{
    return (struct plat_tls *)(control_block + ((uintptr_t)&plat_tls - thread_pointer()));
}

/* A stack position `gap` bytes below the caller's frame, for a context that shares its stack with a
 * parked kernel thread. */
#define SHARED_STACK_GAP 8192
static inline void *stack_below(void *frame, size_t gap)
{
    return (void *)(((uintptr_t)frame - gap) & ~(uintptr_t)63);
}

/* filter.c: installs the filter on the calling thread; the listener, or -errno. */
int filter_install(void);

/* notify.c: the listener's ioctls; 0 or -errno. */
struct notification {
    uint64_t id;
    uint32_t tid;
    int nr;
    long args[6];
};
int notify_receive(int listener, struct notification *n);
int notify_answer(int listener, uint64_t id, long result);
int notify_continue(int listener, uint64_t id);
bool notify_valid(int listener, uint64_t id); /* somebody stands in it */
int notify_sync_wakeup(int listener);

/* lane.c */
struct lane *lane_for(const cpu_set_t *allowed); /* NULL: nothing is seen here */
bool lane_hosts(struct lane *lane); /* else the scheduler stays on its own thread */
void lane_leave(struct lane *lane);
void lane_host(struct lane *lane, struct plat_context *scheduler);
/* The same in two steps, for one who has something to do in between. */
struct carrier *lane_reserve(struct lane *lane, struct plat_context *scheduler);
void lane_assign(struct lane *lane, struct carrier *carrier, struct plat_context *scheduler);
bool lane_unhost(struct lane *lane, struct plat_context *scheduler, struct plat_context *worker);
void lanes_forget(void);
void lane_bind(const struct lane *lane); /* keeps the calling engine thread on its processor */

/* carrier.c */
void *carrier_main(void *lane);
_Noreturn void carrier_idle(struct carrier *carrier, void *unused);
_Noreturn void carrier_answer(struct carrier *carrier, void *unused);
void call_answer(struct call *call, struct carrier *waiting);
/* Under the carrier's lock: answers the notification that it stands in. */
void call_deliver(struct call *call, struct carrier *waiting);
/* Under the carrier's lock: a signal of ours withdraws the notification that it stands in, now. */
static inline bool call_comes_again(const struct carrier *carrier)
{
    return !engine_caps.killable && atomic_load_explicit(&carrier->signal_due, memory_order_acquire);
}
void call_send_off(struct call *call, struct carrier *waiting, int signal);
/* On the carrier of a doomed worker, on that worker's stack: leaves it to its home. */
_Noreturn void carrier_bury(struct plat_context *worker);

void scheduler_affinity(struct plat_context *scheduler, const cpu_set_t *allowed);

/* errand.c: parks the calling home thread, which makes its context's calls meanwhile, until it is told
 * otherwise: HOME_RETURN or HOME_EXIT. */
uint32_t home_park(struct plat_context *context);

/* call_identity.c: gives the calling kernel thread what a context's home has. */
void inherit_from(pid_t home, bool affinity, bool scheduling);

/* tid_map.c: kernel thread ids to carriers, and to contexts whose home they are. */
int tid_map_carrier(pid_t tid, struct carrier *carrier);
int tid_map_home(pid_t tid, struct plat_context *context);
void tid_map_forget(void);
struct carrier *tid_carrier(pid_t tid);
struct plat_context *tid_home(pid_t tid);

/* reactor.c */
void *reactor_main(void *lane);
void reactor_post(struct lane *lane, struct call *call, int how); /* of a worker in user mode */
void call_begin(struct call *call, struct lane *lane, const struct trapped_call *entry);
/* The call is over: stores the result and queues its worker. Any thread. */
void call_complete(struct call *call, long result);

/* poller.c: takes a call that waits for readiness; false: it cannot. */
bool poller_watch(struct lane *lane, struct call *call);
void poller_retry_young(struct lane *lane);
void poller_arm_young(struct lane *lane);
void poller_init(struct lane *lane);
void *poller_main(void *lane);
void poller_forget(struct lane *lane);

/* cancel.c: the call's worker is to end, or to run a handler: has the call completed soon, if anything
 * can. Asked again until it is over. Any thread. */
void call_cancel(struct call *call);
void call_forget(struct call *call); /* waits until nobody looks at it */
void reactor_cancel(struct lane *lane, struct call *call);
bool poller_cancel(struct lane *lane, struct call *call);
bool helper_cancel(struct call *call); /* true: nobody had begun with it, it is the caller's */

extern int stop_signal; /* stop.c */

/* credentials.c: setuid and its kin. Lets a standing carrier that has a signal due out of its
 * notification; the kernel makes the call again after the handler. pre: carrier->lock is held. */
void carrier_release(struct carrier *carrier);
/* The system call, in every thread of the process; -1 and errno when it is refused. */
int credentials_change(long nr, long a, long b, long c);
void credentials_forget(void);

/* helper.c: makes the call for real on another kernel thread. */
void helper_submit(struct call *call);
void helpers_forget(void);

/* timer.c */
int timer_start(void);
void timer_start_in(struct lane *lane); /* a queue of the lane's own, if there can be a thread for it */
void timer_add(struct plat_timer *timer); /* in the queue of the caller's lane */
void timer_add_in(struct lane *lane, struct plat_timer *timer);
bool timer_cancel(struct plat_timer *timer); /* false: it fires or has fired */

/* service.c: the thread that takes signals and creates threads for those inside the filter. */
int service_start(void);
void service_run(void (*fn)(void *), void *arg); /* on the service thread; waits */
/* Runs fn on the service thread, soon; again while it says false. Neither blocks nor allocates. */
enum poker { POKE_POOL, POKE_HANDLERS, POKE_PROGRAM_END, POKERS };
void service_poke(enum poker who, bool (*fn)(void));

/* Whether the caller is a scheduler on a carrier, or a worker that has not ended. */
static inline bool carried(void)
{
    struct plat_context *self = plat_tls.current;
    return __builtin_expect(self != NULL, 0) &&
           (self->is_scheduler ? self->carrier != NULL : engine_core->scheduler_of(self) != NULL);
}

/* handler_thread.c: 0 or errno. */
int handler_thread_start(void);
/* Has the kernel act on a signal there: handler or default action. Neither blocks nor allocates. */
void handler_thread_signal(const siginfo_t *info);
void handler_thread_forget(void);

/* kthread.c: threads of our own, signals blocked. 0 or errno. */
int libc_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                        void *arg); /* identity_front.c: libc's own */
/* stack_bytes: what the thread has for itself; what libc takes out of a stack is added to it. */
int kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main)(void *), void *arg);
/* The same for a thread of the program's: others may join it, or it detach itself, while it lives. It
 * detaches itself as its last act (thread.c), which changes nothing for one who is joining it. */
int program_kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main)(void *), void *arg);
/* bare_thread.c: the same without libc, for what workers may depend on to go on; runs the library's own code
 * only, with its creator's signal mask. 0 or errno. */
int bare_thread_create(size_t stack_bytes, void *(*main)(void *), void *arg);
void bare_thread_init(void); /* once, on a thread of libc's */
void bare_threads_forget(void);
const char *kthread_failure(int error); /* why there was none, and what to do, for a line on stderr */
size_t static_tls_bytes(void); /* static_tls.c: what libc takes out of each stack */
void signals_block(sigset_t *old);   /* all but those a fault raises */
void signals_restore(const sigset_t *old);
uint64_t signals_of_engine(void); /* what signals_block sets, as the kernel's word */
unsigned processors_at_start(void);  /* that the program may use */
void affinity_reset(void); /* of the calling thread, to what the program was started with */
void affinity_set_first(const cpu_set_t *set); /* what that is from now on */
void rseq_find(void); /* once, on a plain thread; says so in one line if it cannot be had */
void rseq_leave(void);
void rseq_join(void);
int fd_move_high(int fd); /* out of the program's way */

/* guardian.c: keeps the listener for children that outlive us. */
void guardian_ensure(struct lane *lane);

/* probe.c: the threads that workers need; before the first scheduler runs. 0 or 8. */
int engine_start(void);
void caps_found(const struct lane *lane); /* for UMSSHIM_LOG=caps: once, with the first lane */
bool engine_runs(void); /* it has threads, or had when the last of them was asked for */
void engine_forget(bool inside_filter);

static inline struct plat_context *call_worker(struct call *call)
{
    return (struct plat_context *)((char *)call - offsetof(struct plat_context, call));
}

#endif
