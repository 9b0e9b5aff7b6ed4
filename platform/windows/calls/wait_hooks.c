/* SPDX-License-Identifier: MIT
 *
 * wait_hooks.c - the other hooks that waits in user mode need: of calls that signal objects, close
 * handles or send alerts. In place only.
 *
 * Each of the three parts needs all of its hooks, or is left out. Without alerts, workers wait for
 * alerts on their own threads. Without private objects, the pool waits for all objects. Without
 * records of handles, each wait asks the system for the object's type.
 */
#include "platform/windows/calls/wait_hooks.h"

#include "platform/windows/calls/calls.h"
#include "platform/windows/waits/alert.h"
#include "platform/windows/waits/direct_signal.h"
#include "platform/windows/waits/handle_info.h"

#define HOOK(stub, on)                                                                             \
    {                                                                                              \
        .name = #stub, .handler = (on), .original = (void **)&wait_originals.stub                  \
    }
struct hook wait_hooks[] = {
    HOOK(NtClose, on_close),
    HOOK(NtDuplicateObject, on_duplicate_object),
    HOOK(NtSetEvent, on_set_event),
    HOOK(NtSetEventBoostPriority, on_set_event_boost_priority),
    HOOK(NtResetEvent, on_reset_event),
    HOOK(NtClearEvent, on_clear_event),
    HOOK(NtPulseEvent, on_pulse_event),
    HOOK(NtReleaseSemaphore, on_release_semaphore),
    HOOK(NtAlertThreadByThreadId, on_alert),
    HOOK(NtAlertThreadByThreadIdEx, on_alert_ex),
    HOOK(NtAlertMultipleThreadByThreadId, on_alert_multiple),
};
enum { HANDLES = 0, PRIVATE = 2, ALERTS = 8, ALL = sizeof wait_hooks / sizeof wait_hooks[0] };
const size_t wait_hook_count = ALL;

static bool applied(size_t from, size_t to)
{
    bool all = wait_hooks[from].state == HOOK_APPLIED; /* every system has it */
    for (size_t i = from; i < to; i++)
        all &= wait_hooks[i].state == HOOK_APPLIED || wait_hooks[i].state == HOOK_MISSING;
    return all;
}

static bool call_applied(enum call_number call)
{
    return call_rows[call].hook.state == HOOK_APPLIED;
}

int wait_hooks_install(void)
{
    int refused = hooks_install(wait_hooks, ALL);
    handle_info_kept = applied(HANDLES, PRIVATE);
    handle_info_private =
        handle_info_kept && applied(PRIVATE, ALERTS) && call_applied(CALL_NtWaitForSingleObject) &&
        call_applied(CALL_NtReadFile) && call_applied(CALL_NtWriteFile) &&
        call_applied(CALL_NtFsControlFile) && call_applied(CALL_NtDeviceIoControlFile) &&
        call_applied(CALL_NtLockFile) && call_applied(CALL_NtNotifyChangeDirectoryFile);
    alert_ours = applied(ALERTS, ALL) && call_applied(CALL_NtWaitForAlertByThreadId);
    return refused;
}

void wait_hooks_remove(void)
{
    alert_ours = handle_info_kept = handle_info_private = false;
    hooks_remove(wait_hooks, ALL);
}
