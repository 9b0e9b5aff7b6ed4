/* SPDX-License-Identifier: MIT
 *
 * overlapped.h - overlapped operations: a call begins one on a file, and the program learns of its
 * end by an event, a packet or a procedure.
 *
 * A call such as ReadFile makes an operation (operation_create), fills it in, and begins it
 * (operation_begin). Its step function gets the result of each system call that is made for it, and
 * says whether the operation is over, or which system call comes next.
 *
 * The owner of an operation at each moment, under its file's pending_lock:
 *
 *     FRESH    the caller of operation_begin, which makes its calls without waiting. It may lie on
 *              that thread's stack (operation_create_here). Then operation_go_on moves it to memory
 *              of its own, before any other thread knows of it
 *     QUEUED   no thread: the end of an earlier one of its direction is not published yet. The
 *              thread that has published that end starts it
 *     FLYING   the thread ums:async (platform/linux/async/async.h)
 *     STANDING no thread, in the set of ready_set.h. A thread that finds its socket ready takes
 *              it, makes the call, and checks for a cancellation itself, as for FRESH. Then it
 *              makes the next ones that may be in the set, too
 *     over     the thread that took it out of its file's queue, once and for all, and publishes it
 *
 * A transfer that its first call ends may do without an operation: overlapped_end.h.
 *
 * Operations of one direction of a stream are made one after the other, in the order in which they
 * began: so no two mix their bytes. While one is being published none of its direction starts, so
 * their packets come in this order, too (overlapped_queue.h). Operations on disks have no order.
 *
 * An operation is over when it leaves its file's queue, under the lock: so that is decided once.
 * CancelIoEx and the end of a file's last handle take a QUEUED operation out. They ask ums:async to
 * cancel a FLYING one, and its answer decides. A STANDING one they take out of the set, if it is
 * there. The thread that has a FRESH one checks for a cancellation under the lock before it gives
 * the operation away.
 *
 * When a socket gets another file, operations of the old file's time are *stale*: `connections` of
 * the operation and of its queue differ. The old file is shut down, and stays open in the queue's
 * `old` until the last of them is over, and is published. A thread that has a stale one may have
 * made its call by the socket's number, on either file. The new file is no connection yet, so there
 * the call fails. The thread sees under the lock that the operation is stale, and then makes the
 * call on `old`: that has the bytes that had come, or the end. A stale QUEUED or STANDING operation
 * starts on `old`. Calls that connect the socket again, or end a connection, wait for that
 * (overlapped_await_old): so no stale operation can meet the next connection.
 *
 * To publish an operation a thread writes InternalHigh, then Internal with release: from then on
 * the OVERLAPPED and the buffers are the program's. It signals the event, or the file itself. Then
 * it gives the packet to the file's port, or the procedure to the thread that began the operation.
 * The operation's references keep event, port, thread and file alive until then. The memory of its
 * end becomes that of the packet or the procedure.
 */
#ifndef UMSSHIM_WINAPI_LINUX_OVERLAPPED_H
#define UMSSHIM_WINAPI_LINUX_OVERLAPPED_H

#include "platform/linux/async/async.h"
#include "platform/linux/dispatch/apc.h"
#include "platform/linux/dispatch/port.h"
#include "winapi/linux/file.h"

enum operation_state { FRESH, QUEUED, FLYING, STANDING };

/* The memory of an operation's end. The thread that takes the packet or the procedure frees it. */
union operation_end {
    struct packet packet;
    struct apc apc;
    union operation_end *next_spent;
};

struct operation {
    struct { /* first: to free `own` is to free the operation */
        union operation_end own;
        /* own, or, of an operation on its caller's stack, a block from packet_memory; NULL: that
         * operation's end is neither a packet nor a procedure. */
        union operation_end *at;
    } end;
    /* ---- Filled in by the caller, between operation_create and operation_begin ---- */
    struct async_call call; /* the first system call: kind, address, length, flags, offset */
    /* Called with the result of the call, or -errno. True: the operation is over, and `error` and
     * `bytes` are set. False: `call` is the next call to make. On ums:async, or on the thread that
     * began the operation: uses no heap, and only RAW system calls. Called also for a cancelled
     * call whose result is not -ECANCELED. */
    bool (*step)(struct operation *operation, long result);
    uint8_t direction; /* enum file_direction */
    DWORD bytes;       /* 0 at first */
    DWORD error;       /* a Win32 error; 0 at first */
    uint64_t state[4]; /* for the step function */
    void *memory;      /* the `extra` bytes of operation_create */
    /* A further reference, given back together with the operation's own; or NULL. */
    struct object *other;

    /* ---- overlapped.c's ---- */
    struct operation *next, *previous; /* in the file's queue */
    struct file *file;
    OVERLAPPED *overlapped;
    struct object *event; /* NULL: the file itself is signalled */
    struct object *port;  /* its packet goes to the port or the sink; both NULL: no packet */
    struct packet_sink *sink;
    struct plat_thread *thread;
    LPOVERLAPPED_COMPLETION_ROUTINE routine; /* that thread calls it; or NULL */
    uint8_t stage;                           /* enum operation_state, under the file's lock */
    bool cancelled, cancel_sent;             /* under the file's lock */
    bool holds_thread;
    bool pends;           /* Internal is STATUS_PENDING */
    unsigned connections; /* the queue's number when the operation began: stale if it differs */
};

/* Makes an operation on the file, with `extra` bytes of memory, aligned for any type. If it returns
 * 0 it has taken over the caller's reference to the file. Else ERROR_INVALID_PARAMETER (no
 * OVERLAPPED, or a routine and a port), ERROR_INVALID_HANDLE (hEvent), ERROR_NOT_ENOUGH_MEMORY. */
int operation_create(struct file *file, OVERLAPPED *overlapped,
                     LPOVERLAPPED_COMPLETION_ROUTINE routine, size_t extra,
                     struct operation **operation);
/* Begins the operation, which is not the caller's any more. 0: it is over and published; *bytes is
 * the number of bytes. ERROR_IO_PENDING: it goes on. Other errors: it has failed, and nothing is
 * signalled or queued; but ERROR_MORE_DATA is published like a success. */
int operation_begin(struct operation *operation, DWORD *bytes);

/* The same in three steps, for an operation that is made in any order, has no `extra` memory, and
 * is mostly over at the first try. Until then it takes only a packet's memory: `operation` is the
 * caller's. The caller creates it, fills it in and makes the first call itself, in the form that
 * does not wait (async_first). Then it passes on the result of that. */
int operation_create_here(struct file *file, OVERLAPPED *overlapped,
                          LPOVERLAPPED_COMPLETION_ROUTINE routine, struct operation *operation);
int operation_go_on(struct operation *operation, long first, DWORD *bytes);

/* Cancels the file's operations with this OVERLAPPED (NULL: with any) that this thread (NULL: any)
 * has begun. False: there was none. */
bool overlapped_cancel(struct file *file, const OVERLAPPED *overlapped,
                       const struct plat_thread *thread);
/* At the end of the file's last handle: cancels all operations, and each that begins later. */
void overlapped_close(struct file *file);
/* Shuts the socket's file down, gives its descriptor another one, by dup3, and returns the result
 * of that. Operations that go on end with the old file, in their order. On any thread. */
long overlapped_change_file(struct file *file, int fd);
/* Waits until no operation of the old file's time is left. On a thread of the program's. */
void overlapped_await_old(struct file *file);
/* Between a Win32 error and the NT status in Internal. */
ULONG_PTR overlapped_status(DWORD error);
DWORD overlapped_error(ULONG_PTR status);
void overlapped_forget(void); /* in a child after fork: the operations are the parent's */

#endif
