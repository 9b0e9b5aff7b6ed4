/* SPDX-License-Identifier: MIT
 *
 * call_ops.h - how a trapped system call is made on a worker's behalf.
 *
 * A call goes through up to three stages. attempt() makes it without waiting, if that can be done.
 * submit() describes it to the ring, answered() takes the ring's answer. block() makes it for real
 * on a helper thread, and is there for every call. attempt() runs on the worker itself
 * (user_call.c), and later on a thread that finds that the call need not wait any more (poller.c,
 * watched.c); submit() and answered() on the reactor; block() on a helper. A scheduler that has
 * slept on the file of a call that waits for events only (watch_polls) runs answered(), too, and
 * gives it the events (file_sleep.c). None of them uses the heap or a libc lock. None reads the
 * program's memory itself: it asks the kernel to, which may answer EFAULT.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_CALL_OPS_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_CALL_OPS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

struct call;

/* Headers that the library may be built with do not have these yet. */
enum { RING_OP_WAITID = 50, RING_OP_FUTEX_WAIT = 51 };
#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

enum outcome {
    CALL_DONE,   /* call->result has the answer */
    CALL_WAIT,   /* it has to wait: ring if possible, else a helper */
    CALL_HELPER, /* it has to wait, and only a helper will do */
    CALL_TIMER,  /* it is over, with result 0, at call->deadline */
    CALL_SIGNAL, /* it is over when a signal was handled */
    CALL_FAULT,  /* (fault_watch.c) a page fault or lent call: until the kernel is done */
    CALL_PASS,   /* the worker's own thread makes it */
    CALL_ARM     /* (reactor only) it has to wait, and not as a deferred call */
};

struct io_uring_sqe;
/* A value of `readiness`: the call is attempted again while it is deferred (poller.c), and
 * watches() says which file is watched for it. */
enum { WHILE_DEFERRED = 1 << 28 };

struct call_ops {
    enum outcome (*attempt)(struct call *call); /* may be called again; goes on from `progress` */
    int readiness; /* EPOLLIN or EPOLLOUT of args[0]: when to attempt again. 0: no file tells */
    bool (*submit)(struct call *call, struct io_uring_sqe *sqe); /* NULL: never by ring */
    enum outcome (*answered)(struct call *call, int result);     /* CALL_WAIT: submit again */
    long (*block)(struct call *call);       /* NULL: the system call as it stands */
    void (*interrupted)(struct call *call); /* a signal ends its wait; NULL: no more to do */
    /* On the worker itself, when attempt() has said CALL_WAIT: fills in call->watch for a call that
     * asks for the readiness of one file. NULL: args[0] is watched, as `readiness` says. */
    void (*watches)(struct call *call);
};

/* The columns of a row: traps/calls.def. */
struct call_test {
    enum { TEST_NONE, TEST_CLEAR, TEST_NONZERO, TEST_ONE_OF, TEST_IN_SET } kind;
    uint8_t arg;
    uint32_t mask, one, other;
};

enum call_kind { CALL_STOPS = 1, CALL_LENDS = 2, CALL_STEADY = 4 }; /* a set of them */

enum call_signal {
    SIGNAL_STAYS,
    SIGNAL_ENDS,
    SIGNAL_RESTARTS,
    SIGNAL_UNTIMED,
    SIGNAL_RECEIVES,
    SIGNAL_SENDS,
    SIGNAL_READS,
    SIGNAL_WRITES
};

/* Where a call's signal mask is: the argument's number plus one, and MASK_IS_IN if that argument
 * points to a pair of mask and size; 0: there is none. */
enum { NO_MASK = 0, MASK_IS_IN = 1 << 3 };
#define MASK_AT(arg) ((arg) + 1)
#define MASK_IN(arg) (MASK_AT(arg) | MASK_IS_IN)

struct call_row {
    int nr;
    uint8_t kinds;  /* enum call_kind */
    uint8_t signal; /* enum call_signal */
    uint8_t mask;
    struct call_test when;
    const struct call_ops *ops;
    const char *name, *told;
};

/* No row of the table: a recvfrom of the library's own, with none of the flags that keep it from
 * waiting. It waits though the descriptor does not by itself. */
extern const struct call_row row_of_waiting_receive;

/* The operations that the rows name. */
extern const struct call_ops ops_read, ops_write, ops_recv, ops_recvmsg, ops_recvmmsg, ops_send,
    ops_sendmsg, ops_sendmmsg, ops_accept, ops_connect, ops_poll, ops_select, ops_epoll, ops_futex,
    ops_futex_waitv, ops_sleep, ops_wait4, ops_waitid, ops_fsync, ops_helper, ops_flock, ops_fcntl,
    ops_open, ops_ipc_msg, ops_ipc_sem, ops_mqueue, ops_getrandom, ops_signal, ops_sigtimedwait,
    ops_identity, ops_affinity, ops_process, ops_scheduling, ops_home, ops_home_waits, ops_task,
    ops_prctl, ops_ring_setup;

#endif
