/* SPDX-License-Identifier: MIT
 *
 * thread.h - threads as objects: plain ones, workers, schedulers.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREAD_H
#define UMSSHIM_PLATFORM_LINUX_THREAD_H

#include "platform/linux/object.h"

struct apc;

struct plat_thread {
    struct object object;
    /* While it is a worker or a scheduler. Changed under `binding`, which whoever acts on the context
     * from outside holds meanwhile; it is taken before any other lock. */
    struct plat_context *context;
    struct plat_lock binding;
    pid_t tid;
    uint32_t exit_code;
    bool ending;                 /* plain thread or scheduler: it is to end at its next stop */
    bool ended;
    _Atomic uint32_t stop;       /* the same: suspend count; futex */
    _Atomic bool stopped;        /* it stands still, or waits and will look at `stop` when it is done */
    struct plat_timer nudge;     /* stop.c */
    bool nudging;
    int priority;                /* advisory */
    uint32_t ideal_processor;    /* advisory */
    int64_t born_at, ended_at;   /* nanoseconds of CLOCK_REALTIME */
    uint64_t carried_total, carried_user; /* processor time as a scheduler, once it has left */
    uint64_t cpu_total, cpu_user; /* once it has ended */
    bool cpu_known;               /* the same: it was counted to the end */
    uint16_t *description;       /* UTF-16, malloc'ed; under the dispatcher lock */
    sigset_t sigmask;            /* what the thread starts with */
    uint32_t (*start)(void *);
    void *param;

    /* Under the dispatcher lock. */
    struct wait *wait;           /* what it waits for, while undecided */
    struct wait *armed;          /* whose timer may still fire */
    struct mutex *owned;
    struct apc *first_apc, *last_apc;
};

/* A thread object that is not bound to a kernel thread yet; its exit code is STILL_ACTIVE. */
struct plat_thread *thread_create_object(void);
/* The calling thread's, made on first need. NULL: no memory. */
__attribute__((noinline)) struct plat_thread *thread_make_current(void);
static inline struct plat_thread *thread_current(void)
{
    struct plat_thread *thread = plat_tls.thread;
    return UMS_LIKELY(thread != NULL) ? thread : thread_make_current();
}
pid_t thread_current_id(void);
/* A plain thread that runs thread->start(thread->param), once its suspend count is 0. Returns when it
 * exists and thread->tid is set. 0 or 8. */
int thread_start(struct plat_thread *thread, size_t stack_bytes, bool suspended);
bool thread_has_ended(struct plat_thread *thread);
/* 0 or -errno. A scheduler's mask goes where it is carried. */
int thread_get_affinity(struct plat_thread *thread, cpu_set_t *mask);
int thread_set_affinity(struct plat_thread *thread, const cpu_set_t *mask);
/* On the thread itself, first and last thing. */
void thread_born(struct plat_thread *thread, pid_t tid);
/* Ends the calling plain thread. */
_Noreturn void thread_exit(uint32_t code);
void threads_forget(void);

/* ---- program_end.c: the process ends with the last of the program's threads ---- */

void program_thread_began(void);  /* counts one more, before it is created */
void program_thread_failed(void); /* takes it back: it could not be created */
void program_thread_leaves(void); /* on a thread made by pthread_create, when its routine is over */
/* True: that was the last one that was counted. It is to call program_end. */
bool program_thread_ended(void);
void program_end(uint32_t code); /* may return: libc, or the end of another thread, sees to it */
void program_threads_forget(void);

/* ---- stop.c: suspending and ending threads from outside ---- */

/* Plain threads and schedulers. The count before, or -1 at its maximum. */
int32_t thread_suspend(struct plat_thread *thread);
uint32_t thread_resume(struct plat_thread *thread);
void thread_end(struct plat_thread *thread, uint32_t code);
/* At a place where the calling thread may be stopped: stands still while it is suspended, ends if it
 * is to end. */
void thread_stop_point(struct plat_thread *self);
/* Does what the thread's state asks for, now and until it is done. With thread->binding held. */
void thread_nudge(struct plat_thread *thread);
int stop_start(void);

/* ---- libc_text.c: where the C library's code is, which holds locks of its own ---- */

void libc_locate(void);
bool libc_holds(const void *code);

#endif
