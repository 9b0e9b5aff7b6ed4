/* SPDX-License-Identifier: MIT
 *
 * overlapped_cancel.c - ends overlapped operations from outside: by a cancellation, by the end of
 * the file's last handle, by another connection on their socket.
 */
#include <fcntl.h>
#include <string.h>

#include "platform/chain.h"
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
static void cancel(struct operation *operation, struct ended *ended)
{
    bool again = operation->cancelled;
    operation->cancelled = true;
    if (taken(operation)) {
        end(operation, ended);
    } else if (operation->stage == FLYING && !again) {
        operation->cancel_sent = true;
        async_cancel(&operation->call);
    }
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
            queue_go_on(&file->pending[i]);
    }
    plat_unlock(&file->pending_lock);
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
            memset(file->pending, 0, sizeof file->pending);
            file->ready = (struct ready_watch){0};
            if (file->kind && file->kind->forget)
                file->kind->forget(file);
        }
    }
}

/* ---- Another file behind the socket ---------------------------------------------------------- */

/* Ends a receive with the bytes that have come by now, or as at the end of the stream. */
static void end_with_connection(struct operation *operation, int old)
{
    struct file *file = operation->file;
    long result;
    bool over = false;
    operation->call.fd = old;
    while (!over && old >= 0 && async_attempt(&operation->call, &result))
        over = operation->step(operation, result);
    if (!over &&
        !operation->step(operation, 0)) /* the step was a poll, and the read after it ends, too */
        operation->step(operation, 0);
    operation_publish(operation, false);
    object_drop(&file->object);
}

/* Closes the old file after the lock is released, as that may take long (SO_LINGER). */
long overlapped_change_file(struct file *file, int fd)
{
    struct operation_queue *inward = &file->pending[INWARD];
    struct ended ended = {0};
    int old = (int)RAW3(SYS_fcntl, file->fd, F_DUPFD_CLOEXEC, 0);
    plat_lock(&file->pending_lock);
    if (inward->first && inward->first->stage == STANDING && taken(inward->first))
        while (inward->first)
            end(inward->first, &ended);
    if (ended.first) {
        object_hold(&file->object);
        inward->telling = true;
    }
    if (file->ready.in_set)
        ready_end(&file->ready, file->fd);
    inward->connections++;
    long done = RAW3(SYS_dup3, fd, file->fd, O_CLOEXEC);
    plat_unlock(&file->pending_lock);
    for (struct operation *each = ended.first, *next; each; each = next) {
        next = each->next;
        end_with_connection(each, old);
    }
    if (ended.first)
        operation_told(file, INWARD);
    if (old >= 0)
        RAW1(SYS_close, old);
    return done;
}
