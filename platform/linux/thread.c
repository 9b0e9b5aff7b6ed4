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
#include <time.h>
#include <unistd.h>

#include "platform/linux/cpu_time.h"
#include "platform/linux/thread.h"
#include "platform/linux/raw.h"
#include "platform/linux/worker_signals.h"
#include "platform/linux/wait.h"

enum { STILL_ACTIVE_CODE = 259 };

static pthread_key_t end_key;
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

static int64_t real_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void thread_ended(struct plat_thread *thread)
{
    uint32_t running = STILL_ACTIVE_CODE;
    __atomic_compare_exchange_n(&thread->exit_code, &running, 0, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    plat_lock(&thread->binding);
    struct plat_context *context = thread->context;
    cpu_time_thread_ends(thread, context);
    thread->ended_at = real_time();
    thread->context = NULL;
    thread->ended = true; /* also for apc.c: nothing is queued from here on */
    plat_unlock(&thread->binding);
    mutexes_abandon(thread);
    apcs_discard(thread);
    /* Before anybody can see that it has ended: whoever waited for that outlives it. */
    bool last = !plat_tls.auxiliary && program_thread_ended();
    if (context) {
        call_forget(&context->call);
        signals_leave(context);
        tid_map_home(thread->tid, NULL);
        plat_tls.current = NULL;
        engine_core->worker_gone(context);
    }
    uint32_t code = thread->exit_code;
    object_signal(&thread->object);
    object_drop(&thread->object);
    plat_tls.thread = NULL;
    if (last)
        program_end(code);
    if (plat_tls.detaches)
        pthread_detach(pthread_self());
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

static void destroy(struct object *object)
{
    free(((struct plat_thread *)object)->description);
}

struct plat_thread *thread_create_object(void)
{
    struct plat_thread *thread = object_create(OBJECT_THREAD, sizeof *thread);
    if (!thread)
        return NULL;
    thread->object.destroy = destroy;
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
    thread->born_at = real_time();
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

struct plat_thread *thread_make_current(void)
{
    struct plat_thread *thread = thread_create_object();
    if (!thread)
        return NULL;
    if (!plat_tls.counted && !plat_tls.auxiliary)
        program_thread_began(); /* nobody saw it being created */
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
    plat_tls.detaches = true;
    thread_born(thread, (pid_t)RAW0(SYS_gettid));
    object_drop(&thread->object); /* thread_start's */
    atomic_store_explicit(&creation->born, 1, memory_order_release);
    futex_wake(&creation->born, 1); /* the creation may be gone: nobody is there to wake */
    signals_restore(&thread->sigmask);
    if (__builtin_setjmp(plat_tls.exit_frame) == 0) {
        plat_tls.has_exit_frame = true;
        thread_stop_point(thread);
        apcs_run();
        thread->exit_code = thread->start(thread->param);
    }
    return (void *)(uintptr_t)thread->exit_code;
}

/* Waits for its birth here, where a worker does not keep its scheduler meanwhile. */
static void create_plain(void *arg)
{
    struct creation *creation = arg;
    pthread_t thread;
    creation->error =
        program_kthread_create(&thread, creation->stack_bytes, plain_main, creation);
    while (!creation->error && !atomic_load_explicit(&creation->born, memory_order_acquire))
        futex_wait(&creation->born, 0);
}

int thread_start(struct plat_thread *thread, size_t stack_bytes, bool suspended)
{
    struct creation creation = {.thread = thread,
                                .stack_bytes = stack_bytes,
                                .outside = plat_tls.current != NULL};
    atomic_store_explicit(&thread->stop, suspended, memory_order_relaxed);
    atomic_store_explicit(&thread->stopped, suspended, memory_order_relaxed);
    object_hold(&thread->object);
    program_thread_began();
    if (creation.outside)
        service_run(create_plain, &creation);
    else
        create_plain(&creation);
    if (creation.error) {
        program_thread_failed();
        object_drop(&thread->object);
        return 8;
    }
    return 0;
}

bool thread_has_ended(struct plat_thread *thread)
{
    return __atomic_load_n(&thread->object.signal, __ATOMIC_ACQUIRE) > 0;
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
    plat_tls.ending = true;
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
    struct plat_thread *thread = plat_tls.thread;
    if (thread) { /* nobody has its lock, stops it or ends it here */
        thread->context = NULL;
        thread->binding = (struct plat_lock){0};
        thread->ending = thread->nudging = false;
        atomic_store_explicit(&thread->stop, 0, memory_order_relaxed);
        atomic_store_explicit(&thread->stopped, false, memory_order_relaxed);
    }
    plat_tls.current = NULL;
    plat_tls.auxiliary = false;
    plat_tls.detaches = false;
    plat_tls.tid = 0;
    program_threads_forget();
}
