/* SPDX-License-Identifier: MIT
 *
 * event.c - completion lists' events: the system's own, of which a struct plat_event is the handle.
 */
#include "platform/windows/engine.h"

int plat_event_create(struct plat_event **event)
{
    HANDLE handle = CreateEventW(NULL, FALSE, FALSE, NULL);
    *event = handle;
    return handle ? 0 : ERROR_NOT_ENOUGH_MEMORY;
}

void plat_event_release(struct plat_event *event)
{
    CloseHandle(event);
}

void plat_event_set(struct plat_event *event)
{
    SetEvent(event);
}

bool plat_event_wait(struct plat_event *event, uint64_t deadline)
{
    for (;;) {
        DWORD milliseconds = INFINITE;
        uint64_t now = 0;
        if (deadline != PLAT_FOREVER) {
            now = plat_now();
            uint64_t left = now < deadline ? (deadline - now + 999999) / 1000000 : 0;
            milliseconds = left < INFINITE - 1 ? (DWORD)left : INFINITE - 1;
        }
        DWORD result = WaitForSingleObject(event, milliseconds);
        if (result == WAIT_OBJECT_0)
            return true;
        /* The system's timer may be a little ahead of the clock. */
        if (result != WAIT_TIMEOUT || milliseconds == 0)
            return false;
    }
}

int plat_event_handle(struct plat_event *event, void **handle)
{
    HANDLE process = GetCurrentProcess();
    return DuplicateHandle(process, event, process, handle, 0, FALSE, DUPLICATE_SAME_ACCESS)
               ? 0
               : (int)GetLastError();
}
