/* SPDX-License-Identifier: MIT
 *
 * overlapped_queue.c - see overlapped_queue.h.
 */
#include "winapi/linux/overlapped_queue.h"

#include <limits.h>

#include "platform/chain.h"
#include "platform/linux/dispatch/address.h"
#include "platform/linux/os/raw.h"
#include "winapi/linux/overlapped_end.h"

void operation_append(struct operation *operation)
{
    struct operation_queue *queue = queue_of(operation);
    CHAIN_APPEND(queue, operation, next, previous);
    operation->connections = queue->connections;
}

void operation_stands(struct operation *operation, enum operation_state stage)
{
    if (!operation->holds_thread)
        object_hold(&operation->thread->object);
    operation->holds_thread = true;
    operation->stage = (uint8_t)stage;
}

void operation_flies(struct operation *operation)
{
    operation_stands(operation, FLYING);
    if (UMS_UNLIKELY(operation_is_stale(operation)) && queue_of(operation)->old)
        operation->call.fd = queue_of(operation)->old - 1;
    async_submit(&operation->call);
}

void operation_take_out(struct operation *operation)
{
    struct operation_queue *queue = queue_of(operation);
    CHAIN_REMOVE(queue, operation, next, previous);
    queue->telling = operation->direction != IN_ANY_ORDER;
}

int queue_go_on(struct operation_queue *queue)
{
    if (!queue->telling && queue->first && queue->first->stage == QUEUED)
        operation_flies(queue->first);
    if (UMS_LIKELY(!atomic_load_explicit(&queue->old, memory_order_relaxed)) || queue->telling ||
        (queue->first && operation_is_stale(queue->first)))
        return -1;
    return atomic_exchange_explicit(&queue->old, 0, memory_order_relaxed) - 1;
}

void queue_close_old(struct operation_queue *queue, int old)
{
    if (UMS_LIKELY(old < 0))
        return;
    address_wake(&queue->old, UINT_MAX, NULL, NULL);
    RAW1(SYS_close, old);
}

void operation_tell(struct operation *operation, bool at_once)
{
    struct file *file = operation->file;
    unsigned direction = operation->direction;
    operation_publish(operation, at_once);
    operation_told(file, direction);
}

void operation_told(struct file *file, unsigned direction)
{
    if (direction != IN_ANY_ORDER) {
        struct operation_queue *queue = &file->pending[direction];
        plat_lock(&file->pending_lock);
        queue->telling = false;
        int old = queue_go_on(queue);
        plat_unlock(&file->pending_lock);
        queue_close_old(queue, old);
    }
    object_drop(&file->object);
}
