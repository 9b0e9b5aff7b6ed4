/* SPDX-License-Identifier: MIT
 *
 * platform.h - the seam: what an engine gives the core, and what the core gives an engine.
 *
 * Rules for everything here
 *  - Errors are int: 0, or a positive Win32 error code. Nothing above this line sees errno.
 *  - A context is owned by exactly one party at a time; umsshim/state.h names it. An engine moves a
 *    context only when it owns it, and gives it away only after the context's stack was left.
 *  - Times are absolute nanoseconds of plat_now(); PLAT_FOREVER never comes.
 *  - Functions marked "hot" make no system call, take no lock and allocate nothing.
 *  - Unless a line says otherwise a function may be called by any thread and does not block.
 *
 * The engine's own fields live in struct plat_context (plat_types.h, one per engine), which the
 * core embeds in its contexts and leaves alone but for `scheduler`, its first field, and `number`.
 */
#ifndef UMSSHIM_PLATFORM_PLATFORM_H
#define UMSSHIM_PLATFORM_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "plat_types.h" /* struct plat_context, struct plat_lock, plat_current() */

#define PLAT_FOREVER UINT64_MAX

/* ---- What the core gives the engine -------------------------------------------------------- */

enum plat_nudge {
    NUDGE_NOTHING,   /* the worker is where it should be, or gets there by itself */
    NUDGE_WAITS,     /* the same; the worker is blocked */
    NUDGE_AGAIN,     /* the worker is on its way: ask again */
    NUDGE_SIGNAL,    /* the worker runs and has to be interrupted */
    NUDGE_END,       /* the same, to be ended; not while it may hold a lock of the C library */
    NUDGE_CANCEL,    /* the worker waits, and its wait has to end */
    NUDGE_INTERRUPT, /* the worker waits; worker_signalled says that it has to do something first */
};

/* Counts of a scheduler's workers: those that it executed last, those on its list, and those taken
 * off its list and never executed. `number` and `running` are the numbers that debuggers show. */
struct plat_work {
    unsigned number, running; /* of the scheduler; of the worker that it runs, or 0 */
    unsigned ready, queued, blocked;
};

/* Why a scheduler is entered by the engine. */
enum plat_entry {
    PLAT_ENTRY_FIRST,
    PLAT_ENTRY_CALL,  /* a worker waits in a system call */
    PLAT_ENTRY_FAULT, /* a worker waits for a page */
};

/* What is left to do for a worker that was aside. */
enum plat_aside {
    ASIDE_OVER,    /* nothing: it may run already */
    ASIDE_KILLED,  /* it was ended meanwhile: its thread is to end (plat_worker_kill) */
    ASIDE_AWAITED, /* it was executed meanwhile: core->worker_completed */
};

/* For an engine that holds schedulers: their entry points do not run until it lets them go. */
struct plat_core_held {
    /* What worker_wait has plat_leave call, by which an engine knows a wait. */
    void (*after_wait)(struct plat_context *scheduler, void *arg);
    /* In place of after_wait, where the worker's scheduler may not be entered now: marks the worker
     * blocked and calls left(arg). False: the worker need not wait, and runs. True: when its wait
     * is over it is not queued; it runs, and plat_worker_is_back is called. */
    bool (*keep)(struct plat_context *worker);
    /* Calls handle(worker) on the calling worker, which is about to leave but has not yet. */
    void (*handles)(struct plat_context *worker, void (*handle)(struct plat_context *));
    /* Whether a worker that was kept runs again. */
    bool (*is_back)(struct plat_context *worker);
    /* The scheduler may be entered. True: from now on the worker is queued as ever. False: it runs,
     * or is about to. */
    bool (*let_go)(struct plat_context *worker);
    /* Whether a worker that runs again is to stop first, by stops(scheduler, arg) on the
     * scheduler; arg is the core's context of the worker. */
    bool (*must_stop)(struct plat_context *worker);
    void (*stops)(struct plat_context *scheduler, void *arg);
    /* True: no scheduler runs this ready or queued worker before aside_over. False: it is in
     * another state, or so already. Any thread. */
    bool (*aside)(struct plat_context *worker);
    /* The caller does next what the result says. */
    enum plat_aside (*aside_over)(struct plat_context *worker);
};

struct plat_core {
    /* The scheduler's stack and identity are loaded: run its entry point. Never returns. */
    void (*activate)(struct plat_context *scheduler, enum plat_entry why);
    /* The stack is being unwound through plat_call_entry, by a function that ends the thread. Does
     * not return on a scheduler. Never called where no such function unwinds. */
    void (*entry_unwound)(void);
    /* The worker's first code, on its own stack. Never returns: ends in plat_worker_exit. */
    void (*worker_main)(struct plat_context *worker);
    /* The stack is being unwound through plat_call_start, by a function that ends the thread. Does
     * not return on a worker. */
    void (*worker_unwound)(void);
    /* The worker's thread exists, and plat_worker_teb answers at once. Called before the worker is
     * on any list. */
    void (*worker_born)(struct plat_context *worker);
    /* A new worker is complete and may be handed to the application. */
    void (*worker_ready)(struct plat_context *worker);
    /* The running worker entered a system call that has to wait, or a page fault. Its scheduler is
     * free. The worker stands still until plat_execute. pre: the worker runs. */
    void (*worker_blocked)(struct plat_context *worker);
    /* Takes worker_blocked back, when no activation has been made yet. */
    void (*worker_unblocked)(struct plat_context *worker);
    /* The worker's wait is over: queue it. pre: worker_blocked came before. */
    void (*worker_completed)(struct plat_context *worker);
    /* The calling worker waits in user mode. It leaves its stack and is marked blocked; then
     * left(arg) is called on the scheduler. From there on worker_completed may come. `left` must
     * not block. If it returns false the worker goes on at once. Returns nonzero, when the worker
     * was executed again. */
    int (*worker_wait)(struct plat_context *worker, bool (*left)(void *arg), void *arg);
    /* Tells the engine how to reach a worker that is to be suspended or ended. Does the steps
     * itself that need no engine. Any thread. */
    enum plat_nudge (*worker_nudge)(struct plat_context *worker);
    /* Says what worker_nudge would leave to the engine now, and does nothing. For a thread that has
     * stopped the worker's thread to look at it. */
    enum plat_nudge (*worker_due)(struct plat_context *worker);
    /* due: the worker has something to do before it goes on, so plat_worker_signalled is called
     * before it is executed. Not due: it no longer has. worker_nudge tells the engine how to reach
     * it meanwhile. */
    void (*worker_signalled)(struct plat_context *worker, bool due);
    /* Suspends or ends the calling worker, which was interrupted at a place where it may be
     * switched away. Returns when it was resumed and executed again. Never returns if it is to
     * end. */
    void (*worker_stop)(struct plat_context *worker);
    /* The scheduler of the calling worker is to end: the worker leaves it and is queued. The worker
     * was interrupted as for worker_stop. */
    void (*worker_detach)(struct plat_context *worker);
    /* The worker's thread has run its destructors, if it had any, and is about to vanish or to be
     * another worker's. */
    void (*worker_gone)(struct plat_context *worker);
    /* In a child after fork. Only the calling thread is left; locks may be held by threads that are
     * not there. */
    void (*forked)(void);
    /* Counts the scheduler's workers by state at this moment, for a report to people. */
    void (*work_of)(struct plat_context *scheduler, struct plat_work *work);
    struct plat_core_held held;
};

/* ---- Life of the engine --------------------------------------------------------------------- */

/* Brings up what creating contexts, lists and plain threads needs. Idempotent, cheap when done.
 * Returns 0, or ERROR_NOT_SUPPORTED (50) when UMS is switched off or cannot work here at all. */
int plat_init(const struct plat_core *core);

/* Whether the environment has the variable, and its value is this one character. */
bool plat_switch(const char *name, char value);

/* ---- Workers -------------------------------------------------------------------------------- */

/* Gives the worker a home thread, which parks. The home or the caller builds the worker's context
 * and calls core->worker_ready, before this function returns or later. `thread` is the engine's
 * thread object, already made by the caller. Returns 0, or 8 (out of memory). May block while a
 * kernel thread is made. */
int plat_worker_create(struct plat_context *worker, size_t stack_bytes, struct plat_thread *thread);

/* The address that stands for the worker's TEB, NULL if the system does not tell. On Windows it
 * waits for a thread that has not begun: for TEB_LIMIT_MS at most, 30 seconds (os/ntapi.c). pre:
 * plat_worker_create succeeded. */
void *plat_worker_teb(const struct plat_context *worker);

/* Leaves the worker's stack for its scheduler's and calls after(scheduler, arg) there, with the
 * scheduler's identity; `after` never returns. plat_leave returns nonzero, when the worker is
 * executed again. Each step that lets other threads have the worker belongs into `after`. Hot. pre:
 * the worker calls, and runs on this scheduler. */
static int plat_leave(struct plat_context *worker, struct plat_context *scheduler,
                      void (*after)(struct plat_context *scheduler, void *arg), void *arg);

/* Runs a worker that the caller has just claimed. Never returns; the scheduler's frames are gone.
 * Hot, except for a worker that waits in the kernel. pre: caller is this scheduler.
 * `ahead` comes from plat_ahead, which reads only what never changes. The caller calls it before it
 * claims the worker: the claim's barrier would hold the read up. plat_execute has a result only so
 * that a caller may end in a jump to it. */
static uintptr_t plat_ahead(const struct plat_context *worker);
static int plat_execute(struct plat_context *scheduler, struct plat_context *worker,
                        uintptr_t ahead);

/* The caller has claimed the worker and is about to execute it, and core->worker_signalled was
 * called for it. Prepares the worker to do that work first. An engine that never calls
 * core->worker_signalled does nothing here. */
void plat_worker_signalled(struct plat_context *worker);

/* The calling scheduler has claimed the worker, which follows it, and executes it next. Does not
 * return where the engine had something to do before and has executed the worker so. */
void plat_executes(struct plat_context *scheduler, struct plat_context *worker);

/* The worker that this scheduler keeps runs again (core->held.keep). Any thread. */
void plat_worker_is_back(struct plat_context *scheduler);

/* Ends the calling worker: the scheduler is entered through `after`. The home thread runs the
 * thread's destructors, and then calls core->worker_gone. If the worker leaves nothing to destroy,
 * the scheduler may call core->worker_gone itself, before `after`. Never returns. */
_Noreturn void plat_worker_exit(struct plat_context *worker, struct plat_context *scheduler,
                                void (*after)(struct plat_context *scheduler, void *arg));

/* The exit code of a worker's thread, for threads that wait for it. */
void plat_set_exit_code(struct plat_context *worker, uint32_t code);

/* The calling thread was this context's in the process that forked this one. Here it is a plain
 * thread, and no scheduler waits for it to leave. Never where the system has no fork. */
static bool plat_left_alone(const struct plat_context *self);

/* start(param), the worker's own function. pre: in core->worker_main. */
static uint32_t plat_call_start(void *start, void *param);

/* Ends a worker that does not run and that the caller has claimed: its thread runs its destructors
 * and ends. */
void plat_worker_kill(struct plat_context *worker);

/* ---- Schedulers ----------------------------------------------------------------------------- */

/* Turns the calling thread into a scheduler and calls core->activate(scheduler, PLAT_ENTRY_FIRST).
 * Returns when plat_scheduler_leave was called: 0, or PLAT_EXIT_THREAD when the thread is to end
 * (by the caller, with plat_thread_exit). Or an error before anything happened: 50, 8. */
enum { PLAT_EXIT_THREAD = -1 };
int plat_scheduler_enter(struct plat_context *scheduler);

/* Ends the calling plain thread with the exit code in its object. */
_Noreturn void plat_thread_exit(void);

/* Whether another thread wants the calling scheduler to stop or to end, or the scheduler stands
 * where it cannot execute. Always false where the system itself stops threads anywhere. Hot. */
static bool plat_stop_due(const struct plat_context *scheduler);
/* Does what is due: the scheduler stops or ends here, or the result is an error. 0: go on. Not hot.
 * pre: the scheduler has claimed no worker and holds no lock. */
int plat_stop_point(struct plat_context *scheduler);

/* Starts an activation: calls run(scheduler, a, b, c) at the scheduler's one stack position. `run`
 * does not return. Hot. pre: the scheduler calls, and none of its frames is needed any more. */
static _Noreturn void plat_restart(struct plat_context *scheduler, void *run, uintptr_t a, void *b,
                                   void *c);

/* Calls entry(a, b, c), which may return. Hot. pre: called by the function that plat_restart has
 * started. */
static void plat_call_entry(void *entry, uintptr_t a, void *b, void *c);

/* Ends scheduling: plat_scheduler_enter returns on the thread that called it, with PLAT_EXIT_THREAD
 * if exit_thread is set. Never returns. pre: caller is this scheduler. */
_Noreturn void plat_scheduler_leave(struct plat_context *scheduler, bool exit_thread);

/* ---- The calling thread ---------------------------------------------------------------------- */

/* struct plat_context *plat_current(void): the calling worker's or scheduler's context, NULL for a
 * plain thread. Hot. Never keep a TLS address across plat_leave.
 * void plat_set_last_error(uint32_t), uint32_t plat_last_error(void): the thread's Win32 last
 * error. Hot. */

/* ---- Events of completion lists -------------------------------------------------------------- */

/* An auto-reset event. Waiting blocks the caller as any wait of that kind of thread does. */
struct plat_event;
/* Makes an event that is not signalled. Returns 0 or 8. *life tells this event from those that lie
 * in the same memory before and after it. */
int plat_event_create(struct plat_event **event, uint64_t *life);
void plat_event_release(struct plat_event *event); /* handles keep it alive */
/* Wakes one waiter at most. Ordered after the caller's last atomic read-modify-write. The caller
 * need not hold the event. An event's memory is never anything but an event, and the function does
 * nothing if `life` is over. */
void plat_event_set(struct plat_event *event, uint64_t life);
bool plat_event_wait(struct plat_event *event, uint64_t deadline); /* false: deadline passed */
int plat_event_handle(struct plat_event *event, void **handle);    /* a new handle; 0 or 8 */

/* The context of a handle's thread, NULL for a plain thread. Returns 0, or 6 (no thread's
 * handle). */
int plat_thread_context(void *handle, struct plat_context **context);

/* ---- Small things ---------------------------------------------------------------------------- */

uint64_t plat_now(void); /* monotonic nanoseconds */
/* The caller's processor, or about that: for data that each processor should have of its own. */
unsigned plat_processor(void);

/* PLAT_LOCK(rank) is the type of a lock for short sections of the library. A contended lock sleeps.
 * It never takes a lock of libc, and no context is switched while it is held. A lock of zero bytes
 * is free. Its rank is its place in the order of all locks, which the Linux engine checks
 * (os/lock_ranks.h). Functions or macros, of a lock's address:
 *     plat_lock(lock), plat_unlock(lock)    hot when free
 *     plat_lock_taken(lock)                 whether any thread has it, at that moment
 *     plat_lock_forget(lock)                in a child after fork: frees it, whoever had it */

/* Reserves address space for a type-stable arena, never given back. NULL: none. */
void *plat_reserve(size_t bytes);
/* Makes the next part of that space usable. It reads as zeroes. False: no memory. */
bool plat_commit(void *start, size_t bytes);

/* plat_log writes a line on stderr; plat_fatal does so and ends the process. No heap, no stdio. */
void plat_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void plat_fatal(const char *file, int line, const char *what, uintptr_t a, uintptr_t b);

#endif
