/* SPDX-License-Identifier: MIT
 *
 * critical_section.c - critical sections, whose whole state is in the program's structure.
 *
 * LockCount is -1 when free, 0 when taken, 1 when taken and a thread may wait. The owner that
 * leaves frees the section and wakes one waiter, which tries again; another thread may be quicker.
 * So a thread that often takes a section need not wait for a switch each time (Windows has done it
 * this way since Vista). A worker whose section is held on another processor tries for a moment
 * before it waits (spin.c). No call allocates memory, so a section that is never deleted leaks
 * nothing.
 */
#include "platform/layout.h"
#include "platform/linux/dispatch/address.h"
#include "platform/linux/interrupt/stop.h"
#include "winapi/linux/spin.h"

enum { FREE = -1, TAKEN = 0, CONTENDED = 1 };

static HANDLE self(void)
{
    return (HANDLE)(ULONG_PTR)GetCurrentThreadId();
}

static void own(CRITICAL_SECTION *section, HANDLE owner)
{
    __atomic_store_n(&section->OwningThread, owner, __ATOMIC_RELAXED);
    section->RecursionCount = 1;
}

VOID WINAPI InitializeCriticalSection(CRITICAL_SECTION *lpCriticalSection)
{
    memset(lpCriticalSection, 0, sizeof *lpCriticalSection);
    lpCriticalSection->LockCount = FREE;
}

BOOL WINAPI InitializeCriticalSectionAndSpinCount(CRITICAL_SECTION *lpCriticalSection,
                                                  DWORD dwSpinCount)
{
    InitializeCriticalSection(lpCriticalSection);
    lpCriticalSection->SpinCount = dwSpinCount & 0xffffff;
    return TRUE;
}

BOOL WINAPI InitializeCriticalSectionEx(CRITICAL_SECTION *lpCriticalSection, DWORD dwSpinCount,
                                        DWORD Flags)
{
    (void)Flags;
    return InitializeCriticalSectionAndSpinCount(lpCriticalSection, dwSpinCount);
}

DWORD WINAPI SetCriticalSectionSpinCount(CRITICAL_SECTION *lpCriticalSection, DWORD dwSpinCount)
{
    DWORD before = (DWORD)lpCriticalSection->SpinCount;
    lpCriticalSection->SpinCount = dwSpinCount & 0xffffff;
    return before;
}

BOOL WINAPI TryEnterCriticalSection(CRITICAL_SECTION *lpCriticalSection)
{
    HANDLE me = self();
    LONG free = FREE;
    if (__atomic_compare_exchange_n(&lpCriticalSection->LockCount, &free, TAKEN, false,
                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        own(lpCriticalSection, me);
        return TRUE;
    }
    if (__atomic_load_n(&lpCriticalSection->OwningThread, __ATOMIC_RELAXED) != me)
        return FALSE;
    lpCriticalSection->RecursionCount++;
    return TRUE;
}

static bool contended(void *section)
{
    return __atomic_load_n(&((CRITICAL_SECTION *)section)->LockCount, __ATOMIC_RELAXED) ==
           CONTENDED;
}
LAYOUT_WAIT("EnterCriticalSection", contended);

static DWORD owner(void *section)
{
    return (DWORD)(ULONG_PTR)__atomic_load_n(&((CRITICAL_SECTION *)section)->OwningThread,
                                             __ATOMIC_RELAXED);
}

static bool take(void *section)
{
    LONG *count = &((CRITICAL_SECTION *)section)->LockCount, free = FREE;
    return __atomic_load_n(count, __ATOMIC_RELAXED) == FREE &&
           __atomic_compare_exchange_n(count, &free, TAKEN, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

VOID WINAPI EnterCriticalSection(CRITICAL_SECTION *lpCriticalSection)
{
    if (TryEnterCriticalSection(lpCriticalSection))
        return;
    if (win__spin(lpCriticalSection, owner, take)) {
        own(lpCriticalSection, self());
        return;
    }
    while (__atomic_exchange_n(&lpCriticalSection->LockCount, CONTENDED, __ATOMIC_ACQUIRE) != FREE)
        address_wait(lpCriticalSection, contended, NULL, lpCriticalSection, PLAT_FOREVER);
    own(lpCriticalSection, self());
}

STOP_LOOKS VOID WINAPI LeaveCriticalSection(CRITICAL_SECTION *lpCriticalSection)
{
    if (--lpCriticalSection->RecursionCount > 0)
        return;
    __atomic_store_n(&lpCriticalSection->OwningThread, NULL, __ATOMIC_RELAXED);
    if (__atomic_exchange_n(&lpCriticalSection->LockCount, FREE, __ATOMIC_RELEASE) == CONTENDED)
        address_wake(lpCriticalSection, 1, NULL, NULL);
    stop_look();
}

VOID WINAPI DeleteCriticalSection(CRITICAL_SECTION *lpCriticalSection)
{
    InitializeCriticalSection(lpCriticalSection);
}
