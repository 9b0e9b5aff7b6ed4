/* SPDX-License-Identifier: MIT
 *
 * call_wait.c - calls that wait for a thread, a child, a lock, a message, or time.
 *
 * Most of these calls have a form that does not wait: that is the attempt. If the call then has to
 * wait, a helper makes it. A wait for a futex, as of every contended mutex, goes to the ring if the
 * kernel's ring knows futexes.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/random.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/refused.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/calls/futex_table.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/traps/known_stream.h"
#include "platform/linux/calls/ring.h"
#include "platform/linux/traps/errand.h"
#include "platform/linux/traps/known_file.h"
#include "platform/linux/traps/open_call.h"
#include "platform/platform.h"

/* Flags of the ring's futex request. Only newer headers have the kernel's names for them. */
enum { WORD_IS_U32 = 2, WORD_IS_PRIVATE = 128 };

/* ---- futex: word 0, operation 1, value 2, time 3, mask 5 ------------------------------------- */

static const struct timespec long_ago;

static enum outcome attempt_futex(struct call *call)
{
    long *a = call->args;
    int op = (int)a[1];
    if ((op & FUTEX_CMD_MASK) != FUTEX_WAIT && (op & FUTEX_CMD_MASK) != FUTEX_WAIT_BITSET)
        return attempt_futex_pi(call);
    bool bitset = (op & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
    if (bitset && !(uint32_t)a[5])
        return call_done(call, -EINVAL);
    int error = bitset ? deadline_at(call, (void *)a[3], op & FUTEX_CLOCK_REALTIME)
                       : deadline_after(call, (void *)a[3]);
    if (error)
        return call_done(call, error);
    if (!(a[0] & 3) && futex_word_known(call)) {
        if (__atomic_load_n((uint32_t *)a[0], __ATOMIC_RELAXED) != (uint32_t)a[2])
            return call_done(call, -EAGAIN);
    } else {
        /* This call wakes and moves no waiter: it only compares the word. */
        long r =
            RAW6(SYS_futex, a[0], FUTEX_CMP_REQUEUE | (op & FUTEX_PRIVATE_FLAG), 0, 0, a[0], a[2]);
        if (r < 0)
            return call_done(call, r);
        futex_word_is_good(call);
    }
    if (call->deadline != PLAT_FOREVER && !deadline_left(call))
        return call_done(call, -ETIMEDOUT);
    return CALL_WAIT;
}

static bool submit_futex(struct call *call, struct io_uring_sqe *sqe)
{
    long *a = call->args;
    if (!engine_caps.ring_futex)
        return false;
    bool bitset = (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
    memset(sqe, 0, sizeof *sqe);
    sqe->opcode = RING_OP_FUTEX_WAIT;
    sqe->fd = WORD_IS_U32 | (a[1] & FUTEX_PRIVATE_FLAG ? WORD_IS_PRIVATE : 0);
    sqe->addr = (uint64_t)a[0];
    sqe->addr2 = (uint32_t)a[2];
    sqe->addr3 = bitset ? (uint32_t)a[5] : FUTEX_BITSET_MATCH_ANY;
    return true;
}

static enum outcome answered_futex(struct call *call, int result)
{
    return call_done(call, result == -ECANCELED ? -ETIMEDOUT : result);
}

const struct call_ops ops_futex = {.attempt = attempt_futex,
                                   .submit = submit_futex,
                                   .answered = answered_futex,
                                   .block = block_futex};

/* ---- futex_waitv: array 0, count 1, flags 2, time 3, clock 4 --------------------------------- */

static enum outcome attempt_futex_waitv(struct call *call)
{
    long *a = call->args;
    long r = RAW5(SYS_futex_waitv, a[0], a[1], a[2], &long_ago, CLOCK_MONOTONIC);
    return r == -ETIMEDOUT ? CALL_HELPER : call_done(call, r);
}

const struct call_ops ops_futex_waitv = {.attempt = attempt_futex_waitv};

/* ---- nanosleep: request 0, remainder 1; clock_nanosleep: clock 0, flags 1, request 2 --------- */

static enum outcome attempt_sleep(struct call *call)
{
    long *a = call->args;
    int error;
    if (call->entry->nr == SYS_nanosleep) {
        error = deadline_after(call, (void *)a[0]);
    } else {
        bool absolute = a[1] & TIMER_ABSTIME;
        /* A helper makes a sleep until a time on a clock that can be set, and each sleep on a third
         * clock. */
        if (a[0] != CLOCK_MONOTONIC && (a[0] != CLOCK_REALTIME || absolute))
            return CALL_HELPER;
        if (a[1] & ~TIMER_ABSTIME)
            return call_done(call, -EINVAL);
        error =
            absolute ? deadline_at(call, (void *)a[2], false) : deadline_after(call, (void *)a[2]);
    }
    if (call->deadline == PLAT_FOREVER && !error)
        error = -EFAULT;
    if (error)
        return call_done(call, error);
    return call->deadline <= plat_now() ? call_done(call, 0) : CALL_TIMER;
}

/* Writes how much of the sleep is left, to argument 1 of nanosleep, or to argument 3 of a
 * clock_nanosleep without TIMER_ABSTIME. */
static void interrupted_sleep(struct call *call)
{
    const long *a = call->args;
    bool plain = call->entry->nr == SYS_nanosleep;
    long where = plain ? a[1] : a[1] & TIMER_ABSTIME ? 0 : a[3];
    if (call->how != CALL_TIMER || !where)
        return;
    uint64_t now = plat_now(), left = call->deadline > now ? call->deadline - now : 0;
    int64_t ts[2] = {(int64_t)(left / 1000000000u), (int64_t)(left % 1000000000u)};
    copy_out((void *)where, ts, sizeof ts);
}

const struct call_ops ops_sleep = {.attempt = attempt_sleep, .interrupted = interrupted_sleep};

/* ---- Children -------------------------------------------------------------------------------- */

/* wait4: pid 0, status 1, options 2, usage 3; waitid: class 0, id 1, info 2, options 3, usage 4. */

/* The ring waits until a child has something to tell, and leaves it in the kernel. Then the attempt
 * takes it. A helper makes the waits with __WNOTHREAD, and every wait if the ring does not know
 * waits for children. */
static enum outcome wait_for_child(long options)
{
    return options & __WNOTHREAD || !engine_caps.ring_waitid ? CALL_HELPER : CALL_WAIT;
}

static void prepare_waitid(struct io_uring_sqe *sqe, idtype_t class, long id, long options)
{
    memset(sqe, 0, sizeof *sqe);
    sqe->opcode = RING_OP_WAITID;
    sqe->len = class;
    sqe->fd = (int32_t)id;
    sqe->file_index = (uint32_t)(options & ~WNOHANG) | WNOWAIT;
}

static enum outcome answered_child(struct call *call, int result)
{
    if (result < 0)
        return call_done(call, result);
    enum outcome outcome = call->entry->ops->attempt(call);
    /* If the call still has to wait, another thread was faster, or a pidfd has O_NONBLOCK: then a
     * helper's real call tells. */
    return outcome == CALL_WAIT ? CALL_HELPER : outcome;
}

static enum outcome attempt_wait4(struct call *call)
{
    long *a = call->args;
    long r = RAW4(SYS_wait4, a[0], a[1], a[2] | WNOHANG, a[3]);
    return r == 0 && !(a[2] & WNOHANG) ? wait_for_child(a[2]) : call_done(call, r);
}

static bool submit_wait4(struct call *call, struct io_uring_sqe *sqe)
{
    int pid = (int)call->args[0];
    idtype_t class = pid == -1 ? P_ALL : pid > 0 ? P_PID : P_PGID;
    if (!engine_caps.ring_waitid)
        return false;
    prepare_waitid(sqe, class, pid < 0 ? -(long)pid : pid, call->args[2] | WEXITED);
    return true;
}

const struct call_ops ops_wait4 = {
    .attempt = attempt_wait4, .submit = submit_wait4, .answered = answered_child};

static enum outcome attempt_waitid(struct call *call)
{
    long *a = call->args;
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (a[3] & WNOHANG)
        return CALL_PASS;
    long r = RAW5(SYS_waitid, a[0], a[1], &info, a[3] | WNOHANG | WNOWAIT, 0);
    if (r < 0)
        return call_done(call, r);
    if (!info.si_pid)
        return wait_for_child(a[3]);
    r = RAW5(SYS_waitid, a[0], a[1], a[2], a[3] | WNOHANG, a[4]);
    return call_done(call, r);
}

static bool submit_waitid(struct call *call, struct io_uring_sqe *sqe)
{
    if (!engine_caps.ring_waitid)
        return false;
    prepare_waitid(sqe, (idtype_t)call->args[0], call->args[1], call->args[3]);
    return true;
}

const struct call_ops ops_waitid = {
    .attempt = attempt_waitid, .submit = submit_waitid, .answered = answered_child};

/* ---- File locks ------------------------------------------------------------------------------ */

static enum outcome attempt_flock(struct call *call)
{
    long r = RAW2(SYS_flock, call->args[0], call->args[1] | LOCK_NB);
    return r == -EWOULDBLOCK ? CALL_HELPER : call_done(call, r);
}

const struct call_ops ops_flock = {.attempt = attempt_flock};

static enum outcome attempt_fcntl(struct call *call)
{
    long *a = call->args;
    long r = RAW3(SYS_fcntl, a[0], a[1] == F_SETLKW ? F_SETLK : F_OFD_SETLK, a[2]);
    return r == -EAGAIN || r == -EACCES ? CALL_HELPER : call_done(call, r);
}

const struct call_ops ops_fcntl = {.attempt = attempt_fcntl};

/* ---- Opening: only a FIFO waits, for its other end ------------------------------------------- */

/* Whether the open makes a new file or fails (O_CREAT with O_EXCL). Such an open never waits for a
 * FIFO. The library must not make it twice: the second would find the file of the first. */
static bool makes_a_file(const struct call *call)
{
    long flags = call->entry->nr == SYS_openat ? call->args[2]
                 : call->entry->nr == SYS_open ? call->args[1]
                                               : 0;
    return (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
}

static bool is_fifo(const struct call *call, bool *unknown)
{
    const long *a = call->args;
    struct stat st;
    bool at = call->entry->nr == SYS_openat || call->entry->nr == SYS_openat2;
    long r = at ? RAW4(SYS_newfstatat, a[0], a[1], &st, 0)
                : RAW4(SYS_newfstatat, AT_FDCWD, a[0], &st, 0);
    *unknown = call_was_refused(r);
    return r >= 0 && S_ISFIFO(st.st_mode);
}

static enum outcome attempt_open(struct call *call)
{
    /* This function does not read the flags of openat2, which may make a file. */
    bool ends = call->entry->nr != SYS_openat2 && open_can_be_ended(call), unknown;
    known_end_forget(call_worker(call));
    known_file_forget(call_worker(call));
    if (makes_a_file(call))
        return CALL_PASS;
    if (!ends || open_is_looked_at(call)) {
        if (is_fifo(call, &unknown)) {
            open_waits(call);
            return CALL_HELPER;
        }
        if (!ends)
            return unknown ? CALL_HELPER : CALL_PASS;
    }
    enum outcome outcome = open_at_once(call);
    if (outcome == CALL_DONE && call->result >= 0)
        known_file_opened(call);
    return outcome;
}

const struct call_ops ops_open = {.attempt = attempt_open};

/* ---- Messages and semaphores ----------------------------------------------------------------- */

static enum outcome attempt_ipc_msg(struct call *call)
{
    long *a = call->args;
    bool receive = call->entry->nr == SYS_msgrcv;
    long r = receive ? RAW5(SYS_msgrcv, a[0], a[1], a[2], a[3], a[4] | IPC_NOWAIT)
                     : RAW4(SYS_msgsnd, a[0], a[1], a[2], a[3] | IPC_NOWAIT);
    return r == (receive ? -ENOMSG : -EAGAIN) ? CALL_HELPER : call_done(call, r);
}

/* The attempt found the queue or set. Another thread may remove it before the helper's call waits:
 * then the error is EIDRM, as for a call that waited. */
static long error_in_found(long r)
{
    return r == -EINVAL ? -EIDRM : r;
}

static long block_in_found(struct call *call)
{
    return error_in_found(call_as_it_stands(call));
}

const struct call_ops ops_ipc_msg = {.attempt = attempt_ipc_msg, .block = block_in_found};

enum { MOST_ATTEMPTED = 32 };

static bool sem_was_attempted(const struct call *call)
{
    return call->args[2] >= 1 && call->args[2] <= MOST_ATTEMPTED;
}

static enum outcome attempt_ipc_sem(struct call *call)
{
    long *a = call->args;
    struct sembuf ops[MOST_ATTEMPTED];
    int error = call->entry->nr == SYS_semtimedop ? deadline_after(call, (void *)a[3]) : 0;
    if (error)
        return call_done(call, error);
    if (!sem_was_attempted(call))
        return CALL_HELPER;
    if (copy_in(ops, (void *)a[1], (size_t)a[2] * sizeof *ops))
        return call_done(call, -EFAULT);
    for (long i = 0; i < a[2]; i++)
        ops[i].sem_flg = (short)(ops[i].sem_flg | IPC_NOWAIT);
    long r = RAW3(SYS_semop, a[0], ops, a[2]);
    /* "Would block" may be the right answer, if the program gave IPC_NOWAIT itself: the helper's
     * real call tells. */
    return r == -EAGAIN || call_was_refused(r) ? CALL_HELPER : call_done(call, r);
}

/* Part of a relative time may be over: the helper waits until the call's deadline. */
static long block_ipc_sem(struct call *call)
{
    const long *a = call->args;
    long r;
    if (call->deadline == PLAT_FOREVER) {
        r = call_as_it_stands(call);
    } else {
        struct timespec rest = deadline_rest(call);
        r = raw_syscall(SYS_semtimedop, a[0], a[1], a[2], (long)&rest, 0, 0);
    }
    return sem_was_attempted(call) ? error_in_found(r) : r;
}

const struct call_ops ops_ipc_sem = {.attempt = attempt_ipc_sem, .block = block_ipc_sem};

static enum outcome attempt_mqueue(struct call *call)
{
    long *a = call->args;
    long r = RAW5(call->entry->nr, a[0], a[1], a[2], a[3], &long_ago);
    return r == -ETIMEDOUT ? CALL_HELPER : call_done(call, r);
}

const struct call_ops ops_mqueue = {.attempt = attempt_mqueue};

static enum outcome attempt_getrandom(struct call *call)
{
    long *a = call->args;
    long r = RAW3(SYS_getrandom, a[0], a[1], a[2] | GRND_NONBLOCK);
    return r == -EAGAIN ? CALL_HELPER : call_done(call, r);
}

const struct call_ops ops_getrandom = {.attempt = attempt_getrandom};

/* ---- No form that does not wait -------------------------------------------------------------- */

static enum outcome attempt_nothing(struct call *call)
{
    (void)call;
    return CALL_HELPER;
}

const struct call_ops ops_helper = {.attempt = attempt_nothing};
