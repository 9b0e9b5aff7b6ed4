/* SPDX-License-Identifier: MIT
 *
 * event.c - event objects. Unnamed: a name is refused with ERROR_NOT_SUPPORTED.
 */
#include "winapi/linux/surface.h"

static HANDLE create_event(BOOL manual, BOOL signalled)
{
    void *handle = NULL;
    struct object *event =
        object_create(manual ? OBJECT_MANUAL_EVENT : OBJECT_AUTO_EVENT, sizeof *event);
    if (!event || handle_create(event, &handle)) {
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    } else {
        event->signalled = signalled != 0;
        plat_set_last_error(ERROR_SUCCESS);
    }
    if (event)
        object_drop(event);
    return handle;
}

HANDLE WINAPI CreateEventA(LPSECURITY_ATTRIBUTES lpEventAttributes, BOOL bManualReset,
                           BOOL bInitialState, LPCSTR lpName)
{
    (void)lpEventAttributes;
    if (lpName) {
        win__fail(ERROR_NOT_SUPPORTED);
        return NULL;
    }
    return create_event(bManualReset, bInitialState);
}

HANDLE WINAPI CreateEventW(LPSECURITY_ATTRIBUTES lpEventAttributes, BOOL bManualReset,
                           BOOL bInitialState, LPCWSTR lpName)
{
    (void)lpEventAttributes;
    if (lpName) {
        win__fail(ERROR_NOT_SUPPORTED);
        return NULL;
    }
    return create_event(bManualReset, bInitialState);
}

static BOOL change_event(HANDLE handle, void (*change)(struct object *))
{
    struct object *event = win__object(handle);
    if (!event)
        return FALSE;
    bool is_event = event->type == OBJECT_AUTO_EVENT || event->type == OBJECT_MANUAL_EVENT;
    if (is_event)
        change(event);
    object_drop(event);
    return is_event ? TRUE : win__fail(ERROR_INVALID_HANDLE);
}

BOOL WINAPI SetEvent(HANDLE hEvent)
{
    return change_event(hEvent, object_signal);
}

BOOL WINAPI ResetEvent(HANDLE hEvent)
{
    return change_event(hEvent, object_reset);
}
