/* SPDX-License-Identifier: MIT
 *
 * ticks.c - time passes in ticks of 15.625 ms, as it does on Windows unless a program asks for finer ones: a wait
 * with a time-out ends with the first tick after it.
 */
#include "as_windows.h"

#include <stdint.h>

enum { TICK = 156250 }; /* of 100 ns */

static NTSTATUS(NTAPI *delay)(BOOLEAN, LARGE_INTEGER *);
static NTSTATUS(NTAPI *wait_one)(HANDLE, BOOLEAN, LARGE_INTEGER *);
static NTSTATUS(NTAPI *wait_many)(ULONG, HANDLE *, int, BOOLEAN, LARGE_INTEGER *);
static NTSTATUS(NTAPI *wait_alert)(void *, LARGE_INTEGER *);

static LARGE_INTEGER *to_tick(LARGE_INTEGER *timeout, LARGE_INTEGER *room)
{
    FILETIME time;
    LONGLONG now, end;

    if (!timeout || timeout->QuadPart >= 0)
        return timeout;
    GetSystemTimePreciseAsFileTime(&time);
    now = (LONGLONG)time.dwHighDateTime << 32 | time.dwLowDateTime;
    if (timeout->QuadPart < -INT64_MAX + now)
        return timeout;
    end = (now - timeout->QuadPart + TICK - 1) / TICK * TICK;
    room->QuadPart = now - end;
    return room;
}

static NTSTATUS NTAPI on_delay(BOOLEAN alertable, LARGE_INTEGER *timeout)
{
    LARGE_INTEGER room;

    return delay(alertable, to_tick(timeout, &room));
}

static NTSTATUS NTAPI on_wait_one(HANDLE object, BOOLEAN alertable, LARGE_INTEGER *timeout)
{
    LARGE_INTEGER room;

    return wait_one(object, alertable, to_tick(timeout, &room));
}

static NTSTATUS NTAPI on_wait_many(ULONG count, HANDLE *objects, int any, BOOLEAN alertable,
                                   LARGE_INTEGER *timeout)
{
    LARGE_INTEGER room;

    return wait_many(count, objects, any, alertable, to_tick(timeout, &room));
}

static NTSTATUS NTAPI on_wait_alert(void *address, LARGE_INTEGER *timeout)
{
    LARGE_INTEGER room;

    return wait_alert(address, to_tick(timeout, &room));
}

void ticks_start(void)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");

    delay = stub_lead(ntdll, "NtDelayExecution", on_delay);
    wait_one = stub_lead(ntdll, "NtWaitForSingleObject", on_wait_one);
    wait_many = stub_lead(ntdll, "NtWaitForMultipleObjects", on_wait_many);
    wait_alert = stub_lead(ntdll, "NtWaitForAlertByThreadId", on_wait_alert);
    if (!delay || !wait_one || !wait_many || !wait_alert)
        as_windows_ends("a stub is not the usual", "");
}
