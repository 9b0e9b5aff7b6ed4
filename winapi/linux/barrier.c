/* SPDX-License-Identifier: MIT
 *
 * barrier.c - synchronization barriers: threads wait until all have come.
 *
 * All is in the program's own words. `remaining` counts down the threads that have not come in this
 * phase; the last one sets it anew and then, with release, advances `phase`, which the others wait
 * to see, with acquire. A thread of the next phase can only come after that. `inside` counts the
 * threads that DeleteSynchronizationBarrier has to wait for: each takes itself off as the last
 * thing it does with the words, so that their memory may be freed next. A worker that waits leaves
 * its scheduler.
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

/* Until the word is no longer what it was. */
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
        WakeByAddressAll(&barrier->inside); /* an address: nothing is read there */
    return last;
}

BOOL WINAPI DeleteSynchronizationBarrier(LPSYNCHRONIZATION_BARRIER lpBarrier)
{
    LONG *inside = &words_of(lpBarrier)->inside, there;
    while ((there = __atomic_load_n(inside, __ATOMIC_ACQUIRE)) != 0)
        wait_while(inside, there);
    return TRUE;
}
