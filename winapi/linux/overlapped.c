/* SPDX-License-Identifier: MIT
 *
 * overlapped.c - overlapped operations from their begin to the moment they are over: overlapped.h.
 */
#include <errno.h>
#include <string.h>

#include "winapi/linux/overlapped.h"
#include "winapi/linux/overlapped_end.h"
#include "platform/chain.h"
#include "platform/container_of.h"

static struct operation *of_call(struct async_call *call)
{
    return CONTAINER_OF(call, struct operation, call);
}

/* ---- Creation -------------------------------------------------------------------------------- */

/* The event that an OVERLAPPED names, with a reference; its lowest bit is no part of the handle. */
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

/* All but what operation_create, its caller or async_submit sets: a memset of all of it shows. */
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

int operation_create(struct file *file, OVERLAPPED *overlapped,
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
    struct plat_thread *thread = thread_current();
    struct operation *operation = thread && !async_start() ? operation_memory(thread, extra) : NULL;
    if (!operation) {
        if (event)
            object_drop(event);
        return ERROR_NOT_ENOUGH_MEMORY;
    }
    bool unwanted = (uintptr_t)overlapped->hEvent & 1;
    operation_clear(operation);
    operation->memory = operation + 1;
    operation->call.fd = file->fd;
    operation->call.offset = UINT64_MAX;
    operation->call.stream = false;
    operation->call.disk = file->type == FILE_TYPE_DISK;
    operation->file = file;
    operation->overlapped = overlapped;
    operation->event = event;
    operation->port = unwanted ? NULL : port;
    operation->sink = unwanted ? NULL : sink;
    operation->thread = thread;
    operation->routine = routine;
    *created = operation;
    return 0;
}

/* ---- The file's queues: with its lock -------------------------------------------------------- */

static void append(struct operation *operation)
{
    struct operation_queue *queue = &operation->file->pending[operation->direction];
    CHAIN_APPEND(queue, operation, next, previous);
}

static void fly(struct operation *operation)
{
    operation->stage = FLYING;
    async_submit(&operation->call);
}

/* It is over. The next one of its direction is first now. */
static void take_out(struct operation *operation)
{
    struct operation_queue *queue = &operation->file->pending[operation->direction];
    CHAIN_REMOVE(queue, operation, next, previous);
    if (queue->first && queue->first->stage == QUEUED && operation->direction != IN_ANY_ORDER)
        fly(queue->first);
}

/* ---- Begin ----------------------------------------------------------------------------------- */

/* On ums:async. */
static void done(struct async_call *call, long result)
{
    struct operation *operation = of_call(call);
    struct file *file = operation->file;
    bool over = result == -ECANCELED;
    if (over)
        operation->error = ERROR_OPERATION_ABORTED;
    else
        over = operation->step(operation, result);
    plat_lock(&file->pending_lock);
    if (!over && operation->cancelled) {
        operation->error = ERROR_OPERATION_ABORTED;
        over = true;
    }
    if (over)
        take_out(operation);
    else
        async_submit(call);
    plat_unlock(&file->pending_lock);
    if (!over)
        return;
    if (operation->cancel_sent)
        async_cancel_seen(call);
    operation_publish(operation, false);
}

/* True: it is over. */
static bool tried(struct operation *operation)
{
    long result;
    while (async_attempt(&operation->call, &result))
        if (operation->step(operation, result))
            return true;
    return false;
}

/* It was tried, and is over. Nobody else has it. */
static int over_at_once(struct operation *operation, DWORD *bytes)
{
    int error = (int)operation->error;
    *bytes = operation->bytes;
    if (!error || error == ERROR_MORE_DATA) {
        operation_publish(operation, true);
        return error;
    }
    operation->overlapped->InternalHigh = operation->bytes;
    __atomic_store_n(&operation->overlapped->Internal, overlapped_status(operation->error),
                     __ATOMIC_RELEASE);
    operation_free(operation);
    return error;
}

/* With the file's lock: from here on others may end it. */
static void stands(struct operation *operation, enum operation_state stage)
{
    if (!operation->holds_thread)
        object_hold(&operation->thread->object);
    operation->holds_thread = true;
    operation->stage = (uint8_t)stage;
}

/* A socket's, whose end nobody learns of but by a port: those who serve ports make the call. */
static bool is_for_servers(const struct operation *operation)
{
    const struct async_call *call = &operation->call;
    return call->kind == ASYNC_RECVMSG && !call->flags && operation->file->socket &&
           operation->direction == INWARD && operation->port && !operation->event && ready_start();
}

/* With the file's lock. It was tried in vain, and waits. False: it is to be tried again. */
static bool waits(struct operation *operation, bool for_servers)
{
    enum ready_answer answer = READY_CANNOT;
    if (for_servers) {
        stands(operation, STANDING);
        answer = ready_stand(&operation->file->ready, &operation->call);
    }
    if (answer == READY_CANNOT) {
        stands(operation, FLYING);
        async_submit(&operation->call);
    }
    return answer != READY_AGAIN;
}

/* Whoever found its socket ready: a thread that serves a port, or ums:ready. */
static void ready(struct async_call *call)
{
    struct operation *operation = of_call(call);
    struct file *file = operation->file;
    bool over, rests;
    do {
        over = tried(operation);
        plat_lock(&file->pending_lock);
        if (!over && operation->cancelled) {
            operation->error = ERROR_OPERATION_ABORTED;
            over = true;
        }
        if (over)
            take_out(operation);
        rests = over || waits(operation, call->kind == ASYNC_RECVMSG);
        plat_unlock(&file->pending_lock);
    } while (!rests);
    if (over)
        operation_publish(operation, false);
}

/* Nobody else has it: it is out of its queue, or never was in it. */
static int aborted(struct operation *operation)
{
    operation->error = ERROR_OPERATION_ABORTED;
    operation_publish(operation, false);
    return ERROR_IO_PENDING;
}

static int begin_in_any_order(struct operation *operation, DWORD *bytes)
{
    struct file *file = operation->file;
    if (tried(operation))
        return over_at_once(operation, bytes);
    operation_pends(operation);
    plat_lock(&file->pending_lock);
    bool closed = file->closed;
    if (!closed) {
        append(operation);
        stands(operation, FLYING);
        async_submit(&operation->call);
    }
    plat_unlock(&file->pending_lock);
    return closed ? aborted(operation) : ERROR_IO_PENDING;
}

static int begin_in_order(struct operation *operation, DWORD *bytes)
{
    struct file *file = operation->file;
    plat_lock(&file->pending_lock);
    while (file->pending[operation->direction].first && !file->closed && !operation->pends) {
        plat_unlock(&file->pending_lock);
        operation_pends(operation);
        plat_lock(&file->pending_lock);
    }
    bool closed = file->closed, first = !file->pending[operation->direction].first;
    if (!closed)
        append(operation);
    if (!closed && !first)
        stands(operation, QUEUED);
    plat_unlock(&file->pending_lock);
    if (closed)
        return aborted(operation);
    if (!first)
        return ERROR_IO_PENDING;
    bool for_servers = is_for_servers(operation), over, cancelled, rests;
    do {
        over = tried(operation);
        if (!over)
            operation_pends(operation);
        plat_lock(&file->pending_lock);
        cancelled = operation->cancelled || file->closed;
        if (over || cancelled)
            take_out(operation);
        rests = over || cancelled || waits(operation, for_servers);
        plat_unlock(&file->pending_lock);
    } while (!rests);
    return over        ? over_at_once(operation, bytes)
           : cancelled ? aborted(operation)
                       : ERROR_IO_PENDING;
}

int operation_begin(struct operation *operation, DWORD *bytes)
{
    *bytes = 0;
    operation->call.done = done;
    operation->call.ready = ready;
    if (operation->event)
        operation_pends(operation);
    return operation->direction == IN_ANY_ORDER ? begin_in_any_order(operation, bytes)
                                                : begin_in_order(operation, bytes);
}

/* ---- Cancelling ------------------------------------------------------------------------------ */

/* With the file's lock. Those that are over by this go on the list. */
static void cancel(struct operation *operation, struct operation **over)
{
    bool again = operation->cancelled;
    operation->cancelled = true;
    if (operation->stage == QUEUED ||
        (operation->stage == STANDING &&
         ready_take_back(&operation->file->ready, &operation->call))) {
        take_out(operation);
        operation->next = *over;
        *over = operation;
    } else if (operation->stage == FLYING && !again) {
        operation->cancel_sent = true;
        async_cancel(&operation->call);
    }
}

static bool cancel_those(struct file *file, const OVERLAPPED *overlapped,
                         const struct plat_thread *thread, bool closes)
{
    struct operation *over = NULL;
    bool any = false;
    plat_lock(&file->pending_lock);
    file->closed |= closes;
    for (unsigned i = 0; i < DIRECTIONS; i++)
        for (struct operation *each = file->pending[i].first, *next; each; each = next) {
            next = each->next;
            if ((overlapped && each->overlapped != overlapped) ||
                (thread && each->thread != thread))
                continue;
            any = true;
            cancel(each, &over);
        }
    plat_unlock(&file->pending_lock);
    while (over) {
        struct operation *next = over->next;
        aborted(over);
        over = next;
    }
    return any;
}

bool overlapped_cancel(struct file *file, const OVERLAPPED *overlapped,
                       const struct plat_thread *thread)
{
    return cancel_those(file, overlapped, thread, false);
}

void overlapped_close(struct file *file)
{
    cancel_those(file, NULL, NULL, true);
}

void overlapped_forget(void)
{
    for (size_t page = 0; page < HANDLE_PAGES; page++) {
        handle_entry *entries = atomic_load_explicit(&handle_pages[page], memory_order_relaxed);
        for (size_t i = 0; entries && i < HANDLE_PAGE; i++) {
            struct object *object = handle_object_in(&entries[i]);
            if (!object || object->type != OBJECT_FILE)
                continue;
            struct file *file = (struct file *)object;
            plat_lock_forget(&file->pending_lock);
            memset(file->pending, 0, sizeof file->pending);
            file->ready = (struct ready_watch){0};
            if (file->kind && file->kind->forget)
                file->kind->forget(file);
        }
    }
}
