/* SPDX-License-Identifier: MIT
 *
 * priority_boost.c - whether the system may boost priorities. The calls only remember it, as Linux
 * has no such boost.
 *
 * Each thread's object has its setting, which begins as the process's.
 */
#include "winapi/linux/surface.h"

static _Atomic bool process_disabled;

static bool is_us(HANDLE process)
{
    return win__this_process(process) || win__fail(ERROR_INVALID_HANDLE);
}

BOOL WINAPI SetProcessPriorityBoost(HANDLE hProcess, BOOL bDisablePriorityBoost)
{
    if (!is_us(hProcess))
        return FALSE;
    process_disabled = bDisablePriorityBoost != FALSE;
    return TRUE;
}

BOOL WINAPI GetProcessPriorityBoost(HANDLE hProcess, PBOOL pDisablePriorityBoost)
{
    if (!is_us(hProcess))
        return FALSE;
    *pDisablePriorityBoost = process_disabled;
    return TRUE;
}

BOOL WINAPI SetThreadPriorityBoost(HANDLE hThread, BOOL bDisablePriorityBoost)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return FALSE;
    atomic_store_explicit(&thread->hints.boost, bDisablePriorityBoost ? BOOST_OFF : BOOST_ON,
                          memory_order_relaxed);
    object_drop(&thread->object);
    return TRUE;
}

BOOL WINAPI GetThreadPriorityBoost(HANDLE hThread, PBOOL pDisablePriorityBoost)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return FALSE;
    uint8_t boost = atomic_load_explicit(&thread->hints.boost, memory_order_relaxed);
    object_drop(&thread->object);
    *pDisablePriorityBoost = boost ? boost == BOOST_OFF : process_disabled;
    return TRUE;
}
