/* SPDX-License-Identifier: MIT
 *
 * overlapped_queue.h - the order of a file's operations of one direction, to their very ends: the
 * next one begins when the packet of the one before is at the port.
 */
#ifndef UMSSHIM_WINAPI_LINUX_OVERLAPPED_QUEUE_H
#define UMSSHIM_WINAPI_LINUX_OVERLAPPED_QUEUE_H

#include "winapi/linux/overlapped.h"

/* ---- With the file's lock ---- */

static inline struct operation_queue *queue_of(const struct operation *operation)
{
    return &operation->file->pending[operation->direction];
}
/* One that is appended now is the caller's to make. */
static inline bool queue_is_free(const struct operation_queue *queue)
{
    return !queue->first && !queue->telling;
}
void operation_append(struct operation *operation);
/* From here on others may end it. */
void operation_stands(struct operation *operation, enum operation_state stage);
void operation_flies(struct operation *operation);
/* It is over. Until operation_tell has told so none of its direction begins. */
void operation_take_out(struct operation *operation);
/* Those behind one that was taken back, or begun in vain: the first of them flies. */
void queue_go_on(struct operation_queue *queue);

/* ---- Without ---- */

/* Publishes what operation_take_out took out. The next one of its direction flies. */
void operation_tell(struct operation *operation, bool at_once);
/* It has ended already, and is gone: the rest of operation_tell. Takes over a reference. */
void operation_told(struct file *file, unsigned direction);

#endif
