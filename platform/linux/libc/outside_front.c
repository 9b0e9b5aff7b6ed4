/* SPDX-License-Identifier: MIT
 *
 * outside_front.c - libc functions that make a thread or a process inside themselves.
 *
 * A carrier that made such a thread (for timers, message queues, POSIX AIO or getaddrinfo_a) would
 * pass on its filter, its processor and its signal mask. The thread would keep these for life, and
 * serve the whole process. So UMS threads have another thread make the call. The broker thread
 * makes calls that return at once. wordexp waits for the commands in its words, so a thread of its
 * own makes it.
 */
#pragma GCC visibility push(default)
#include <aio.h>
#include <errno.h>
#include <mqueue.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <wordexp.h>
#pragma GCC visibility pop

#include "platform/linux/calls/broker.h"
#include "platform/linux/current.h"
#include "platform/linux/libc/outside_front.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/libc_thread.h"
#include "platform/linux/os/raw.h"

struct outside {
    void (*make)(struct outside *);
    const void *args[2];
    int number;
    int result, error;
};

static void make_outside(void *arg)
{
    struct outside *call = arg;
    cpu_set_t own;
    RAW3(SYS_sched_getaffinity, 0, sizeof own, &own);
    affinity_reset();
    call->make(call);
    call->error = errno;
    RAW3(SYS_sched_setaffinity, 0, sizeof own, &own);
}

static int outside(void (*make)(struct outside *), const void *a, const void *b, int number)
{
    struct outside call = {.make = make, .args = {a, b}, .number = number};
    broker_run(make_outside, &call);
    if (call.result)
        errno = call.error;
    return call.result;
}

/* ---- Threads for events ---------------------------------------------------------------------- */

static bool by_thread(const struct sigevent *event)
{
    return event && event->sigev_notify == SIGEV_THREAD && carried();
}

static void make_timer(struct outside *call)
{
    call->result = LIBC(timer_create)(call->number, (struct sigevent *)call->args[0],
                                      (timer_t *)call->args[1]);
}

/* The rest of timer_create is timer_front.c's. */
int timer_create_libcs(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    return by_thread(event) ? outside(make_timer, event, timer, clock)
                            : LIBC(timer_create)(clock, event, timer);
}

static void make_mq_notify(struct outside *call)
{
    call->result = LIBC(mq_notify)(call->number, call->args[0]);
}

int mq_notify(mqd_t queue, const struct sigevent *event)
{
    return by_thread(event) ? outside(make_mq_notify, event, NULL, queue)
                            : LIBC(mq_notify)(queue, event);
}

/* ---- Threads for requests -------------------------------------------------------------------- */

#define DEFINE_AIO(name, block)                                                                    \
    static void make_##name(struct outside *call)                                                  \
    {                                                                                              \
        call->result = LIBC(name)((struct block *)call->args[0]);                                  \
    }                                                                                              \
    int name(struct block *request)                                                                \
    {                                                                                              \
        return carried() ? outside(make_##name, request, NULL, 0) : LIBC(name)(request);           \
    }
DEFINE_AIO(aio_read, aiocb)
DEFINE_AIO(aio_write, aiocb)
DEFINE_AIO(aio_read64, aiocb64)
DEFINE_AIO(aio_write64, aiocb64)

#define DEFINE_AIO_FSYNC(name, block)                                                              \
    static void make_##name(struct outside *call)                                                  \
    {                                                                                              \
        call->result = LIBC(name)(call->number, (struct block *)call->args[0]);                    \
    }                                                                                              \
    int name(int how, struct block *request)                                                       \
    {                                                                                              \
        return carried() ? outside(make_##name, request, NULL, how) : LIBC(name)(how, request);    \
    }
DEFINE_AIO_FSYNC(aio_fsync, aiocb)
DEFINE_AIO_FSYNC(aio_fsync64, aiocb64)

/* With LIO_WAIT the call waits, so the caller makes it and not the broker thread. If no request
 * came before, libc makes its threads on the carrier then. */
#define DEFINE_LISTIO(name, block)                                                                 \
    static void make_##name(struct outside *call)                                                  \
    {                                                                                              \
        call->result = LIBC(name)(LIO_NOWAIT, (struct block *const *)call->args[0], call->number,  \
                                  (struct sigevent *)call->args[1]);                               \
    }                                                                                              \
    int name(int mode, struct block *const list[restrict], int count,                              \
             struct sigevent *restrict event)                                                      \
    {                                                                                              \
        return mode == LIO_NOWAIT && carried() ? outside(make_##name, list, event, count)          \
                                               : LIBC(name)(mode, list, count, event);             \
    }
DEFINE_LISTIO(lio_listio, aiocb)
DEFINE_LISTIO(lio_listio64, aiocb64)

static void make_getaddrinfo_a(struct outside *call)
{
    call->result = LIBC(getaddrinfo_a)(GAI_NOWAIT, (struct gaicb **)call->args[0], call->number,
                                       (struct sigevent *)call->args[1]);
}

int getaddrinfo_a(int mode, struct gaicb *list[restrict], int count,
                  struct sigevent *restrict event)
{
    return mode == GAI_NOWAIT && carried() ? outside(make_getaddrinfo_a, list, event, count)
                                           : LIBC(getaddrinfo_a)(mode, list, count, event);
}

/* ---- Commands in words ----------------------------------------------------------------------- */

static void *make_wordexp(void *arg)
{
    struct outside *call = arg;
    call->result = LIBC(wordexp)(call->args[0], (wordexp_t *)call->args[1], call->number);
    return NULL;
}

int wordexp(const char *restrict words, wordexp_t *restrict result, int flags)
{
    struct outside call = {.args = {words, result}, .number = flags};
    pthread_t thread;
    if (!carried())
        return LIBC(wordexp)(words, result, flags);
    if (pthread_create(&thread, NULL, make_wordexp, &call))
        return WRDE_NOSPACE;
    libc_thread_join(thread, NULL);
    return call.result;
}
