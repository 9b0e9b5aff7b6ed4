/* SPDX-License-Identifier: MIT
 *
 * condition_variable.c - condition variables: one pointer-sized word, which counts the waiters.
 *
 * The count only saves wake-ups while no thread waits; the dispatcher knows which threads wait. A
 * waiter gives its lock back after the dispatcher has its wait, so it misses no wake-up.
 */
#include "platform/layout.h"
#include "platform/linux/dispatch/address.h"
#include "winapi/linux/surface.h"

VOID WINAPI InitializeConditionVariable(PCONDITION_VARIABLE ConditionVariable)
{
    ConditionVariable->Ptr = NULL;
}

static ULONG_PTR *count_of(CONDITION_VARIABLE *variable)
{
    return (ULONG_PTR *)&variable->Ptr;
}

static void leave_section(void *section)
{
    LeaveCriticalSection(section);
}

static void leave_exclusive(void *lock)
{
    ReleaseSRWLockExclusive(lock);
}

static void leave_shared(void *lock)
{
    ReleaseSRWLockShared(lock);
}
LAYOUT_WAIT("SleepConditionVariableCS", leave_section);
LAYOUT_WAIT("SleepConditionVariableSRW", leave_exclusive);
LAYOUT_WAIT("SleepConditionVariableSRW", leave_shared);

static BOOL sleep_without(CONDITION_VARIABLE *variable, void *lock, void (*leave)(void *),
                          DWORD milliseconds)
{
    uint64_t deadline = win__deadline(milliseconds);
    __atomic_fetch_add(count_of(variable), 1, __ATOMIC_SEQ_CST);
    uint32_t result = address_wait(variable, NULL, leave, lock, deadline);
    __atomic_fetch_sub(count_of(variable), 1, __ATOMIC_RELAXED);
    return result != WAITED_TIMEOUT;
}

BOOL WINAPI SleepConditionVariableCS(PCONDITION_VARIABLE ConditionVariable,
                                     PCRITICAL_SECTION CriticalSection, DWORD dwMilliseconds)
{
    BOOL woken = sleep_without(ConditionVariable, CriticalSection, leave_section, dwMilliseconds);
    EnterCriticalSection(CriticalSection);
    return woken ? TRUE : win__fail(ERROR_TIMEOUT);
}

BOOL WINAPI SleepConditionVariableSRW(PCONDITION_VARIABLE ConditionVariable, PSRWLOCK SRWLock,
                                      DWORD dwMilliseconds, ULONG Flags)
{
    bool shared = Flags & RTL_CONDITION_VARIABLE_LOCKMODE_SHARED;
    BOOL woken = sleep_without(ConditionVariable, SRWLock, shared ? leave_shared : leave_exclusive,
                               dwMilliseconds);
    if (shared)
        AcquireSRWLockShared(SRWLock);
    else
        AcquireSRWLockExclusive(SRWLock);
    return woken ? TRUE : win__fail(ERROR_TIMEOUT);
}

static void wake(CONDITION_VARIABLE *variable, unsigned most)
{
    __atomic_thread_fence(
        __ATOMIC_SEQ_CST); /* a thread that counts itself later sees the caller's changes */
    if (__atomic_load_n(count_of(variable), __ATOMIC_SEQ_CST))
        address_wake(variable, most, NULL, NULL);
}

VOID WINAPI WakeConditionVariable(PCONDITION_VARIABLE ConditionVariable)
{
    wake(ConditionVariable, 1);
}

VOID WINAPI WakeAllConditionVariable(PCONDITION_VARIABLE ConditionVariable)
{
    wake(ConditionVariable, ~0u);
}
