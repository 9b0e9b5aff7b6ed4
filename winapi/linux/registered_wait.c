/* SPDX-License-Identifier: MIT
 *
 * registered_wait.c - RegisterWaitForSingleObject, the older way to wait by the thread pool;
 * completion events.
 *
 * A wait that repeats is set again when its callback has returned, so its callbacks run one at a
 * time.
 */
#include "winapi/linux/thread_pool.h"

#include <stdlib.h>

struct registered_wait {
    struct pool_wait wait; /* must be first */
    struct object *object;
    WAITORTIMERCALLBACK callback;
    PVOID context;
    DWORD milliseconds;
    bool once, runs_long, in_wait_thread;
    _Atomic(struct plat_thread *) caller; /* the thread that runs the callback */
};

/* ---- Completion events --------------------------------------------------------------------- */

int win__completion_event(HANDLE handle, struct object **event)
{
    *event = NULL;
    if (!handle || handle == INVALID_HANDLE_VALUE)
        return 0;
    struct object *object = handle_object(handle);
    if (!object)
        return ERROR_INVALID_HANDLE;
    if (object_is_event(object)) {
        *event = object;
        return 0;
    }
    object_drop(object);
    return ERROR_INVALID_HANDLE;
}

BOOL win__pool_delete(struct pool_item *item, HANDLE event)
{
    struct object *done;
    int error = win__completion_event(event, &done);
    if (error)
        return win__fail((DWORD)error);
    item->stop(item);
    if (event == INVALID_HANDLE_VALUE)
        pool_wait_idle(item);
    return pool_item_close(item, done) ? TRUE : win__fail(ERROR_IO_PENDING);
}

int win__pool_object(HANDLE handle, struct object **object)
{
    struct object *found = handle_object(handle);
    if (!found)
        return ERROR_INVALID_HANDLE;
    int error = object_is_mutex(found) ? ERROR_INVALID_PARAMETER
                : found->type == OBJECT_SECTION || found->type == OBJECT_SEARCH ||
                        found->type == OBJECT_SNAPSHOT || found->type == OBJECT_TOKEN
                    ? ERROR_ACCESS_DENIED
                    : 0;
    if (error)
        object_drop(found);
    else
        *object = found;
    return error;
}

/* ---- Waits --------------------------------------------------------------------------------- */

static void run(struct pool_item *item, struct pool_call *call)
{
    struct registered_wait *wait = (struct registered_wait *)item;
    if (wait->runs_long)
        pool_call_runs_long(call);
    atomic_store_explicit(&wait->caller, thread_current(), memory_order_relaxed);
    wait->callback(wait->context, call->timed_out);
    atomic_store_explicit(&wait->caller, NULL, memory_order_relaxed);
    if (!wait->once)
        pool_wait_again(&wait->wait, win__deadline(wait->milliseconds));
}

static void destroy(struct pool_item *item)
{
    struct registered_wait *wait = (struct registered_wait *)item;
    pool_wait_clear(&wait->wait);
    object_drop(wait->object);
    free(wait);
}

static struct registered_wait *new_wait(struct object *object)
{
    struct registered_wait *wait = calloc(1, sizeof *wait);
    if (!wait)
        return NULL;
    if (pool_wait_init(&wait->wait, NULL, NULL)) {
        free(wait);
        return NULL;
    }
    object_hold(object);
    wait->object = object;
    wait->wait.item.run = run;
    wait->wait.item.destroy = destroy;
    return wait;
}

BOOL WINAPI RegisterWaitForSingleObject(PHANDLE phNewWaitObject, HANDLE hObject,
                                        WAITORTIMERCALLBACK Callback, PVOID Context,
                                        ULONG dwMilliseconds, ULONG dwFlags)
{
    struct object *object;
    if (!phNewWaitObject || !Callback)
        return win__fail(ERROR_INVALID_PARAMETER);
    int error = win__pool_object(hObject, &object);
    if (error)
        return win__fail((DWORD)error);
    struct registered_wait *wait = new_wait(object);
    object_drop(object); /* the wait has a reference of its own */
    if (!wait)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    wait->callback = Callback;
    wait->context = Context;
    wait->milliseconds = dwMilliseconds;
    wait->once = dwFlags & WT_EXECUTEONLYONCE;
    wait->runs_long = dwFlags & WT_EXECUTELONGFUNCTION;
    wait->in_wait_thread = dwFlags & WT_EXECUTEINWAITTHREAD;
    *phNewWaitObject = wait; /* the callback may look there at once */
    if (!pool_wait_set(&wait->wait, object, win__deadline(dwMilliseconds), NULL))
        return TRUE;
    *phNewWaitObject = NULL;
    pool_item_close(&wait->wait.item, NULL);
    return win__fail(ERROR_NOT_ENOUGH_MEMORY);
}

/* Whether the caller is in the wait's own callback, which runs in the wait thread. On Windows that
 * thread is the only one that makes such callbacks, so the call has no other callback to wait
 * for. */
static bool in_own_callback(struct registered_wait *wait)
{
    struct plat_thread *caller = atomic_load_explicit(&wait->caller, memory_order_relaxed);
    return wait->in_wait_thread && caller && caller == thread_current();
}

BOOL WINAPI UnregisterWaitEx(HANDLE WaitHandle, HANDLE CompletionEvent)
{
    if (!WaitHandle || WaitHandle == INVALID_HANDLE_VALUE)
        return win__fail(ERROR_INVALID_HANDLE);
    struct registered_wait *wait = WaitHandle;
    bool own = in_own_callback(wait);
    if (own && CompletionEvent == INVALID_HANDLE_VALUE)
        CompletionEvent = NULL;
    DWORD before = GetLastError();
    if (win__pool_delete(&wait->wait.item, CompletionEvent))
        return TRUE;
    if (!own || GetLastError() != ERROR_IO_PENDING)
        return FALSE;
    plat_set_last_error(before);
    return TRUE;
}

BOOL WINAPI UnregisterWait(HANDLE WaitHandle)
{
    return UnregisterWaitEx(WaitHandle, NULL);
}
