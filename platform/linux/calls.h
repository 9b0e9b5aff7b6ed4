/* SPDX-License-Identifier: MIT
 *
 * calls.h - how a trapped system call is made on a worker's behalf.
 *
 * A call goes through up to three stages. attempt() makes it without waiting, if that can be done.
 * submit() describes it to the ring, answered() takes the ring's answer. block() makes it for real
 * on a helper thread, and is there for every call. attempt() runs on the reactor, or on the worker
 * itself (front.c); submit() and answered() on the reactor; block() on a helper. None of them uses
 * the heap or a libc lock, and none follows a pointer of the program's without asking the kernel to.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "platform/linux/engine.h"

/* Newer than the headers this may be built with. */
enum { RING_OP_FUTEX_WAIT = 51 };
#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

enum outcome {
    CALL_DONE,   /* call->result has the answer */
    CALL_WAIT,   /* it has to wait: ring if possible, else a helper */
    CALL_HELPER, /* it has to wait, and only a helper will do */
    CALL_TIMER,  /* it is over, with result 0, at call->deadline */
    CALL_SIGNAL, /* it is over when a signal was handled */
    CALL_PASS,   /* let the thread make it itself */
    CALL_OLD,    /* (reactor only) it has to wait, and not as a young call */
    CALL_IN_RING /* (reactor only) submitted, the ring will answer */
};

struct call_ops {
    enum outcome (*attempt)(struct call *call); /* may be asked again; goes on from `progress` */
    int readiness; /* EPOLLIN or EPOLLOUT on args[0]: when to ask again. 0: it does not tell */
    bool (*submit)(struct call *call, struct io_uring_sqe *sqe); /* NULL: never by ring */
    enum outcome (*answered)(struct call *call, int result);     /* CALL_WAIT: submit again */
    long (*block)(struct call *call); /* NULL: the system call as it stands */
};

/* Which calls the filter can wave through by their arguments alone. */
struct call_test {
    enum { TEST_NONE, TEST_CLEAR, TEST_NONZERO, TEST_ONE_OF, TEST_IN_SET } kind;
    uint8_t arg;
    uint32_t mask, one, other;
};

struct trapped_call {
    int nr;
    const char *name;
    struct call_test trap_if;
    const struct call_ops *ops;
};

extern const struct trapped_call trapped_calls[];
extern const unsigned trapped_call_count;

/* Code that touches no vector register: it may run before they are kept (site_slots.S). */
#define CALL_PLAIN_REGISTERS __attribute__((target("general-regs-only")))

/* Whether the filter would stop the call with these arguments. */
CALL_PLAIN_REGISTERS bool call_is_stopped(const struct trapped_call *entry, const long *args);

/* The row of a call that the filter stops, or NULL. */
const struct trapped_call *trapped_call_find(int nr);

extern const struct call_ops ops_read, ops_write, ops_recv, ops_recvmsg, ops_recvmmsg, ops_send,
    ops_sendmsg, ops_sendmmsg, ops_accept, ops_connect, ops_poll, ops_select, ops_epoll, ops_futex,
    ops_futex_waitv, ops_sleep, ops_wait4, ops_waitid, ops_fsync, ops_helper, ops_flock, ops_fcntl,
    ops_open, ops_ipc_msg, ops_ipc_sem, ops_mqueue, ops_getrandom, ops_signal, ops_sigtimedwait,
    ops_identity, ops_affinity, ops_process, ops_scheduling, ops_home;

/* reactor.c: the attempt, with the mask that the call brings along. On the reactor, or on the worker. */
enum outcome call_attempt(struct call *call);

/* errand.c: the operations of a priority-inheriting futex, and any futex operation on a helper. */
enum outcome attempt_futex_pi(struct call *call);
long block_futex(struct call *call);
/* And a call that is a function of libc's, made by the worker's home: args[0] of home_function_call. */
typedef long home_function(const long *args);
extern const struct trapped_call home_function_call;

#endif
