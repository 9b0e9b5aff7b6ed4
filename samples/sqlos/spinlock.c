/* SPDX-License-Identifier: MIT
 *
 * spinlock.c - spinlocks: looking again and again, then backing off; counted by class.
 *
 * A spin that goes on and on keeps the processor from the holder, if that was switched away. So
 * after some looks the spinner backs off: a task yields its scheduler, a thread its processor; from
 * the fifth time on it sleeps, twice as long each time up to a limit. Scheduler code must not take
 * a spinlock: it would wait for a worker.
 */
#include "sqlos_private.h"

enum { SLEEP_FROM = 4, SLEEP_MOST_MS = 8 };

static SOS_SPINLOCK_CLASS *volatile s_classes;

VOID SosSpinlockClassInit(SOS_SPINLOCK_CLASS *kind)
{
    PVOID before;

    do {
        before = (PVOID)s_classes;
        kind->next = (SOS_SPINLOCK_CLASS *)before;
    } while (InterlockedCompareExchangePointer((PVOID volatile *)&s_classes, kind, before) !=
             before);
}

const SOS_SPINLOCK_CLASS *SosSpinlockClasses(VOID)
{
    return s_classes;
}

VOID SosSpinlockInit(SOS_SPINLOCK *lock, SOS_SPINLOCK_CLASS *kind)
{
    lock->owner = NULL;
    lock->kind = kind;
}

/* Who holds the lock: its scheduler, or on threads without one something that is none. Enough to
 * tell whether the holder can run while the spinner does. */
static PVOID Identity(const SOS_WORKER *worker)
{
    return worker && !worker->outside ? (PVOID)worker->scheduler : (PVOID)&s_classes;
}

static BOOL Take(SOS_SPINLOCK *lock, PVOID identity)
{
    return !InterlockedCompareExchangePointer(&lock->owner, identity, NULL);
}

/* Returns whether it slept. */
static BOOL BackOff(SOS_WORKER *worker, LONG64 times)
{
    LONG64 turn = times - SLEEP_FROM;
    DWORD milliseconds = turn > 3 ? SLEEP_MOST_MS : turn > 0 ? 1u << turn : 1;
    BOOL inside = worker && !worker->outside;

    if (times < SLEEP_FROM) {
        if (!inside || !Leave(worker, YIELD_QUANTUM))
            SwitchToThread();
        return FALSE;
    }
    if (!inside) {
        Sleep(milliseconds);
        return TRUE;
    }
    PrepareWait(worker, SOS_WAIT_SPINLOCK, NULL, milliseconds, FALSE);
    WaitNow(worker, YIELD_DELAY);
    return TRUE;
}

static VOID Collide(SOS_SPINLOCK *lock, SOS_WORKER *worker, PVOID identity)
{
    SOS_SPINLOCK_CLASS *kind = lock->kind;
    LONG64 spins = 0, backoffs = 0, sleeps = 0;

    for (;;) {
        PVOID owner = lock->owner;
        /* A thread's lock says nothing about its holder, so two threads spin for each other. */
        int left =
            owner == identity && owner != (PVOID)&s_classes ? SPINS_NEIGHBOUR : SPINS_STRANGER;

        for (; left > 0; left--) {
            spins++;
            YieldProcessor();
            if (!lock->owner && Take(lock, identity)) {
                InterlockedIncrement64(&kind->collisions);
                InterlockedExchangeAdd64(&kind->spins, spins);
                InterlockedExchangeAdd64(&kind->backoffs, backoffs);
                InterlockedExchangeAdd64(&kind->sleeps, sleeps);
                return;
            }
        }
        sleeps += BackOff(worker, backoffs++);
    }
}

VOID SosSpinlockAcquire(SOS_SPINLOCK *lock)
{
    SOS_WORKER *worker = CurrentWorker();
    PVOID identity = Identity(worker);

    if (!Take(lock, identity))
        Collide(lock, worker, identity);
}

BOOL SosSpinlockTryAcquire(SOS_SPINLOCK *lock)
{
    return Take(lock, Identity(CurrentWorker()));
}

VOID SosSpinlockRelease(SOS_SPINLOCK *lock)
{
    InterlockedExchangePointer(&lock->owner, NULL);
}
