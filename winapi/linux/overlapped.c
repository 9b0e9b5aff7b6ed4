/* SPDX-License-Identifier: MIT
 *
 * overlapped.c - begins and makes overlapped operations: overlapped.h.
 */
#include "winapi/linux/overlapped.h"
#include "winapi/linux/overlapped_end.h"
#include "winapi/linux/overlapped_queue.h"
#include "platform/container_of.h"

static struct operation *of_call(struct async_call *call)
{
    return CONTAINER_OF(call, struct operation, call);
}

/* ---- Creation -------------------------------------------------------------------------------- */

/* The event of an OVERLAPPED, with a reference. The lowest bit of hEvent is no part of the
 * handle. */
static int event_of(const OVERLAPPED *overlapped, struct object **event)
{
    HANDLE handle = (HANDLE)((uintptr_t)overlapped->hEvent & ~(uintptr_t)1);
    *event = handle ? handle_object(handle) : NULL;
    if (!handle)
        return 0;
    if (*event && object_is_event(*event))
        return 0;
    if (*event)
        object_drop(*event);
    return ERROR_INVALID_HANDLE;
}

/* Clears the fields that operation_create, its caller and async_submit do not set. A memset of the
 * whole costs time that can be measured. */
static void operation_clear(struct operation *operation)
{
    operation->call.kind = ASYNC_READ;
    operation->call.length = operation->call.flags = 0;
    operation->call.address = NULL;
    operation->direction = IN_ANY_ORDER;
    operation->bytes = operation->error = 0;
    for (size_t i = 0; i < sizeof operation->state / sizeof *operation->state; i++)
        operation->state[i] = 0;
    operation->other = NULL;
    operation->stage = FRESH;
    operation->cancelled = operation->cancel_sent = false;
    operation->holds_thread = operation->pends = false;
}

/* `created`: the operation, if it lies on the caller's stack; NULL: it gets memory of its own. */
static inline int create(struct file *file, OVERLAPPED *overlapped,
                         LPOVERLAPPED_COMPLETION_ROUTINE routine, size_t extra,
                         struct operation **created)
{
    struct object *port = atomic_load_explicit(&file->port, memory_order_acquire);
    struct packet_sink *sink = atomic_load_explicit(&file->sink, memory_order_acquire);
    struct object *event = NULL;
    if (!overlapped || (routine && (port || sink)))
        return ERROR_INVALID_PARAMETER;
    int error = routine ? 0 : event_of(overlapped, &event);
    if (error)
        return error;
    if ((uintptr_t)overlapped->hEvent & 1) { /* the program wants no packet */
        port = NULL;
        sink = NULL;
    }
    struct plat_thread *thread = thread_current();
    struct operation *operation = *created;
    bool good = thread && !async_start();
    if (good && operation)
        good = operation_end_memory(thread, operation, port || sink || routine);
    else if (good)
        operation = operation_memory(thread, extra);
    if (!good || !operation) {
        if (event)
            object_drop(event);
        return ERROR_NOT_ENOUGH_MEMORY;
    }
    operation_clear(operation);
    operation->memory = operation + 1;
    operation->call.fd = file->fd;
    operation->call.offset = UINT64_MAX;
    operation->call.stream = false;
    operation->call.disk = file->type == FILE_TYPE_DISK;
    operation->file = file;
    operation->overlapped = overlapped;
    operation->event = event;
    operation->port = port;
    operation->sink = sink;
    operation->thread = thread;
    operation->routine = routine;
    *created = operation;
    return 0;
}

int operation_create(struct file *file, OVERLAPPED *overlapped,
                     LPOVERLAPPED_COMPLETION_ROUTINE routine, size_t extra,
                     struct operation **created)
{
    *created = NULL;
    return create(file, overlapped, routine, extra, created);
}

/* ---- Begin ----------------------------------------------------------------------------------- */

/* The calling thread has a stale operation: ends it on the old file with the bytes that had come,
 * or as at the end of the stream. `old` -1: there was no descriptor for that file. */
static void end_with_old(struct operation *operation, int old)
{
    long result;
    bool over = false;
    operation->error = 0;
    operation->call.fd = old;
    while (!over && old >= 0 && async_attempt(&operation->call, &result))
        over = operation->step(operation, result);
    if (!over && !operation->step(operation, 0)) /* the step was a poll: the call ends, too */
        operation->step(operation, 0);
}

/* The calling thread has made a call for the operation. `over`: the call's result ends it. Takes
 * the file's lock, and returns with it. True: the operation is over, and out of its queue. */
static bool settled(struct operation *operation, bool over)
{
    struct file *file = operation->file;
    plat_lock(&file->pending_lock);
    if (operation->cancelled) {
        if (!over)
            operation->error = ERROR_OPERATION_ABORTED;
        over = true;
    } else if (UMS_UNLIKELY(operation_is_stale(operation)) && (!over || operation->error)) {
        int old = queue_of(operation)->old - 1;
        plat_unlock(&file->pending_lock);
        end_with_old(operation, old);
        plat_lock(&file->pending_lock);
        over = true;
    }
    if (over)
        operation_take_out(operation);
    return over;
}

/* Takes the result of a call. The thread ums:async calls it. */
static void done(struct async_call *call, long result)
{
    struct operation *operation = of_call(call);
    struct file *file = operation->file;
    bool over = result == -ECANCELED;
    if (over)
        operation->error = ERROR_OPERATION_ABORTED;
    else
        over = operation->step(operation, result);
    over = settled(operation, over);
    if (!over)
        async_submit(call);
    plat_unlock(&file->pending_lock);
    if (!over)
        return;
    if (operation->cancel_sent)
        async_cancel_seen(call);
    operation_tell(operation, false);
}

/* Makes calls that do not wait. True: the operation is over. */
static bool tried(struct operation *operation)
{
    long result;
    while (async_attempt(&operation->call, &result))
        if (operation->step(operation, result))
            return true;
    return false;
}

/* The operation was over at the first try. It is out of its queue, or never was in it. */
static int over_at_once(struct operation *operation, DWORD *bytes)
{
    int error = (int)operation->error;
    struct file *file = operation->file;
    unsigned direction = operation->direction;
    *bytes = operation->bytes;
    if (!error || error == ERROR_MORE_DATA) {
        operation_tell(operation, true);
        return error;
    }
    operation->overlapped->InternalHigh = operation->bytes;
    __atomic_store_n(&operation->overlapped->Internal, overlapped_status(operation->error),
                     __ATOMIC_RELEASE);
    object_hold(&file->object);
    operation_free(operation);
    operation_told(file, direction);
    return error;
}

/* Whether the threads that serve the port make the call: a socket's receive whose end only a packet
 * tells. */
static bool is_for_servers(const struct operation *operation)
{
    const struct async_call *call = &operation->call;
    return call->kind == ASYNC_RECVMSG && !call->flags && operation->file->socket &&
           operation->direction == INWARD && operation->port && !operation->event && ready_start();
}

/* The caller has the file's lock, and the operation could not end without waiting. Has it wait.
 * False: try again, as the socket has become ready. */
static bool waits(struct operation *operation, bool for_servers)
{
    enum ready_answer answer = READY_CANNOT;
    if (for_servers) {
        operation_stands(operation, STANDING);
        answer = ready_stand(&operation->file->ready, &operation->call);
    }
    if (answer == READY_CANNOT)
        operation_flies(operation);
    return answer != READY_AGAIN;
}

/* Publishes the operation. If the next one is for servers, and `may`, returns it: the calling
 * thread makes it, too. Else NULL, and *told is the caller's reference to the file. */
static struct operation *next_after(struct operation *operation, bool may, struct file **told)
{
    struct file *file = operation->file;
    struct operation_queue *queue = queue_of(operation);
    operation_publish(operation, false);
    int old = -1;
    plat_lock(&file->pending_lock);
    queue->telling = false;
    struct operation *next = queue->first;
    if (may && next && next->stage == QUEUED && !operation_is_stale(next) && is_for_servers(next)) {
        operation_stands(next, STANDING);
        old = queue_go_on(queue);
    } else {
        old = queue_go_on(queue);
        next = NULL;
    }
    plat_unlock(&file->pending_lock);
    queue_close_old(queue, old);
    if (next) /* it has a reference of its own */
        object_drop(&file->object);
    else
        *told = file;
    return next;
}

/* On a thread that serves a port, or on ums:ready: the operation's socket is ready. */
static struct object *ready(struct async_call *call)
{
    enum { MOST_OF_ONE = 16 }; /* then other sockets' calls have their turn */
    struct operation *operation = of_call(call);
    struct file *told = NULL;
    for (unsigned made = 1; operation; made++) {
        struct file *file = operation->file;
        bool over, rests;
        do {
            over = settled(operation, tried(operation));
            rests = over || waits(operation, operation->call.kind == ASYNC_RECVMSG);
            plat_unlock(&file->pending_lock);
        } while (!rests);
        operation = over ? next_after(operation, made < MOST_OF_ONE, &told) : NULL;
    }
    return told ? &told->object : NULL;
}

/* `over`: its first calls have ended it. */
static int begin_in_any_order(struct operation *operation, bool over, DWORD *bytes)
{
    struct file *file = operation->file;
    if (over)
        return over_at_once(operation, bytes);
    struct operation *kept = operation_keep(operation);
    if (!kept) {
        operation->error = ERROR_NOT_ENOUGH_MEMORY;
        return over_at_once(operation, bytes);
    }
    operation = kept;
    operation_pends(operation);
    plat_lock(&file->pending_lock);
    bool closed = file->closed;
    if (!closed) {
        operation_append(operation);
        operation_flies(operation);
    }
    plat_unlock(&file->pending_lock);
    if (closed)
        operation_abort(operation);
    return ERROR_IO_PENDING;
}

static int begin_in_order(struct operation *operation, DWORD *bytes)
{
    struct file *file = operation->file;
    struct operation_queue *queue = queue_of(operation);
    plat_lock(&file->pending_lock);
    while (!queue_is_free(queue) && !file->closed && !operation->pends) {
        plat_unlock(&file->pending_lock);
        operation_pends(operation);
        plat_lock(&file->pending_lock);
    }
    bool closed = file->closed, first = queue_is_free(queue);
    if (!closed)
        operation_append(operation);
    if (!closed && !first)
        operation_stands(operation, QUEUED);
    plat_unlock(&file->pending_lock);
    if (closed)
        operation_abort(operation);
    if (closed || !first)
        return ERROR_IO_PENDING;
    bool for_servers = is_for_servers(operation), over, rests;
    do {
        over = tried(operation);
        if (!over)
            operation_pends(operation);
        over = settled(operation, over);
        rests = over || waits(operation, for_servers);
        plat_unlock(&file->pending_lock);
    } while (!rests);
    if (over && operation->error != ERROR_OPERATION_ABORTED)
        return over_at_once(operation, bytes);
    if (over)
        operation_tell(operation, false);
    return ERROR_IO_PENDING;
}

/* Before the first call. */
static void set_out(struct operation *operation)
{
    operation->call.done = done;
    operation->call.ready = ready;
    if (operation->event)
        operation_pends(operation);
}

int operation_begin(struct operation *operation, DWORD *bytes)
{
    *bytes = 0;
    set_out(operation);
    return operation->direction == IN_ANY_ORDER
               ? begin_in_any_order(operation, tried(operation), bytes)
               : begin_in_order(operation, bytes);
}

int operation_create_here(struct file *file, OVERLAPPED *overlapped,
                          LPOVERLAPPED_COMPLETION_ROUTINE routine, struct operation *operation)
{
    int error = create(file, overlapped, routine, 0, &operation);
    if (!error)
        set_out(operation);
    return error;
}

int operation_go_on(struct operation *operation, long first, DWORD *bytes)
{
    bool over = async_attempted(first) && (operation->step(operation, first) || tried(operation));
    *bytes = 0;
    return begin_in_any_order(operation, over, bytes);
}
