/* SPDX-License-Identifier: MIT
 *
 * call_poll.c - waiting for readiness: poll, select, epoll.
 *
 * The attempt is the same call with no time to wait. A call that has to wait is deferred at first:
 * the lane attempts it again after writes in the lane (poller.c), and a scheduler that has slept on
 * its file answers it with the file's events (file_sleep.c). If that does not help, a call
 * with one descriptor has it watched (watched.c; by the ring if the call has a limit), and one with
 * an epoll instance has the ring watch that. Then the call is attempted again. A call with several
 * descriptors goes to a helper, which makes the real call.
 */
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/calls/ring.h"
#include "platform/linux/current.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

static const struct timespec no_time;

/* ---- poll, ppoll: array 0, count 1, milliseconds or timespec 2 ------------------------------- */

/* `r` is the result of the call that does not wait. `limit` is in milliseconds or a timespec.
 * `masked`: the call says which signals may end its wait. Only a thread that takes these signals
 * can do that, so a helper makes the call. */
static enum outcome wait_until(struct call *call, long r, bool in_ms, long limit, bool masked)
{
    if (call_was_refused(r))
        return CALL_HELPER;
    if (r != 0)
        return call_done(call, r);
    int error = 0;
    if (in_ms)
        deadline_in_ms(call, (int)limit);
    else
        error = deadline_after(call, (void *)limit);
    if (error)
        return call_done(call, error);
    if (call->deadline <= plat_now())
        return call_done(call, 0);
    return masked ? CALL_HELPER : CALL_WAIT;
}

/* On a helper: makes the call until its deadline, for a part of its time may be over. `at`: the
 * argument with the time. */
static long block_until(struct call *call, int at, bool in_ms)
{
    long a[6];
    memcpy(a, call->args, sizeof a);
    struct timespec rest;
    if (call->deadline != PLAT_FOREVER && in_ms) {
        a[at] = (long)((deadline_left(call) + 999999) / 1000000);
    } else if (call->deadline != PLAT_FOREVER) {
        rest = deadline_rest(call);
        a[at] = (long)&rest;
    }
    return raw_syscall(call->entry->nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Writes the events into the program's array. The first attempt has written there, so the memory is
 * good. */
static long tell_events(struct call *call, short events)
{
    struct pollfd *given = (struct pollfd *)call->args[0];
    const struct call_room *stack = &tls_at(call_worker(call)->fs_base)->room;
    return copy_out_to(stack, &given->revents, &events, sizeof events) ? -EFAULT : 1;
}

/* Polls the file that the call waits for. By now the program may have given the file's number to
 * another file, with events of its own. */
static long poll_held(struct call *call)
{
    struct pollfd file = {call->watch.held, (short)call->watch.events, 0};
    return RAW3(SYS_poll, &file, 1, 0) > 0 ? tell_events(call, file.revents) : 0;
}

static enum outcome attempt_poll(struct call *call)
{
    const long *a = call->args;
    bool plain = call->entry->nr == SYS_poll;
    bool held = call->in_flight && call->watch.held >= 0;
    long r = held ? poll_held(call) : RAW3(SYS_poll, a[0], a[1], 0);
    return wait_until(call, r, plain, a[2], !plain && a[3]);
}

/* The kernel has read and written the array just now, so it is readable. The kernel tells errors
 * and ends unasked. */
static void watch_polled(struct call *call)
{
    struct pollfd fd;
    if (call->args[1] != 1)
        return;
    memcpy(&fd, (const void *)call->args[0], sizeof fd);
    if (fd.fd < 0)
        return;
    uint32_t asked = (unsigned short)fd.events & ~(uint32_t)(EPOLLERR | EPOLLHUP);
    call->watch.given_fd = fd.fd;
    call->watch.events = asked ? asked : EPOLLERR;
}

static bool submit_watch(struct call *call, struct io_uring_sqe *sqe)
{
    ring_prepare(sqe, IORING_OP_POLL_ADD, call->watch.given_fd, NULL, 0, 0, call->watch.events);
    return call->watch.events;
}

/* `now` makes the call that does not wait. If that has nothing to tell, another thread was faster.
 * Or the file never tells of anything, as a disk file: the ring does not wait for that one, so a
 * helper does. At the end of the call's time nothing has come, and nothing is asked: by now the
 * program may have given the number to another file. */
static enum outcome answered(struct call *call, int result, long (*now)(struct call *call))
{
    if (result == -ECANCELED)
        return call_done(call, 0);
    long r = now(call);
    if (r == 0)
        return result > 0 || result == -EINTR ? CALL_WAIT : CALL_HELPER;
    return call_done(call, r);
}

static long poll_now(struct call *call)
{
    return RAW3(SYS_poll, call->args[0], call->args[1], 0);
}

/* The ring, or the poll of a scheduler that sleeps on the file, has kept the file. So `result` is
 * about that file, whatever its number is now. */
static enum outcome answered_poll(struct call *call, int result)
{
    if (result > 0)
        return call_done(call, tell_events(call, (short)result));
    return answered(call, result, poll_now);
}

/* ppoll and select write the rest of their time into the program's memory, where a call that is
 * made again finds it. */
static long block_poll(struct call *call)
{
    return call->entry->nr == SYS_poll ? block_until(call, 2, true) : call_as_it_stands(call);
}

const struct call_ops ops_poll = {.attempt = attempt_poll,
                                  .readiness = WHILE_DEFERRED,
                                  .submit = submit_watch,
                                  .answered = answered_poll,
                                  .block = block_poll,
                                  .watches = watch_polled};

/* ---- select, pselect6: highest 0, three sets 1 2 3, time 4 ----------------------------------- */

/* select's time has microseconds, which may be a million and more. */
static int deadline_of_select(struct call *call)
{
    struct timeval tv;
    const void *limit = (const void *)call->args[4];
    if (!limit || call->entry->nr != SYS_select)
        return deadline_after(call, limit);
    if (copy_in(&tv, limit, sizeof tv))
        return -EFAULT;
    if (tv.tv_sec < 0 || tv.tv_usec < 0)
        return -EINVAL;
    uint64_t now = plat_now(), seconds = (uint64_t)tv.tv_sec + (uint64_t)tv.tv_usec / 1000000;
    if (seconds < UINT64_MAX / 4 / 1000000000u)
        call->deadline = now + seconds * 1000000000u + (uint64_t)tv.tv_usec % 1000000 * 1000;
    return 0;
}

/* Writes the rest of the call's time, as the kernel does. Like the kernel, it does not report a
 * failure to write. */
static void tell_rest_of_select(const struct call *call)
{
    if (call->deadline == PLAT_FOREVER)
        return;
    struct timespec rest = deadline_rest(call);
    if (call->entry->nr == SYS_select)
        rest.tv_nsec /= 1000; /* a timeval has the same layout */
    copy_out((void *)call->args[4], &rest, sizeof rest);
}

/* The kernel overwrites the sets with the ready descriptors, even if there are none. So the attempt
 * gives it copies. */
static enum outcome attempt_select(struct call *call)
{
    long *a = call->args;
    fd_set sets[3];
    fd_set *given[3];
    size_t bytes = ((size_t)a[0] + 63) / 64 * 8;
    if (a[0] < 0 || a[0] > FD_SETSIZE || (call->entry->nr == SYS_pselect6 && a[5]))
        return CALL_HELPER;
    for (int i = 0; i < 3; i++) {
        given[i] = a[i + 1] ? &sets[i] : NULL;
        if (given[i] && copy_in(given[i], (void *)a[i + 1], bytes))
            return call_done(call, -EFAULT);
    }
    struct timespec zero = no_time;
    long r = RAW6(SYS_pselect6, a[0], given[0], given[1], given[2], &zero, 0);
    if (call_was_refused(r))
        return CALL_HELPER;
    int error = r == 0 && call->deadline == PLAT_FOREVER ? deadline_of_select(call) : 0;
    if (error)
        return call_done(call, error);
    if (r == 0 && (call->deadline == PLAT_FOREVER || call->deadline > plat_now()))
        return CALL_WAIT;
    for (int i = 0; i < 3 && r >= 0; i++)
        if (given[i] && copy_out((void *)a[i + 1], given[i], bytes))
            r = -EFAULT;
    tell_rest_of_select(call);
    return call_done(call, r);
}

const struct call_ops ops_select = {.attempt = attempt_select, .readiness = WHILE_DEFERRED};

/* ---- epoll_wait and relatives: instance 0, array 1, count 2, time 3 -------------------------- */

static long epoll_now(struct call *call)
{
    long *a = call->args;
    long r = RAW6(SYS_epoll_pwait, a[0], a[1], a[2], 0, 0, 8);
    return call_was_refused(r) ? RAW4(SYS_epoll_wait, a[0], a[1], a[2], 0) : r;
}

static enum outcome attempt_epoll(struct call *call)
{
    const long *a = call->args;
    return wait_until(call, epoll_now(call), call->entry->nr != SYS_epoll_pwait2, a[3],
                      call->entry->nr != SYS_epoll_wait && a[4]);
}

static void watch_set(struct call *call)
{
    call->watch.events = EPOLLIN;
    call->watch.nests = true;
}

static enum outcome answered_epoll(struct call *call, int result)
{
    return answered(call, result, epoll_now);
}

static long block_epoll(struct call *call)
{
    return block_until(call, 3, call->entry->nr != SYS_epoll_pwait2);
}

const struct call_ops ops_epoll = {.attempt = attempt_epoll,
                                   .readiness = WHILE_DEFERRED,
                                   .submit = submit_watch,
                                   .answered = answered_epoll,
                                   .block = block_epoll,
                                   .watches = watch_set};
