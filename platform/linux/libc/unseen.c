/* SPDX-License-Identifier: MIT
 *
 * unseen.c - libc's functions that wait, for workers whose system calls no listener sees.
 *
 * Where a sandbox has the listener, or the system has none, a worker that waits for a mutex would
 * stop its scheduler, for good if another worker of that scheduler holds the mutex. Then, and only
 * then, redirect.c puts these functions before libc's: the worker leaves its scheduler in user
 * mode.
 *   - A function that is one system call goes the way of front.c.
 *   - A function that is more (it locks a mutex, waits for a condition) is tried. If it has to wait
 *     the worker's home calls it: thread id and control block are the worker's there, so libc
 *     notices nothing. A helper waits for the home (errand.c). The home has cancellation disabled
 *     meanwhile: a cancellation acts when the worker is back. A worker that is ended meanwhile ends
 *     when the function has returned.
 *   - A thread that signals a condition may wait, too: until those it woke before have left libc's
 *     wait. The sites of that wait and of a barrier's have no room for a jump (sites.c) in some
 *     builds of libc's. So a worker's home makes waits for conditions as a whole, C11's as well:
 *     then those that leave need no scheduler.
 *   - The kernel lets only the owner unlock a mutex that inherits priority, and the owner is the
 *     home: so the home unlocks it.
 *
 * The library sees other functions that wait by libc's own system calls, as far as sites.c could
 * redirect these. It does not see system calls that other modules make by themselves.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#pragma GCC visibility pop

#include "platform/check.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/libc/front.h"
#include "platform/linux/libc/unseen.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/traps/errand.h"
#include "platform/linux/traps/user_call.h"

/* clang-format off */
#define UNSEEN(ROW) \
    ROW(poll) ROW(select) ROW(epoll_wait) ROW(accept) ROW(accept4) ROW(connect) ROW(waitpid) \
    ROW(nanosleep) ROW(usleep) ROW(sleep) ROW(thrd_sleep) ROW(pthread_mutex_lock) \
    ROW(pthread_mutex_unlock) ROW(pthread_mutex_timedlock) ROW(pthread_mutex_clocklock) \
    ROW(pthread_rwlock_rdlock) ROW(pthread_rwlock_wrlock) ROW(pthread_cond_wait) \
    ROW(pthread_cond_timedwait) ROW(pthread_cond_clockwait) ROW(cnd_wait) ROW(cnd_timedwait) \
    ROW(pthread_barrier_wait) ROW(sem_wait) ROW(pthread_join)
/* clang-format on */

enum {
#define ROW(name) ROW_##name,
    UNSEEN(ROW)
#undef ROW
        ROWS
};

/* libc's function, by its address: a home's small stack has no room for a look-up, and a library
 * that replaced the name for others does not meet this one. */
#define LIBCS(name) ((__typeof__(&name))unseen_rows[ROW_##name].libcs)

struct plat_context *unseen_worker(struct lane **lane)
{
    struct plat_context *self = plat_tls.current;
    if (UMS_LIKELY(!self) || self->is_scheduler)
        return NULL;
    struct plat_context *scheduler = self->scheduler;
    if (!scheduler || scheduler->runs.hosted || !scheduler->lane)
        return NULL;
    *lane = scheduler->lane;
    return self;
}

/* ---- One system call ------------------------------------------------------------------------- */

#define ARGS(a, b, c, d, e)                                                                        \
    ((const long[6]){(long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0})

/* Defines the function: a worker makes one system call, any other thread calls libc's function. */
#define CALL_OR_LIBCS(name, type, parameters, arguments, nr, call_arguments)                       \
    static STOP_LOOKS type unseen_##name parameters                                                \
    {                                                                                              \
        struct lane *lane;                                                                         \
        struct plat_context *self = unseen_worker(&lane);                                          \
        if (!self)                                                                                 \
            return LIBCS(name) arguments;                                                          \
        type result = (type)front_wait(self, nr, call_arguments);                                  \
        stop_look();                                                                               \
        return result;                                                                             \
    }

CALL_OR_LIBCS(poll, int, (struct pollfd * fds, nfds_t count, int ms), (fds, count, ms), SYS_poll,
              ARGS(fds, count, ms, 0, 0))
CALL_OR_LIBCS(select, int,
              (int count, fd_set *readable, fd_set *writable, fd_set *other, struct timeval *limit),
              (count, readable, writable, other, limit), SYS_select,
              ARGS(count, readable, writable, other, limit))
CALL_OR_LIBCS(epoll_wait, int, (int fd, struct epoll_event *events, int most, int ms),
              (fd, events, most, ms), SYS_epoll_wait, ARGS(fd, events, most, ms, 0))
CALL_OR_LIBCS(accept, int, (int fd, struct sockaddr *address, socklen_t *length),
              (fd, address, length), SYS_accept, ARGS(fd, address, length, 0, 0))
CALL_OR_LIBCS(accept4, int, (int fd, struct sockaddr *address, socklen_t *length, int flags),
              (fd, address, length, flags), SYS_accept4, ARGS(fd, address, length, flags, 0))
CALL_OR_LIBCS(connect, int, (int fd, const struct sockaddr *address, socklen_t length),
              (fd, address, length), SYS_connect, ARGS(fd, address, length, 0, 0))
CALL_OR_LIBCS(waitpid, pid_t, (pid_t child, int *status, int options), (child, status, options),
              SYS_wait4, ARGS(child, status, options, 0, 0))
CALL_OR_LIBCS(nanosleep, int, (const struct timespec *request, struct timespec *remain),
              (request, remain), SYS_nanosleep, ARGS(request, remain, 0, 0, 0))

int unseen_clock_sleep(struct plat_context *self, clockid_t clock, int flags,
                       const struct timespec *request, struct timespec *remain)
{
    int saved = errno;
    int error =
        front_wait(self, SYS_clock_nanosleep, ARGS(clock, flags, request, remain, 0)) ? errno : 0;
    errno = saved;
    return error;
}

/* libc's usleep and sleep call a function inside libc, which no front sees. */
static int unseen_usleep(useconds_t microseconds)
{
    struct timespec time = {(time_t)(microseconds / 1000000),
                            (long)(microseconds % 1000000) * 1000};
    return unseen_nanosleep(&time, NULL);
}

static unsigned unseen_sleep(unsigned seconds)
{
    struct timespec time = {(time_t)seconds, 0};
    return unseen_nanosleep(&time, &time) ? (unsigned)(time.tv_sec + (time.tv_nsec >= 500000000))
                                          : 0;
}

static int unseen_thrd_sleep(const struct timespec *request, struct timespec *remain)
{
    int saved = errno, failed = unseen_nanosleep(request, remain) ? errno : 0;
    errno = saved;
    return failed == EINTR ? -1 : failed ? -2 : 0;
}

/* ---- Functions ------------------------------------------------------------------------------- */

#define AT_HOME(function, a, b, c, d)                                                              \
    (int)user_call_at_home(                                                                        \
        self, lane, (const long[5]){(long)(function), (long)(a), (long)(b), (long)(c), (long)(d)})

/* On the home, which makes the call for its worker. A cancellation would unwind the home's frames;
 * the worker's are to be unwound. So the home has cancellation disabled meanwhile. */
static int cancellation_off(void)
{
    int state = PTHREAD_CANCEL_ENABLE;
    LIBC(pthread_setcancelstate)(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

static void cancellation_back(int state)
{
    LIBC(pthread_setcancelstate)(state, NULL);
}

#define HOME_FUNCTION(name, call)                                                                  \
    static long home_##name(const long *a)                                                         \
    {                                                                                              \
        int state = cancellation_off();                                                            \
        int result = call;                                                                         \
        cancellation_back(state);                                                                  \
        return result;                                                                             \
    }

HOME_FUNCTION(mutex_lock, LIBCS(pthread_mutex_lock)((pthread_mutex_t *)a[0]))
HOME_FUNCTION(mutex_unlock, LIBCS(pthread_mutex_unlock)((pthread_mutex_t *)a[0]))
HOME_FUNCTION(mutex_timedlock, LIBCS(pthread_mutex_timedlock)((pthread_mutex_t *)a[0],
                                                              (const struct timespec *)a[1]))
HOME_FUNCTION(mutex_clocklock,
              LIBCS(pthread_mutex_clocklock)((pthread_mutex_t *)a[0], (clockid_t)a[2],
                                             (const struct timespec *)a[1]))
HOME_FUNCTION(rwlock_rdlock, LIBCS(pthread_rwlock_rdlock)((pthread_rwlock_t *)a[0]))
HOME_FUNCTION(rwlock_wrlock, LIBCS(pthread_rwlock_wrlock)((pthread_rwlock_t *)a[0]))
HOME_FUNCTION(cond_wait, LIBCS(pthread_cond_wait)((pthread_cond_t *)a[0], (pthread_mutex_t *)a[1]))
HOME_FUNCTION(cond_timedwait,
              LIBCS(pthread_cond_timedwait)((pthread_cond_t *)a[0], (pthread_mutex_t *)a[1],
                                            (const struct timespec *)a[2]))
HOME_FUNCTION(cond_clockwait,
              LIBCS(pthread_cond_clockwait)((pthread_cond_t *)a[0], (pthread_mutex_t *)a[1],
                                            (clockid_t)a[3], (const struct timespec *)a[2]))
HOME_FUNCTION(cnd_wait, LIBCS(cnd_wait)((cnd_t *)a[0], (mtx_t *)a[1]))
HOME_FUNCTION(cnd_timedwait,
              LIBCS(cnd_timedwait)((cnd_t *)a[0], (mtx_t *)a[1], (const struct timespec *)a[2]))
HOME_FUNCTION(barrier_wait, LIBCS(pthread_barrier_wait)((pthread_barrier_t *)a[0]))
HOME_FUNCTION(sem_wait, LIBCS(sem_wait)((sem_t *)a[0]))
HOME_FUNCTION(join, LIBCS(pthread_join)((pthread_t)a[0], (void **)a[1]))

/* Tries the lock first. If it is busy, the home waits for it. */
#define LOCK_OR_HOME(name, type, home)                                                             \
    static int unseen_##name##lock(type *lock)                                                     \
    {                                                                                              \
        struct lane *lane;                                                                         \
        struct plat_context *self = unseen_worker(&lane);                                          \
        if (!self)                                                                                 \
            return LIBCS(name##lock)(lock);                                                        \
        int error = name##trylock(lock);                                                           \
        return error == EBUSY ? AT_HOME(home, lock, 0, 0, 0) : error;                              \
    }

#define pthread_rwlock_rdtrylock pthread_rwlock_tryrdlock
#define pthread_rwlock_wrtrylock pthread_rwlock_trywrlock
LOCK_OR_HOME(pthread_mutex_, pthread_mutex_t, home_mutex_lock)
LOCK_OR_HOME(pthread_rwlock_rd, pthread_rwlock_t, home_rwlock_rdlock)
LOCK_OR_HOME(pthread_rwlock_wr, pthread_rwlock_t, home_rwlock_wrlock)

#define TIMED_LOCK_OR_HOME(name, parameters, arguments, home, clock)                               \
    static int unseen_pthread_mutex_##name parameters                                              \
    {                                                                                              \
        struct lane *lane;                                                                         \
        struct plat_context *self = unseen_worker(&lane);                                          \
        if (!self)                                                                                 \
            return LIBCS(pthread_mutex_##name) arguments;                                          \
        int error = pthread_mutex_trylock(mutex);                                                  \
        return error == EBUSY ? AT_HOME(home, mutex, limit, clock, 0) : error;                     \
    }
TIMED_LOCK_OR_HOME(timedlock, (pthread_mutex_t * mutex, const struct timespec *limit),
                   (mutex, limit), home_mutex_timedlock, 0)
TIMED_LOCK_OR_HOME(clocklock,
                   (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *limit),
                   (mutex, clock, limit), home_mutex_clocklock, clock)

/* Finds the bit of a mutex's kind that says that it inherits priority: no header of libc's has
 * it. */
static int find_inheriting(void)
{
    pthread_mutex_t plain, inheriting;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutex_init(&plain, &attributes);
    int error = pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) ||
                pthread_mutex_init(&inheriting, &attributes);
    int bit = error ? 0 : plain.__data.__kind ^ inheriting.__data.__kind;
    if (!error)
        pthread_mutex_destroy(&inheriting);
    pthread_mutex_destroy(&plain);
    pthread_mutexattr_destroy(&attributes);
    return bit;
}

static int unseen_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    static _Atomic int inheriting = -1;
    struct lane *lane;
    struct plat_context *self = unseen_worker(&lane);
    if (!self)
        return LIBCS(pthread_mutex_unlock)(mutex);
    int bit = atomic_load_explicit(&inheriting, memory_order_relaxed);
    if (UMS_UNLIKELY(bit < 0)) {
        bit = find_inheriting();
        atomic_store_explicit(&inheriting, bit, memory_order_relaxed);
    }
    if (UMS_UNLIKELY(mutex->__data.__kind & bit))
        return (int)home_run(self, home_mutex_unlock, (const long[]){(long)mutex});
    return LIBCS(pthread_mutex_unlock)(mutex);
}

/* For functions that wait as a rule: they are not tried first. */
#define HOME_OR_LIBCS(name, parameters, arguments, home, ...)                                      \
    static int unseen_##name parameters                                                            \
    {                                                                                              \
        struct lane *lane;                                                                         \
        struct plat_context *self = unseen_worker(&lane);                                          \
        if (!self)                                                                                 \
            return LIBCS(name) arguments;                                                          \
        pthread_testcancel();                                                                      \
        return AT_HOME(home, __VA_ARGS__);                                                         \
    }

HOME_OR_LIBCS(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex),
              (condition, mutex), home_cond_wait, condition, mutex, 0, 0)
HOME_OR_LIBCS(pthread_cond_timedwait,
              (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *limit),
              (condition, mutex, limit), home_cond_timedwait, condition, mutex, limit, 0)
HOME_OR_LIBCS(pthread_cond_clockwait,
              (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
               const struct timespec *limit),
              (condition, mutex, clock, limit), home_cond_clockwait, condition, mutex, limit, clock)
HOME_OR_LIBCS(cnd_wait, (cnd_t * condition, mtx_t *mutex), (condition, mutex), home_cnd_wait,
              condition, mutex, 0, 0)
HOME_OR_LIBCS(cnd_timedwait, (cnd_t * condition, mtx_t *mutex, const struct timespec *limit),
              (condition, mutex, limit), home_cnd_timedwait, condition, mutex, limit, 0)
HOME_OR_LIBCS(pthread_join, (pthread_t thread, void **result), (thread, result), home_join, thread,
              result, 0, 0)

/* No cancellation point. */
static int unseen_pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct lane *lane;
    struct plat_context *self = unseen_worker(&lane);
    if (!self)
        return LIBCS(pthread_barrier_wait)(barrier);
    return AT_HOME(home_barrier_wait, barrier, 0, 0, 0);
}

static int unseen_sem_wait(sem_t *semaphore)
{
    struct lane *lane;
    struct plat_context *self = unseen_worker(&lane);
    if (!self)
        return LIBCS(sem_wait)(semaphore);
    pthread_testcancel();
    if (sem_trywait(semaphore) == 0)
        return 0;
    return errno == EAGAIN ? AT_HOME(home_sem_wait, semaphore, 0, 0, 0) : -1;
}

#define ROW(name) [ROW_##name] = {#name, (void *)unseen_##name, NULL},
struct unseen_row unseen_rows[] = {UNSEEN(ROW)[ROWS] = {NULL, NULL, NULL}};
