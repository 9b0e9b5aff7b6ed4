/* SPDX-License-Identifier: MIT
 *
 * carry_hooks.c - what else is hooked for waits in user mode: who signals objects, closes handles,
 * and sends alerts. In place only.
 *
 * A part works when all of its calls can be hooked, or it is left out: without alerts, workers wait
 * for theirs on their own threads; without private objects, the pool waits for all of them; without
 * records of handles, each wait asks for the object's type.
 */
#include "platform/windows/carry_hooks.h"

#include "platform/windows/alert.h"
#include "platform/windows/calls.h"
#include "platform/windows/direct_signal.h"
#include "platform/windows/handle_info.h"

#define HOOK(stub, on)                                                                             \
    {                                                                                              \
        .name = #stub, .handler = (on), .original = (void **)&carry_originals.stub                 \
    }
struct hook carry_hooks[] = {
    HOOK(NtClose, on_close),
    HOOK(NtDuplicateObject, on_duplicate_object),
    HOOK(NtSetEvent, on_set_event),
    HOOK(NtResetEvent, on_reset_event),
    HOOK(NtClearEvent, on_clear_event),
    HOOK(NtPulseEvent, on_pulse_event),
    HOOK(NtReleaseSemaphore, on_release_semaphore),
    HOOK(NtAlertThreadByThreadId, on_alert),
    HOOK(NtAlertThreadByThreadIdEx, on_alert_ex),
    HOOK(NtAlertMultipleThreadByThreadId, on_alert_multiple),
};
enum { HANDLES = 0, PRIVATE = 2, ALERTS = 7, ALL = sizeof carry_hooks / sizeof carry_hooks[0] };
const size_t carry_hook_count = ALL;

static bool applied(size_t from, size_t to)
{
    bool all = carry_hooks[from].state == HOOK_APPLIED; /* the first one is on every system */
    for (size_t i = from; i < to; i++)
        all &= carry_hooks[i].state == HOOK_APPLIED || carry_hooks[i].state == HOOK_MISSING;
    return all;
}

static bool call_applied(enum call_number call)
{
    return call_rows[call].hook.state == HOOK_APPLIED;
}

int carry_install(void)
{
    int refused = hooks_install(carry_hooks, ALL);
    handle_info_kept = applied(HANDLES, PRIVATE);
    handle_info_private =
        handle_info_kept && applied(PRIVATE, ALERTS) && call_applied(CALL_NtWaitForSingleObject) &&
        call_applied(CALL_NtReadFile) && call_applied(CALL_NtWriteFile) &&
        call_applied(CALL_NtFsControlFile) && call_applied(CALL_NtDeviceIoControlFile) &&
        call_applied(CALL_NtLockFile) && call_applied(CALL_NtNotifyChangeDirectoryFile);
    alert_ours = applied(ALERTS, ALL) && call_applied(CALL_NtWaitForAlertByThreadId);
    return refused;
}

void carry_remove(void)
{
    alert_ours = handle_info_kept = handle_info_private = false;
    hooks_remove(carry_hooks, ALL);
}
