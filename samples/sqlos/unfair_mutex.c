/* SPDX-License-Identifier: MIT
 *
 * unfair_mutex.c - the unfair mutex pair: two mutexes in one word, taken together or the second
 * alone.
 *
 *      31  30             16  15  14              0
 *     +---+-----------------+---+-----------------+
 *     |lock    counted      |lock    counted      |
 *     +---+-----------------+---+-----------------+
 *       the second            the first
 *
 * Counted are all that want the half, its owner too. The first that runs while the lock bit is
 * clear gets it; having waited longer gives no claim. So the object never idles for a chosen owner
 * that has yet to be scheduled, at the price of waits that may be long.
 *
 * Why no wake-up is lost: counting fails when the lock bit is clear, so a worker that sleeps was
 * counted while somebody held it, and that one's release sees the count and signals. The event
 * remembers a signal that finds nobody asleep. The worker that uses the signal up goes on to get
 * the mutex, and its own release signals again while any are counted. A worker that wants both
 * sleeps at the first's event when it found the first held, else at the second's, and is counted in
 * both.
 */
#include "sqlos_private.h"

#define COUNT 0x00010001u
#define TAKE_AND_COUNT 0x80018001u
#define TAKE 0x80008000u
#define RELEASE 0x7ffe7fffu /* -0x80018001 */
#define LOCKED 0x80008000u

/* Adds to the word while the lock bits are, all of them clear or some set, as wanted. */
static BOOL AddWhile(volatile LONG *word, DWORD halves, DWORD addend, BOOL locked)
{
    DWORD seen = (DWORD)*word;

    while (((seen & LOCKED & halves) != 0) == locked) {
        DWORD before =
            (DWORD)InterlockedCompareExchange(word, (LONG)(seen + (addend & halves)), (LONG)seen);

        if (before == seen)
            return TRUE;
        seen = before;
    }
    return FALSE;
}

BOOL PairTakeAndCount(volatile LONG *word, DWORD halves)
{
    return AddWhile(word, halves, TAKE_AND_COUNT, FALSE);
}

/* For a worker that is counted already. */
BOOL PairTake(volatile LONG *word, DWORD halves)
{
    return AddWhile(word, halves, TAKE, FALSE);
}

/* Gives up where the others go on: a mutex that is free is to be taken, not waited for. */
BOOL PairCount(volatile LONG *word, DWORD halves)
{
    return AddWhile(word, halves, COUNT, TRUE);
}

/* One addition, for both halves were at least 0x8001: nothing is carried. The second alone is
 * -0x80010000. Returns what is left. */
DWORD PairRelease(volatile LONG *word, DWORD halves)
{
    DWORD addend = halves == SOS_PAIR_BOTH ? RELEASE : 0u - (TAKE_AND_COUNT & halves);

    return (DWORD)InterlockedExchangeAdd(word, (LONG)addend) + addend;
}

static VOID SetOwner(SOS_UNFAIR_MUTEX_PAIR *pair, DWORD halves, SOS_WORKER *worker)
{
    SOS_SCHEDULER *scheduler = worker ? worker->scheduler : NULL;
    SOS_TASK *task = worker ? worker->task : NULL;

    if (halves == SOS_PAIR_BOTH) {
        pair->ownerScheduler[0] = scheduler;
        pair->ownerTask[0] = task;
    }
    pair->ownerScheduler[1] = scheduler;
    pair->ownerTask[1] = task;
}

/* Which half is in the way. */
static int HeldHalf(const SOS_UNFAIR_MUTEX_PAIR *pair, DWORD halves)
{
    return halves == SOS_PAIR_BOTH && (pair->word & 0x8000) ? 0 : 1;
}

/* TRUE: it is taken. An owner on this scheduler cannot run until we yield, so one look is
 * enough. */
static BOOL Spin(SOS_UNFAIR_MUTEX_PAIR *pair, DWORD halves, const SOS_WORKER *worker, BOOL *counted,
                 LONG *spins)
{
    BOOL neighbour = pair->ownerScheduler[HeldHalf(pair, halves)] == worker->scheduler;
    int left = neighbour ? SPINS_NEIGHBOUR : SPINS_STRANGER;

    for (; left > 0; left--) {
        ++*spins;
        if (*counted ? PairTake(&pair->word, halves) : PairTakeAndCount(&pair->word, halves))
            return TRUE;
        if (!*counted)
            *counted = PairCount(&pair->word, halves);
        YieldProcessor();
    }
    return FALSE;
}

/* Only waiters are counted here, so that the way without waiting stays a handful of
 * instructions. */
static VOID LongWait(SOS_UNFAIR_MUTEX_PAIR *pair, DWORD halves, SOS_WORKER *worker)
{
    BOOL counted = FALSE;
    LONG spins = 0, sleeps = 0;

    while (!Spin(pair, halves, worker, &counted, &spins)) {
        if (!counted)
            continue; /* it was free for a moment each time we wanted to be counted */
        sleeps++;
        EventWait(&pair->event[HeldHalf(pair, halves)], INFINITE, SOS_WAIT_CMEMTHREAD, FALSE);
    }
    InterlockedIncrement(&pair->collisions);
    InterlockedAdd(&pair->spins, spins);
    InterlockedAdd(&pair->sleeps, sleeps);
}

VOID SosPairInit(SOS_UNFAIR_MUTEX_PAIR *pair)
{
    ZeroMemory(pair, sizeof(*pair));
    SosEventInit(&pair->event[0], FALSE, FALSE);
    SosEventInit(&pair->event[1], FALSE, FALSE);
}

VOID SosPairAcquire(SOS_UNFAIR_MUTEX_PAIR *pair, DWORD halves)
{
    SOS_WORKER *worker = WorkerInside();

    if (!PairTakeAndCount(&pair->word, halves))
        LongWait(pair, halves, worker);
    SetOwner(pair, halves, worker);
}

BOOL SosPairTryAcquire(SOS_UNFAIR_MUTEX_PAIR *pair, DWORD halves)
{
    if (!PairTakeAndCount(&pair->word, halves))
        return FALSE;
    SetOwner(pair, halves, CurrentWorker());
    return TRUE;
}

VOID SosPairRelease(SOS_UNFAIR_MUTEX_PAIR *pair, DWORD halves)
{
    DWORD left;

    SetOwner(pair, halves, NULL);
    left = PairRelease(&pair->word, halves) & halves;
    if (left & 0x00007fff)
        SosEventSignalAll(&pair->event[0]);
    if (left & 0x7fff0000)
        SosEventSignalAll(&pair->event[1]);
}
