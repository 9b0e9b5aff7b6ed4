/* SPDX-License-Identifier: MIT
 *
 * critical_section.c - critical sections in the program's own structure.
 *
 * LockCount counts owner and waiters from -1, as in the documented layout. Leaving with waiters
 * hands the section over through an auto-reset event, made when first needed. A worker that waits
 * here leaves its scheduler like in any wait.
 */
#include "winapi/linux/surface.h"

static struct object *event_of(CRITICAL_SECTION *section)
{
    struct object *event = __atomic_load_n((struct object **)&section->LockSemaphore,
                                           __ATOMIC_ACQUIRE);
    if (event)
        return event;
    struct object *fresh = object_create(OBJECT_AUTO_EVENT, sizeof *fresh);
    if (!fresh)
        UMS_FATAL("no memory for a contended critical section", section, 0);
    if (__atomic_compare_exchange_n((struct object **)&section->LockSemaphore, &event, fresh, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return fresh;
    object_drop(fresh);
    return event;
}

static HANDLE owner_self(void)
{
    return (HANDLE)(ULONG_PTR)GetCurrentThreadId();
}

static void own(CRITICAL_SECTION *section)
{
    __atomic_store_n(&section->OwningThread, owner_self(), __ATOMIC_RELAXED);
    section->RecursionCount = 1;
}

VOID WINAPI InitializeCriticalSection(CRITICAL_SECTION *lpCriticalSection)
{
    memset(lpCriticalSection, 0, sizeof *lpCriticalSection);
    lpCriticalSection->LockCount = -1;
}

BOOL WINAPI InitializeCriticalSectionAndSpinCount(CRITICAL_SECTION *lpCriticalSection,
                                                  DWORD dwSpinCount)
{
    InitializeCriticalSection(lpCriticalSection);
    lpCriticalSection->SpinCount = dwSpinCount & 0xffffff;
    return TRUE;
}

BOOL WINAPI TryEnterCriticalSection(CRITICAL_SECTION *lpCriticalSection)
{
    LONG free = -1;
    if (__atomic_compare_exchange_n(&lpCriticalSection->LockCount, &free, 0, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
        own(lpCriticalSection);
        return TRUE;
    }
    if (__atomic_load_n(&lpCriticalSection->OwningThread, __ATOMIC_RELAXED) != owner_self())
        return FALSE;
    __atomic_fetch_add(&lpCriticalSection->LockCount, 1, __ATOMIC_RELAXED);
    lpCriticalSection->RecursionCount++;
    return TRUE;
}

VOID WINAPI EnterCriticalSection(CRITICAL_SECTION *lpCriticalSection)
{
    if (TryEnterCriticalSection(lpCriticalSection))
        return;
    if (__atomic_add_fetch(&lpCriticalSection->LockCount, 1, __ATOMIC_ACQUIRE) != 0) {
        struct object *event = event_of(lpCriticalSection);
        object_wait(&event, 1, false, PLAT_FOREVER);
    }
    own(lpCriticalSection);
}

VOID WINAPI LeaveCriticalSection(CRITICAL_SECTION *lpCriticalSection)
{
    if (--lpCriticalSection->RecursionCount) {
        __atomic_fetch_sub(&lpCriticalSection->LockCount, 1, __ATOMIC_RELAXED);
        return;
    }
    __atomic_store_n(&lpCriticalSection->OwningThread, NULL, __ATOMIC_RELAXED);
    if (__atomic_sub_fetch(&lpCriticalSection->LockCount, 1, __ATOMIC_RELEASE) >= 0)
        object_signal(event_of(lpCriticalSection));
}

VOID WINAPI DeleteCriticalSection(CRITICAL_SECTION *lpCriticalSection)
{
    struct object *event = (struct object *)lpCriticalSection->LockSemaphore;
    if (event)
        object_drop(event);
    memset(lpCriticalSection, 0, sizeof *lpCriticalSection);
    lpCriticalSection->LockCount = -1;
}
