/* SPDX-License-Identifier: MIT
 *
 * overlapped_cancel.c - ends overlapped operations from outside: by a cancellation, by the end of
 * the file's last handle, by another connection on their socket.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

#include "platform/chain.h"
#include "platform/layout.h"
#include "platform/linux/dispatch/address.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/os/raw.h"
#include "winapi/linux/overlapped_end.h"
#include "winapi/linux/overlapped_queue.h"

/* Operations that are out of their queues, the oldest first. */
struct ended {
    struct operation *first, *last;
};

/* The caller has the file's lock. The operations behind this one need not wait until its end is
 * published. */
static void end(struct operation *operation, struct ended *ended)
{
    struct operation_queue *queue = queue_of(operation);
    CHAIN_REMOVE(queue, operation, next, previous);
    CHAIN_APPEND(ended, operation, next, previous);
}

/* The caller has the file's lock. True: no thread had the operation, and the caller has it now. */
static bool taken(struct operation *operation)
{
    return operation->stage == QUEUED ||
           (operation->stage == STANDING &&
            ready_take_back(&operation->file->ready, &operation->call));
}

/* The caller has the file's lock. */
static void stop_flight(struct operation *operation)
{
    if (operation->stage != FLYING || operation->cancel_sent)
        return;
    operation->cancel_sent = true;
    async_cancel(&operation->call);
}

/* The caller has the file's lock. */
static void cancel(struct operation *operation, struct ended *ended)
{
    operation->cancelled = true;
    if (taken(operation))
        end(operation, ended);
    else
        stop_flight(operation);
}

void operation_abort(struct operation *operation)
{
    struct file *file = operation->file;
    operation->error = ERROR_OPERATION_ABORTED;
    operation_publish(operation, false);
    object_drop(&file->object);
}

static bool cancel_those(struct file *file, const OVERLAPPED *overlapped,
                         const struct plat_thread *thread, bool closes)
{
    struct ended ended = {0};
    int old[DIRECTIONS] = {-1, -1, -1};
    bool any = false;
    plat_lock(&file->pending_lock);
    file->closed |= closes;
    for (unsigned i = 0; i < DIRECTIONS; i++) {
        for (struct operation *each = file->pending[i].first, *next; each; each = next) {
            next = each->next;
            if ((overlapped && each->overlapped != overlapped) ||
                (thread && each->thread != thread))
                continue;
            any = true;
            cancel(each, &ended);
        }
        if (i != IN_ANY_ORDER)
            old[i] = queue_go_on(&file->pending[i]);
    }
    plat_unlock(&file->pending_lock);
    for (unsigned i = 0; i < DIRECTIONS; i++)
        queue_close_old(&file->pending[i], old[i]);
    for (struct operation *each = ended.first, *next; each; each = next) {
        next = each->next;
        operation_abort(each);
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
            for (unsigned of = 0; of < DIRECTIONS; of++)
                if (file->pending[of].old)
                    RAW1(SYS_close, file->pending[of].old - 1);
            memset(file->pending, 0, sizeof file->pending);
            file->ready = (struct ready_watch){0};
            if (file->kind && file->kind->forget)
                file->kind->forget(file);
        }
    }
}

/* ---- Another file behind the socket ---------------------------------------------------------- */

/* The caller has the file's lock. All operations in the queue are stale from now on. A call ends by
 * itself on a file that is shut down, and on a new stream; but ums:async might make a datagram
 * socket's on the new one. An operation that is over and not published yet counts as well: no
 * packet of the next connection comes before its own. */
static void leave_behind(struct file *file, struct operation_queue *queue, int old)
{
    struct operation *first = queue->first;
    queue->connections++;
    if ((!first && !queue->telling) || queue->old)
        return;
    int kept = (int)RAW3(SYS_fcntl, old, F_DUPFD_CLOEXEC, 0);
    atomic_store_explicit(&queue->old, kept < 0 ? 0 : kept + 1, memory_order_relaxed);
    if (first && first->stage == FLYING)
        stop_flight(first);
    else if (first && first->stage == STANDING && ready_take_back(&file->ready, &first->call))
        operation_flies(first);
}

/* Closes the old file after the lock is released, as that may take long (SO_LINGER). */
long overlapped_change_file(struct file *file, int fd)
{
    int old = (int)RAW3(SYS_fcntl, file->fd, F_DUPFD_CLOEXEC, 0);
    plat_lock(&file->pending_lock);
    RAW2(SYS_shutdown, file->fd, SHUT_RDWR);
    leave_behind(file, &file->pending[INWARD], old);
    leave_behind(file, &file->pending[OUTWARD], old);
    if (file->ready.in_set)
        ready_end(&file->ready, file->fd);
    long done = RAW3(SYS_dup3, fd, file->fd, O_CLOEXEC);
    plat_unlock(&file->pending_lock);
    if (old >= 0)
        RAW1(SYS_close, old);
    return done;
}

static bool is_open(void *old)
{
    return atomic_load_explicit((_Atomic int *)old, memory_order_relaxed);
}
LAYOUT_WAIT("the end of operations on an old connection", is_open);

void overlapped_await_old(struct file *file)
{
    for (unsigned i = 0; i < DIRECTIONS; i++)
        while (UMS_UNLIKELY(is_open(&file->pending[i].old)))
            address_wait(&file->pending[i].old, is_open, NULL, &file->pending[i].old, PLAT_FOREVER);
}
