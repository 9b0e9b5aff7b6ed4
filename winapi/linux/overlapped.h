/* SPDX-License-Identifier: MIT
 *
 * overlapped.h - overlapped operations: those that a call begins on a file, and whose end the
 * program learns of in another way.
 *
 * An operation is made by a call such as ReadFile (operation_create), filled in, and begun
 * (operation_begin). Its step function is told the result of each system call that is made for it,
 * and says whether it is over, or which call comes next.
 *
 * The owner of an operation at each moment, under its file's pending_lock:
 *
 *     FRESH    the caller of operation_begin, which tries it without waiting
 *     QUEUED   nobody: another one of its direction is before it, and its end not told yet. The
 *              thread that has told that end starts it
 *     FLYING   ums:async's (platform/linux/async/async.h)
 *     STANDING nobody's, in the set of ready_set.h; or the thread's that has found its socket
 *              ready: it makes the call, and looks for itself like a FRESH one's. Those behind it
 *              that may stand, too, it makes next
 *     over     the thread that took it out of its file's queue, once and for all, and publishes it
 *
 * Operations of one direction of a stream are made one after the other, in the order they were
 * begun: so no two mix their bytes. While one is published none of its direction is begun, so their
 * packets lie in this order, too (overlapped_queue.h). Those on disks have no order.
 *
 * Decided once: an operation is over when it leaves its file's queue, which happens under the lock.
 * CancelIoEx and the end of a file's last handle take out what is QUEUED; of what is FLYING they
 * ask ums:async, whose answer decides, whichever it is; what is STANDING they take out of the set,
 * if it is there; and what is FRESH looks for itself, under the lock, before it becomes anything
 * else. Another connection on its socket ends what is STANDING (overlapped_change_file).
 *
 * Publishing: InternalHigh, then Internal with release: from here on the OVERLAPPED and the buffers
 * are the program's. Then the event, or the file's own signal; then the packet for the file's port,
 * or the procedure for the thread that began it. The operation's own references keep event, port,
 * thread and file alive until then; its memory becomes the packet's or the procedure's.
 */
#ifndef UMSSHIM_WINAPI_LINUX_OVERLAPPED_H
#define UMSSHIM_WINAPI_LINUX_OVERLAPPED_H

#include "platform/linux/async/async.h"
#include "platform/linux/dispatch/apc.h"
#include "platform/linux/dispatch/port.h"
#include "winapi/linux/file.h"

enum operation_state { FRESH, QUEUED, FLYING, STANDING };

struct operation {
    union { /* first: the taker of one of these frees the operation */
        struct packet packet;
        struct apc apc;
        struct operation *next_spent;
    };
    /* ---- Filled in by the caller, between operation_create and operation_begin ---- */
    struct async_call call; /* kind, address, length, flags, offset: the first system call */
    /* The result of the call, or -errno. True: it is over, and `error` and `bytes` say how. False:
     * the call has been changed, and is made. On ums:async, or on the thread that began it: uses
     * no heap, and RAW system calls only. It runs also for a call that was cancelled if the system
     * gave it another result than -ECANCELED. */
    bool (*step)(struct operation *operation, long result);
    uint8_t direction; /* enum file_direction */
    DWORD bytes;       /* 0 at first */
    DWORD error;       /* Win32's; 0 at first */
    uint64_t state[4]; /* for the step function */
    void *memory;      /* the extra bytes */
    /* One more reference, given back with the operation's own; or NULL. */
    struct object *other;

    /* ---- overlapped.c's ---- */
    struct operation *next, *previous; /* in the file's queue */
    struct file *file;
    OVERLAPPED *overlapped;
    struct object *event; /* NULL: the file's own signal */
    struct object *port;  /* where its packet goes: one of these, or no packet */
    struct packet_sink *sink;
    struct plat_thread *thread;
    LPOVERLAPPED_COMPLETION_ROUTINE routine; /* to be called by that thread; or NULL */
    uint8_t stage;                           /* enum operation_state, under the file's lock */
    bool cancelled, cancel_sent;             /* the same */
    bool holds_thread;
    bool pends;           /* the OVERLAPPED says so */
    unsigned connections; /* its queue's, when it was begun */
};

/* A new operation on the file, with `extra` bytes of memory of its own, aligned for anything. Takes
 * over the caller's reference to the file if it returns 0. Else ERROR_INVALID_PARAMETER (no
 * OVERLAPPED, or a routine and a port), ERROR_INVALID_HANDLE (hEvent), ERROR_NOT_ENOUGH_MEMORY. */
int operation_create(struct file *file, OVERLAPPED *overlapped,
                     LPOVERLAPPED_COMPLETION_ROUTINE routine, size_t extra,
                     struct operation **operation);
/* Begins it; it is not the caller's any more. 0: it is over, and published; *bytes says how much.
 * ERROR_IO_PENDING. Else it has failed, and nothing is signalled or queued; but ERROR_MORE_DATA is
 * published like a success. */
int operation_begin(struct operation *operation, DWORD *bytes);

/* Cancels the file's operations with this OVERLAPPED (NULL: with any) of this thread (NULL: of
 * any). False: there was none. */
bool overlapped_cancel(struct file *file, const OVERLAPPED *overlapped,
                       const struct plat_thread *thread);
/* The file's last handle is gone: cancels all, and what is begun after that. */
void overlapped_close(struct file *file);
/* Puts the file of another descriptor behind the socket's: receives that stand there end with the
 * connection. The result of dup3. On any thread. */
long overlapped_change_file(struct file *file, int fd);
/* As a status of NT for Internal, and back. */
ULONG_PTR overlapped_status(DWORD error);
DWORD overlapped_error(ULONG_PTR status);
void overlapped_forget(void); /* in a child after fork: operations are the parent's */

#endif
