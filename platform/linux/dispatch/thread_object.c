/* SPDX-License-Identifier: MIT
 *
 * thread_object.c - the objects of threads: made for a new thread, or on a thread's first need.
 *
 * A thread signals its object as the last act of its destructors. pthread runs destructors in
 * rounds. The library's destructor asks for another round until the last, so that all others have
 * run by then.
 */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "platform/check.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/dispatch/object.h"
#include "platform/linux/dispatch/object_store.h"
#include "platform/linux/dispatch/packet_memory.h"
#include "platform/linux/dispatch/seat.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/program_threads.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/trace/trace.h"

static pthread_key_t end_key;
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

int64_t thread_clock(void)
{
    struct timespec now;
    LIBC(clock_gettime)(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void destroy(struct object *object)
{
    struct plat_thread *thread = (struct plat_thread *)object;
    free(thread->description);
    free(thread->name);
    packets_free(thread);
    sitter_give(thread->sitter);
}

struct plat_thread *thread_create_object(void)
{
    struct plat_thread *thread = object_create(OBJECT_THREAD, sizeof *thread);
    if (!thread)
        return NULL;
    thread->object.destroy = destroy;
    /* A thread starts with its creator's mask. A carrier has another mask in the kernel. */
    if (plat_tls.current)
        thread->begin.sigmask = plat_tls.sigmask;
    else
        RAW4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &thread->begin.sigmask, 8);
    return thread;
}

/* Another thread may name this one at the same time. If that thread has the lock first, this
 * function finds the name. If it has the lock later, it finds the context, and traces the name
 * itself. */
void thread_tell_name(struct plat_thread *thread)
{
    if (!trace_on())
        return;
    plat_lock(&thread->own_lock);
    trace_name(thread->context, thread->name);
    plat_unlock(&thread->own_lock);
}

/* A key's destructor. A thread without an object is a home that has had no worker. */
static void end_of_round(void *block)
{
    if (!plat_tls.thread)
        return;
    if (++plat_tls.destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(end_key, block);
    else
        dispatch_hooks.thread_ended(plat_tls.thread);
}

static void make_end_key(void)
{
    if (LIBC(pthread_key_create)(&end_key, end_of_round)) /* the key is none of the program's */
        UMS_FATAL("no pthread key left", 0, 0);
}

void thread_end_seen(void)
{
    pthread_once(&end_key_once, make_end_key);
    pthread_setspecific(end_key, &plat_tls);
}

void thread_born(struct plat_thread *thread, pid_t tid, struct plat_tls *tls)
{
    thread->tid = tid;
    thread->times.born_at = thread_clock();
    tls->tid = tid;
    tls->thread = thread;
    object_hold(&thread->object);
}

pid_t thread_current_id(void)
{
    if (!plat_tls.tid)
        plat_tls.tid = own_tid();
    return plat_tls.tid;
}

struct plat_thread *thread_make_current(void)
{
    struct plat_thread *thread = thread_create_object();
    if (!thread)
        return NULL;
    if (!plat_tls.counting.counted && !plat_tls.counting.auxiliary)
        plat_tls.counting.at = (uint8_t)program_thread_began(); /* its creation was not seen */
    thread_end_seen();
    thread_born(thread, thread_current_id(), &plat_tls);
    object_drop(&thread->object);
    return thread;
}

static bool has_id(const struct object *object, const void *tid)
{
    return object->type == OBJECT_THREAD && !object->signal &&
           ((const struct plat_thread *)object)->tid == *(const pid_t *)tid;
}

struct plat_thread *thread_by_id(pid_t tid)
{
    return tid > 0 ? (struct plat_thread *)store_find(has_id, &tid) : NULL;
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

_Noreturn void thread_exit(uint32_t code)
{
    struct plat_thread *thread = thread_current();
    if (thread)
        thread->exit_code = code;
    plat_tls.ending = true;
    if (plat_tls.exit.set)
        __builtin_longjmp(plat_tls.exit.frame, 1);
    plat_tls.result = NULL;
    LIBC(pthread_exit)(NULL);
    __builtin_unreachable();
}
