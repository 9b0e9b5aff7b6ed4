/* SPDX-License-Identifier: MIT
 *
 * window_waits.c - window calls that wait for messages: the scheduler is told of them as of a
 * file's calls, and the worker's own thread makes them.
 *
 * NtUserGetMessage is not among them: it takes the message that it waits for, and so cannot be
 * tried first. With a busy queue each message would be a Blocked and an arrival.
 */
#include "platform/windows/calls/window_waits.h"

#include "platform/windows/calls/window_pin.h"
#include "platform/windows/switch/call.h"
#include "platform/windows/switch/call_notes.h"

static BOOL NTAPI wait_message(void);
static DWORD NTAPI wait_objects(DWORD count, const HANDLE *handles, DWORD milliseconds, DWORD mask,
                                DWORD flags);

enum { MESSAGE, OBJECTS };
struct window_wait window_waits[WINDOW_WAITS] = {
    [MESSAGE] = {"NtUserWaitMessage", wait_message, NULL},
    [OBJECTS] = {"NtUserMsgWaitForMultipleObjectsEx", wait_objects, NULL},
};

/* Pins the calling worker and returns it; NULL on any other thread. */
static struct plat_context *waiting_worker(void)
{
    window_call();
    return call_worker();
}

/* Ends the wait and keeps the call's last error. */
static void wait_returns(struct plat_context *self)
{
    self->saved_error = GetLastError();
    call_return(self);
}

static BOOL NTAPI wait_message(void)
{
    BOOL(NTAPI * original)(void) = window_waits[MESSAGE].original;
    struct plat_context *self = waiting_worker();
    if (self)
        call_note(self, "WaitMessage", 0);
    if (UMS_LIKELY(!self) || !call_leave(self, CALL_MESSAGE))
        return original();
    BOOL done = original();
    wait_returns(self);
    return done;
}

static DWORD NTAPI wait_objects(DWORD count, const HANDLE *handles, DWORD milliseconds, DWORD mask,
                                DWORD flags)
{
    __typeof__(&wait_objects) original = window_waits[OBJECTS].original;
    struct plat_context *self = waiting_worker();
    if (UMS_LIKELY(!self) || milliseconds == 0)
        return original(count, handles, milliseconds, mask, flags);
    DWORD result = original(count, handles, 0, mask, flags);
    if (result != WAIT_TIMEOUT)
        return result;
    call_note(self, "MsgWaitForMultipleObjectsEx", 0);
    if (!call_leave(self, CALL_MESSAGE))
        return original(count, handles, milliseconds, mask, flags);
    result = original(count, handles, milliseconds, mask, flags);
    wait_returns(self);
    return result;
}
