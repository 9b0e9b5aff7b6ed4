/* SPDX-License-Identifier: MIT
 *
 * calls.c - the table of trapped calls, and what their rows share.
 */
#include "platform/linux/calls.h"

#include <fcntl.h>
#include <signal.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "platform/linux/copy.h"
#include "platform/linux/raw.h"
#include "platform/linux/worker_signals.h"

#ifndef SYS_futex_wait
#define SYS_futex_wait 455
#endif

#define ALWAYS {TEST_NONE, 0, 0, 0, 0}
#define CLEAR(arg, mask) {TEST_CLEAR, arg, mask, 0, 0}
#define NONZERO(arg) {TEST_NONZERO, arg, 0, 0, 0}
#define ONE_OF(arg, mask, a, b) {TEST_ONE_OF, arg, mask, a, b}
#define IN_SET(arg, mask, set) {TEST_IN_SET, arg, mask, set, 0}
#define CALL(name, test, ops) {SYS_##name, #name, test, &ops},
const struct trapped_call trapped_calls[] = {
#include "platform/linux/calls.def"
};
#undef CALL
const unsigned trapped_call_count = sizeof trapped_calls / sizeof *trapped_calls;

bool call_is_stopped(const struct trapped_call *entry, const long *args)
{
    const struct call_test *test = &entry->trap_if;
    uint32_t arg = (uint32_t)args[test->arg];
    switch (test->kind) {
    case TEST_CLEAR:
        return !(arg & test->mask);
    case TEST_NONZERO:
        return arg != 0;
    case TEST_ONE_OF:
        return (arg & test->mask) == test->one || (arg & test->mask) == test->other;
    case TEST_IN_SET:
        return (arg & test->mask) < 32 && test->one >> (arg & test->mask) & 1;
    default:
        return true;
    }
}

const struct trapped_call *trapped_call_find(int nr)
{
    static const struct trapped_call *by_number[512];
    static _Atomic bool filled;
    if (UMS_UNLIKELY(!atomic_load_explicit(&filled, memory_order_acquire))) {
        for (unsigned i = 0; i < trapped_call_count; i++)
            by_number[trapped_calls[i].nr] = &trapped_calls[i];
        atomic_store_explicit(&filled, true, memory_order_release);
    }
    return nr >= 0 && nr < 512 ? by_number[nr] : NULL;
}

long call_block(struct call *call)
{
    if (call->entry->ops->block)
        return call->entry->ops->block(call);
    const long *a = call->args;
    return raw_syscall(call->entry->nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

bool fd_is_nonblocking(int fd)
{
    long flags = RAW3(SYS_fcntl, fd, F_GETFL, 0);
    return flags < 0 || flags & O_NONBLOCK;
}

bool fd_is_regular(int fd)
{
    struct stat st;
    return RAW2(SYS_fstat, fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

static int read_timespec(const void *timespec, struct timespec *ts)
{
    if (copy_in(ts, timespec, sizeof *ts))
        return -EFAULT;
    if (ts->tv_sec < 0 || ts->tv_nsec < 0 || ts->tv_nsec > 999999999)
        return -EINVAL;
    return 0;
}

static uint64_t nanoseconds(const struct timespec *ts)
{
    if ((uint64_t)ts->tv_sec > UINT64_MAX / 4 / 1000000000u)
        return UINT64_MAX / 4;
    return (uint64_t)ts->tv_sec * 1000000000u + (uint64_t)ts->tv_nsec;
}

int deadline_after(struct call *call, const void *timespec)
{
    struct timespec ts;
    call->deadline = PLAT_FOREVER;
    if (!timespec)
        return 0;
    int error = read_timespec(timespec, &ts);
    if (!error)
        call->deadline = plat_now() + nanoseconds(&ts);
    return error;
}

int deadline_at(struct call *call, const void *timespec, bool realtime)
{
    struct timespec ts;
    call->deadline = PLAT_FOREVER;
    call->realtime = realtime;
    if (!timespec)
        return 0;
    int error = read_timespec(timespec, &ts);
    if (!error)
        call->deadline = nanoseconds(&ts);
    return error;
}

void deadline_in_ms(struct call *call, long ms)
{
    call->deadline = ms < 0 ? PLAT_FOREVER : plat_now() + (uint64_t)ms * 1000000u;
}

void deadline_of_socket(struct call *call, int fd, int option)
{
    struct timeval tv;
    socklen_t length = sizeof tv;
    if (RAW5(SYS_getsockopt, fd, SOL_SOCKET, option, &tv, &length) == 0 &&
        (tv.tv_sec || tv.tv_usec))
        call->deadline =
            plat_now() + (uint64_t)tv.tv_sec * 1000000000u + (uint64_t)tv.tv_usec * 1000u;
}

long raise_sigpipe(struct call *call, long result)
{
    if (result != -EPIPE)
        return result;
    /* The kernel has raised it, too, in the thread that made the call. */
    static const struct timespec no_time;
    uint64_t set = SIGNAL_BIT(SIGPIPE);
    siginfo_t info;
    while (RAW4(SYS_rt_sigtimedwait, &set, &info, &no_time, 8) > 0)
        ;
    signal_info_tkill(&info, SIGPIPE);
    info.si_code = SI_USER;
    signal_send(call_worker(call), &info, false);
    return result;
}
