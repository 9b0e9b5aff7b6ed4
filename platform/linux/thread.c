/* SPDX-License-Identifier: MIT
 *
 * thread.c - threads as objects: birth, end, and the ones that are plain.
 *
 * A thread's object is signalled as the last thing its destructors do. pthread runs destructors in
 * rounds; ours asks for another round until the last, so that everybody else's have run by then.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "platform/linux/object.h"
#include "platform/linux/raw.h"

enum { STILL_ACTIVE_CODE = 259 };

static pthread_key_t end_key;
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

static void thread_ended(struct plat_thread *thread)
{
    struct plat_context *context = thread->context;
    uint32_t running = STILL_ACTIVE_CODE;
    __atomic_compare_exchange_n(&thread->exit_code, &running, 0, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    if (context) {
        tid_map_home(thread->tid, NULL);
        thread->context = NULL;
        plat_tls.current = NULL;
        engine_core->worker_gone(context);
    }
    object_signal(&thread->object);
    plat_tls.thread = NULL;
    object_drop(&thread->object);
}

static void end_of_round(void *thread)
{
    if (++plat_tls.destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(end_key, thread);
    else
        thread_ended(thread);
}

static void make_end_key(void)
{
    if (pthread_key_create(&end_key, end_of_round))
        UMS_FATAL("no pthread key left", 0, 0);
}

struct plat_thread *thread_create_object(void)
{
    struct plat_thread *thread = object_create(OBJECT_THREAD, sizeof *thread);
    if (!thread)
        return NULL;
    thread->exit_code = STILL_ACTIVE_CODE;
    /* Threads start with their creator's mask, which on a carrier is not the kernel's. */
    if (plat_tls.current)
        thread->sigmask = plat_tls.sigmask;
    else
        RAW4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &thread->sigmask, 8);
    return thread;
}

/* The caller's reference stays the caller's; the thread gets one of its own. */
void thread_born(struct plat_thread *thread, pid_t tid)
{
    pthread_once(&end_key_once, make_end_key);
    thread->tid = tid;
    plat_tls.tid = tid;
    plat_tls.thread = thread;
    object_hold(&thread->object);
    pthread_setspecific(end_key, thread);
}

pid_t thread_current_id(void)
{
    if (!plat_tls.tid)
        plat_tls.tid = (pid_t)RAW0(SYS_gettid);
    return plat_tls.tid;
}

struct plat_thread *thread_current(void)
{
    if (plat_tls.thread)
        return plat_tls.thread;
    struct plat_thread *thread = thread_create_object();
    if (!thread)
        return NULL;
    thread_born(thread, thread_current_id());
    object_drop(&thread->object);
    return thread;
}

struct creation {
    struct plat_thread *thread;
    size_t stack_bytes;
    int error;
    bool outside;          /* made by the service thread */
    _Atomic uint32_t born; /* futex */
};

static void *plain_main(void *arg)
{
    struct creation *creation = arg;
    struct plat_thread *thread = creation->thread;
    if (creation->outside)
        affinity_reset();
    thread_born(thread, (pid_t)RAW0(SYS_gettid));
    object_drop(&thread->object); /* thread_start's */
    atomic_store_explicit(&creation->born, 1, memory_order_release);
    futex_wake(&creation->born, 1); /* the creation may be gone: nobody is there to wake */
    while (atomic_load_explicit(&thread->held, memory_order_acquire))
        futex_wait(&thread->held, 1);
    signals_restore(&thread->sigmask);
    if (__builtin_setjmp(plat_tls.exit_frame) == 0) {
        plat_tls.has_exit_frame = true;
        thread->exit_code = thread->start(thread->param);
    }
    return NULL;
}

static void create_plain(void *arg)
{
    struct creation *creation = arg;
    pthread_t thread;
    creation->error = kthread_create(&thread, creation->stack_bytes, plain_main, creation);
}

int thread_start(struct plat_thread *thread, size_t stack_bytes, bool held)
{
    struct creation creation = {.thread = thread,
                                .stack_bytes = stack_bytes,
                                .outside = plat_tls.current != NULL};
    atomic_store_explicit(&thread->held, held, memory_order_relaxed);
    object_hold(&thread->object);
    if (creation.outside)
        service_run(create_plain, &creation);
    else
        create_plain(&creation);
    if (creation.error) {
        object_drop(&thread->object);
        return 8;
    }
    while (!atomic_load_explicit(&creation.born, memory_order_acquire))
        futex_wait(&creation.born, 0);
    return 0;
}

uint32_t thread_release(struct plat_thread *thread)
{
    uint32_t before = atomic_exchange_explicit(&thread->held, 0, memory_order_acq_rel);
    if (before)
        futex_wake(&thread->held, 1);
    return before;
}

bool thread_has_ended(struct plat_thread *thread)
{
    return __atomic_load_n(&thread->object.signalled, __ATOMIC_ACQUIRE);
}

int thread_get_affinity(struct plat_thread *thread, cpu_set_t *mask)
{
    CPU_ZERO(mask);
    long r = RAW3(SYS_sched_getaffinity, thread->tid, sizeof *mask, mask);
    return r < 0 ? (int)r : 0;
}

int thread_set_affinity(struct plat_thread *thread, const cpu_set_t *mask)
{
    long r = RAW3(SYS_sched_setaffinity, thread->tid, sizeof *mask, mask);
    struct plat_context *context = thread->context;
    cpu_set_t allowed;
    if (r < 0 || !context || !context->is_scheduler)
        return (int)r;
    r = thread_get_affinity(thread, &allowed);
    if (r == 0)
        scheduler_affinity(context, &allowed);
    return (int)r;
}

_Noreturn void thread_exit(uint32_t code)
{
    struct plat_thread *thread = thread_current();
    if (thread)
        thread->exit_code = code;
    if (plat_tls.has_exit_frame)
        __builtin_longjmp(plat_tls.exit_frame, 1);
    pthread_exit(NULL);
}

int plat_thread_context(void *handle, struct plat_context **context)
{
    if (handle == (void *)(intptr_t)-2) { /* the pseudo-handle of the calling thread */
        *context = plat_current();
        return 0;
    }
    struct object *object = handle_object(handle);
    if (!object || object->type != OBJECT_THREAD) {
        if (object)
            object_drop(object);
        return 6;
    }
    *context = ((struct plat_thread *)object)->context;
    object_drop(object);
    return 0;
}

/* In a child after fork: what was a worker is the child's only, plain thread. */
void threads_forget(void)
{
    if (plat_tls.thread)
        plat_tls.thread->context = NULL;
    plat_tls.current = NULL;
    plat_tls.tid = 0;
}
