/* SPDX-License-Identifier: MIT
 *
 * alert_raw.c - see alert_raw.h.
 */
#include "platform/windows/os/alert_raw.h"

#include "platform/windows/os/originals.h"

void alert_raw_wake(uint32_t id)
{
    ORIGINAL_OF(NtAlertThreadByThreadId)((HANDLE)(uintptr_t)id);
}

void alert_raw_wait(uint64_t ticks)
{
    LARGE_INTEGER rest = {.QuadPart = -(LONGLONG)ticks};
    ORIGINAL(NtWaitForAlertByThreadId)(NULL, ticks ? &rest : NULL);
}
