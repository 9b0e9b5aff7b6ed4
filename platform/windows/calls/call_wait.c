/* SPDX-License-Identifier: MIT
 *
 * call_wait.c - waits: for objects, alerts, keyed events, completion packets, and for time to pass.
 *
 * A worker first tries all but the last with no time to wait. The attempt takes a signal or packet
 * as the call would, so its answer is final unless it is a time-out.
 */
#include "platform/windows/switch/arrivals.h"
#include "platform/windows/switch/call.h"
#include "platform/windows/switch/call_notes.h"
#include "platform/windows/switch/inplace.h"
#include "platform/windows/waits/alert.h"
#include "platform/windows/waits/delay_wait.h"
#include "platform/windows/waits/object_wait.h"

static LARGE_INTEGER no_time; /* zero */

/* The stub's caller. The stub jumps to its handler, so the handler returns there. */
#define CALLER __builtin_return_address(0)

/* Where calls.def says USER_WAIT the wait is first tried as one in user mode. */
#define TRY_USER_WAIT(stub, wait)                                                                  \
    if (COMPLETION_OF_##stub == CALL_USER_WAIT) {                                                  \
        struct wait_result result = wait;                                                          \
        if (result.done)                                                                           \
            return result.status;                                                                  \
    }

/* Has a trace record that the calling scheduler sleeps. */
#define TRACE_SLEEP_OF_SCHEDULER(timeout, make)                                                    \
    if (trace_on() && !call_has_no_time(timeout) && call_note_sleeps()) {                          \
        NTSTATUS slept = make;                                                                     \
        call_note_woke();                                                                          \
        return slept;                                                                              \
    }

/* TRY: the call with no time; MAKE: the call. Both are expressions of the original's type. */
#define TRY_THEN_WAIT(stub, about, timeout, try, make)                                             \
    struct plat_context *self = call_worker();                                                     \
    if (self && PLACE_OF_##stub == CALL_HOME)                                                      \
        inplace_go_home(self);                                                                     \
    if (UMS_LIKELY(!self) || call_has_no_time(timeout))                                            \
        return make;                                                                               \
    NTSTATUS status = try;                                                                         \
    if (status != CALL_STATUS_TIMEOUT)                                                             \
        return status;                                                                             \
    call_note(self, #stub, (uintptr_t)(about));                                                    \
    if (!call_leave(self, CLASS_OF_##stub))                                                        \
        return make;                                                                               \
    status = make;                                                                                 \
    call_return(self);                                                                             \
    return status

HANDLER(NtWaitForSingleObject, HANDLE object, BOOLEAN alertable, LARGE_INTEGER *timeout)
{
    arrives(ARRIVAL_WAIT);
    TRACE_SLEEP_OF_SCHEDULER(timeout, ORIGINAL(NtWaitForSingleObject)(object, alertable, timeout));
    TRY_USER_WAIT(NtWaitForSingleObject, object_wait(object, alertable, timeout, CALLER));
    TRY_THEN_WAIT(NtWaitForSingleObject, object, timeout,
                  ORIGINAL(NtWaitForSingleObject)(object, alertable, &no_time),
                  ORIGINAL(NtWaitForSingleObject)(object, alertable, timeout));
}

HANDLER(NtWaitForMultipleObjects, ULONG count, HANDLE *objects, int type, BOOLEAN alertable,
        LARGE_INTEGER *timeout)
{
    arrives(ARRIVAL_WAIT); /* Wine waits for a single object in this way, too */
    TRACE_SLEEP_OF_SCHEDULER(
        timeout, ORIGINAL(NtWaitForMultipleObjects)(count, objects, type, alertable, timeout));
    if (count == 1)
        TRY_USER_WAIT(NtWaitForMultipleObjects,
                      object_wait(objects[0], alertable, timeout, CALLER));
    TRY_THEN_WAIT(NtWaitForMultipleObjects, objects[0], timeout,
                  ORIGINAL(NtWaitForMultipleObjects)(count, objects, type, alertable, &no_time),
                  ORIGINAL(NtWaitForMultipleObjects)(count, objects, type, alertable, timeout));
}

HANDLER(NtWaitForKeyedEvent, HANDLE event, void *key, BOOLEAN alertable, LARGE_INTEGER *timeout)
{
    TRY_THEN_WAIT(NtWaitForKeyedEvent, event, timeout,
                  ORIGINAL(NtWaitForKeyedEvent)(event, key, alertable, &no_time),
                  ORIGINAL(NtWaitForKeyedEvent)(event, key, alertable, timeout));
}

HANDLER(NtReleaseKeyedEvent, HANDLE event, void *key, BOOLEAN alertable, LARGE_INTEGER *timeout)
{
    TRY_THEN_WAIT(NtReleaseKeyedEvent, event, timeout,
                  ORIGINAL(NtReleaseKeyedEvent)(event, key, alertable, &no_time),
                  ORIGINAL(NtReleaseKeyedEvent)(event, key, alertable, timeout));
}

HANDLER(NtWaitForAlertByThreadId, void *address, LARGE_INTEGER *timeout)
{
    TRY_USER_WAIT(NtWaitForAlertByThreadId, alert_wait(address, timeout, CALLER));
    TRY_THEN_WAIT(NtWaitForAlertByThreadId, address, timeout,
                  ORIGINAL(NtWaitForAlertByThreadId)(address, &no_time),
                  ORIGINAL(NtWaitForAlertByThreadId)(address, timeout));
}

HANDLER(NtRemoveIoCompletion, HANDLE port, ULONG_PTR *key, ULONG_PTR *value, IO_STATUS_BLOCK *iosb,
        LARGE_INTEGER *timeout)
{
    TRY_THEN_WAIT(NtRemoveIoCompletion, port, timeout,
                  ORIGINAL(NtRemoveIoCompletion)(port, key, value, iosb, &no_time),
                  ORIGINAL(NtRemoveIoCompletion)(port, key, value, iosb, timeout));
}

HANDLER(NtRemoveIoCompletionEx, HANDLE port, void *packets, ULONG count, ULONG *removed,
        LARGE_INTEGER *timeout, BOOLEAN alertable)
{
    TRY_THEN_WAIT(
        NtRemoveIoCompletionEx, port, timeout,
        ORIGINAL(NtRemoveIoCompletionEx)(port, packets, count, removed, &no_time, alertable),
        ORIGINAL(NtRemoveIoCompletionEx)(port, packets, count, removed, timeout, alertable));
}

/* The signal can be given only once. The attempt gives it, so a plain wait follows. */
HANDLER(NtSignalAndWaitForSingleObject, HANDLE signal, HANDLE object, BOOLEAN alertable,
        LARGE_INTEGER *timeout)
{
    struct wait_result result = object_wait_signal(signal, object);
    if (result.done && result.status)
        return result.status;
    if (result.done)
        return call_NtWaitForSingleObject(object, alertable, timeout);
    struct plat_context *self = call_worker();
    if (self && PLACE_OF_NtSignalAndWaitForSingleObject == CALL_HOME)
        inplace_go_home(self);
    if (UMS_LIKELY(!self) || call_has_no_time(timeout))
        return ORIGINAL(NtSignalAndWaitForSingleObject)(signal, object, alertable, timeout);
    NTSTATUS status = ORIGINAL(NtSignalAndWaitForSingleObject)(signal, object, alertable, &no_time);
    if (status != CALL_STATUS_TIMEOUT)
        return status;
    call_note(self, CALL_OF_HANDLER, (uintptr_t)object);
    if (!call_leave(self, CLASS_OF_NtSignalAndWaitForSingleObject))
        return ORIGINAL(NtWaitForSingleObject)(object, alertable, timeout);
    status = ORIGINAL(NtWaitForSingleObject)(object, alertable, timeout);
    call_return(self);
    return status;
}

HANDLER(NtDelayExecution, BOOLEAN alertable, LARGE_INTEGER *interval)
{
    arrives(ARRIVAL_DELAY);
    TRACE_SLEEP_OF_SCHEDULER(interval, ORIGINAL(NtDelayExecution)(alertable, interval));
    TRY_USER_WAIT(NtDelayExecution, delay_wait(alertable, interval));
    struct plat_context *self = call_worker();
    if (self && (PLACE_OF_NtDelayExecution == CALL_HOME || alertable))
        inplace_go_home(self);
    if (self)
        call_note(self, CALL_OF_HANDLER, 0);
    if (UMS_LIKELY(!self) || call_has_no_time(interval) ||
        !call_leave(self, CLASS_OF_NtDelayExecution))
        return ORIGINAL(NtDelayExecution)(alertable, interval);
    NTSTATUS status = ORIGINAL(NtDelayExecution)(alertable, interval);
    call_return(self);
    return status;
}
