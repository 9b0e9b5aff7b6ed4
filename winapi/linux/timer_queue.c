/* SPDX-License-Identifier: MIT
 *
 * timer_queue.c - timer queues and their timers.
 *
 * A queue lives until its last timer is gone. The end of that timer's last callback wakes the
 * thread that waits for the queue's end.
 */
#include "platform/linux/dispatch/object_signal.h"
#include "winapi/linux/thread_pool.h"

#include <stdlib.h>

struct timer_queue {
    struct pool_group timers;
    _Atomic uint32_t refs; /* references, of its owner and of its timers */
    struct object *done;   /* the owner sets it before it gives its reference back */
};

struct queue_timer {
    struct pool_timer timer; /* must be first */
    struct timer_queue *queue;
    WAITORTIMERCALLBACK callback;
    PVOID context;
    bool runs_long;
};

static struct timer_queue default_queue = {.refs = 1};

/* The queue of a handle. NULL: not a handle. */
static struct timer_queue *queue_of(HANDLE handle)
{
    if (handle == INVALID_HANDLE_VALUE)
        win__fail(ERROR_INVALID_HANDLE);
    return handle == INVALID_HANDLE_VALUE ? NULL
           : handle                       ? (struct timer_queue *)handle
                                          : &default_queue;
}

static void release(struct timer_queue *queue)
{
    if (atomic_fetch_sub_explicit(&queue->refs, 1, memory_order_acq_rel) != 1)
        return;
    struct object *done = queue->done;
    free(queue);
    if (done) {
        object_signal(done);
        object_drop(done);
    }
}

/* ---- Timers -------------------------------------------------------------------------------- */

static void run(struct pool_item *item, struct pool_call *call)
{
    struct queue_timer *timer = (struct queue_timer *)item;
    if (timer->runs_long)
        pool_call_runs_long(call);
    timer->callback(timer->context, TRUE);
}

static void destroy(struct pool_item *item)
{
    struct queue_timer *timer = (struct queue_timer *)item;
    release(timer->queue);
    free(timer);
}

static uint64_t due_in(DWORD milliseconds)
{
    return milliseconds ? win__deadline(milliseconds) : plat_now();
}

BOOL WINAPI CreateTimerQueueTimer(PHANDLE phNewTimer, HANDLE TimerQueue,
                                  WAITORTIMERCALLBACK Callback, PVOID Parameter, DWORD DueTime,
                                  DWORD Period, ULONG Flags)
{
    struct timer_queue *queue = queue_of(TimerQueue);
    if (!queue)
        return FALSE;
    if (!phNewTimer || !Callback)
        return win__fail(ERROR_INVALID_PARAMETER);
    struct queue_timer *timer = calloc(1, sizeof *timer);
    if (!timer || pool_timer_init(&timer->timer, NULL, &queue->timers)) {
        free(timer);
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    }
    atomic_fetch_add_explicit(&queue->refs, 1, memory_order_relaxed);
    timer->queue = queue;
    timer->callback = Callback;
    timer->context = Parameter;
    timer->runs_long = Flags & WT_EXECUTELONGFUNCTION;
    timer->timer.item.run = run;
    timer->timer.item.destroy = destroy;
    *phNewTimer = timer; /* the callback may look there at once */
    pool_timer_set(&timer->timer, due_in(DueTime),
                   Flags & WT_EXECUTEONLYONCE ? 0 : (uint64_t)Period * 1000000u);
    return TRUE;
}

BOOL WINAPI ChangeTimerQueueTimer(HANDLE TimerQueue, HANDLE Timer, ULONG DueTime, ULONG Period)
{
    if (!queue_of(TimerQueue))
        return FALSE;
    if (!Timer || Timer == INVALID_HANDLE_VALUE)
        return win__fail(ERROR_INVALID_PARAMETER);
    pool_timer_change(&((struct queue_timer *)Timer)->timer, due_in(DueTime),
                      (uint64_t)Period * 1000000u);
    return TRUE;
}

BOOL WINAPI DeleteTimerQueueTimer(HANDLE TimerQueue, HANDLE Timer, HANDLE CompletionEvent)
{
    if (!queue_of(TimerQueue))
        return FALSE;
    if (!Timer || Timer == INVALID_HANDLE_VALUE)
        return win__fail(ERROR_INVALID_PARAMETER);
    return win__pool_delete(&((struct queue_timer *)Timer)->timer.item, CompletionEvent);
}

/* ---- Queues -------------------------------------------------------------------------------- */

HANDLE WINAPI CreateTimerQueue(VOID)
{
    struct timer_queue *queue = calloc(1, sizeof *queue);
    if (!queue) {
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    queue->refs = 1;
    return queue;
}

BOOL WINAPI DeleteTimerQueueEx(HANDLE TimerQueue, HANDLE CompletionEvent)
{
    struct object *done;
    if (!TimerQueue || TimerQueue == INVALID_HANDLE_VALUE)
        return win__fail(ERROR_INVALID_HANDLE);
    int error = win__completion_event(CompletionEvent, &done);
    if (error)
        return win__fail((DWORD)error);
    struct timer_queue *queue = TimerQueue;
    queue->done = done;
    bool idle = pool_group_close(
        &queue->timers, CompletionEvent == INVALID_HANDLE_VALUE ? GROUP_WAIT : 0, NULL, NULL);
    release(queue);
    return idle ? TRUE : win__fail(ERROR_IO_PENDING);
}

BOOL WINAPI DeleteTimerQueue(HANDLE TimerQueue)
{
    return DeleteTimerQueueEx(TimerQueue, NULL);
}
