/* SPDX-License-Identifier: MIT
 *
 * overlapped_queue.h - keeps a file's operations of one direction in order: the next one begins
 * when the packet of the one before is at the port.
 */
#ifndef UMSSHIM_WINAPI_LINUX_OVERLAPPED_QUEUE_H
#define UMSSHIM_WINAPI_LINUX_OVERLAPPED_QUEUE_H

#include "winapi/linux/overlapped.h"

/* ---- The caller has the file's lock ---- */

static inline struct operation_queue *queue_of(const struct operation *operation)
{
    return &operation->file->pending[operation->direction];
}
/* Whether an operation that is appended now may start at once. */
static inline bool queue_is_free(const struct operation_queue *queue)
{
    return !queue->first && !queue->telling;
}
/* Whether the socket has got another file since the operation began. */
static inline bool operation_is_stale(const struct operation *operation)
{
    return operation->connections != queue_of(operation)->connections;
}
void operation_append(struct operation *operation);
/* From here on other threads may end the operation. A stale one flies on the old file. */
void operation_stands(struct operation *operation, enum operation_state stage);
void operation_flies(struct operation *operation);
/* The operation is over. None of its direction begins until operation_tell has published it. */
void operation_take_out(struct operation *operation);
/* Starts the first operation of the queue, after one before it was taken out. Returns the old file,
 * which the caller closes without the lock, if no operation is left that needs it; else -1. */
int queue_go_on(struct operation_queue *queue);

/* ---- Without the lock ---- */

/* Closes what queue_go_on has returned, and wakes overlapped_await_old. */
void queue_close_old(struct operation_queue *queue, int old);

/* Publishes an operation that operation_take_out has taken out. The next of its direction
 * starts. */
void operation_tell(struct operation *operation, bool at_once);
/* The second half of operation_tell, for an operation that is freed already. Takes over the
 * reference to the file. */
void operation_told(struct file *file, unsigned direction);

#endif
