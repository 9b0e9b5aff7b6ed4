/* SPDX-License-Identifier: MIT
 *
 * overlapped_queue.c - see overlapped_queue.h.
 */
#include "winapi/linux/overlapped_queue.h"
#include "platform/chain.h"
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
    async_submit(&operation->call);
}

void operation_take_out(struct operation *operation)
{
    struct operation_queue *queue = queue_of(operation);
    CHAIN_REMOVE(queue, operation, next, previous);
    queue->telling = operation->direction != IN_ANY_ORDER;
}

void queue_go_on(struct operation_queue *queue)
{
    if (!queue->telling && queue->first && queue->first->stage == QUEUED)
        operation_flies(queue->first);
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
        plat_lock(&file->pending_lock);
        file->pending[direction].telling = false;
        queue_go_on(&file->pending[direction]);
        plat_unlock(&file->pending_lock);
    }
    object_drop(&file->object);
}
