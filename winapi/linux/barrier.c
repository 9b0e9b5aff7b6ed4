/* SPDX-License-Identifier: MIT
 *
 * barrier.c - synchronization barriers: threads wait until all have come.
 *
 * The whole state is in the program's own words. `remaining` is the number of threads that have not
 * come in this phase. The last thread sets it anew and then, with release, advances `phase`; the
 * others wait for that, with acquire. No thread of the next phase comes before that. `inside`
 * counts the threads for which DeleteSynchronizationBarrier has to wait. Each subtracts itself as
 * its last access to the words, as their memory may be freed next. A worker that waits gives its
 * scheduler the processor.
 */
#include "winapi/linux/surface.h"

struct barrier {
    LONG total;
    LONG remaining;
    LONG phase, reserved;
    LONG inside, reserved_too;
    ULONG_PTR reserved_three;
};
_Static_assert(sizeof(struct barrier) <= sizeof(SYNCHRONIZATION_BARRIER), "it is kept in there");

static struct barrier *words_of(LPSYNCHRONIZATION_BARRIER barrier)
{
    return (struct barrier *)barrier;
}

/* Waits as long as the word has the value `same`. */
static void wait_while(LONG *word, LONG same)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == same)
        WaitOnAddress(word, &same, sizeof same, INFINITE);
}

BOOL WINAPI InitializeSynchronizationBarrier(LPSYNCHRONIZATION_BARRIER lpBarrier,
                                             LONG lTotalThreads, LONG lSpinCount)
{
    if (!lpBarrier || lTotalThreads < 1 || lSpinCount < -1)
        return win__fail(ERROR_INVALID_PARAMETER);
    *words_of(lpBarrier) = (struct barrier){.total = lTotalThreads, .remaining = lTotalThreads};
    return TRUE;
}

BOOL WINAPI EnterSynchronizationBarrier(LPSYNCHRONIZATION_BARRIER lpBarrier, DWORD dwFlags)
{
    struct barrier *barrier = words_of(lpBarrier);
    bool counted = !(dwFlags & SYNCHRONIZATION_BARRIER_FLAGS_NO_DELETE);
    if (counted)
        __atomic_fetch_add(&barrier->inside, 1, __ATOMIC_RELAXED);
    LONG phase = __atomic_load_n(&barrier->phase, __ATOMIC_ACQUIRE);
    bool last = __atomic_fetch_sub(&barrier->remaining, 1, __ATOMIC_ACQ_REL) == 1;
    if (last) {
        __atomic_store_n(&barrier->remaining, barrier->total, __ATOMIC_RELAXED);
        __atomic_store_n(&barrier->phase, phase + 1, __ATOMIC_RELEASE);
        WakeByAddressAll(&barrier->phase);
    } else {
        wait_while(&barrier->phase, phase);
    }
    if (counted && __atomic_fetch_sub(&barrier->inside, 1, __ATOMIC_ACQ_REL) == 1)
        WakeByAddressAll(&barrier->inside); /* only an address: the barrier's memory may be gone */
    return last;
}

BOOL WINAPI DeleteSynchronizationBarrier(LPSYNCHRONIZATION_BARRIER lpBarrier)
{
    LONG *inside = &words_of(lpBarrier)->inside, there;
    while ((there = __atomic_load_n(inside, __ATOMIC_ACQUIRE)) != 0)
        wait_while(inside, there);
    return TRUE;
}
