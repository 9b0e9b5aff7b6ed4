/* SPDX-License-Identifier: MIT
 *
 * spinning.c - workers that park by yielding, plain threads that suspend and resume other workers, and a lock-free list
 * on which all of them put themselves and from which each takes itself off.
 *
 * A program of this shape stood still once in some hundred runs beside many busy threads. There a worker could wait,
 * computing, for a step of another one that no scheduler executes. Here nobody waits for another's step: an entry
 * that its owner has marked is taken out by any thread that passes it, the owner included. So if this stands
 * still an exchange was lost, a store, or a worker.
 *
 * Checked: all end, the token has gone round as often as it should, and nothing is left on the list. A hang says what each
 * was about to do.
 */
#include "fleet.h"
#include "gtest_c.h"
#include "tally.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    MEMBERS = 20,  /* workers that hand the token on */
    STOPPERS = 20, /* plain threads, each with a worker at a time that it stops */
    VICTIMS = 3,   /* of each stopper, one after the other */
    TURNS = 5,     /* of the token */
    ENTRIES = 8,   /* that a victim or a stopper puts on the list, one after the other */
    STOPS = 4,     /* of each victim */
    MOST_ENTRIES = (MEMBERS * TURNS) + STOPPERS * (1 + VICTIMS) * ENTRIES,
    LIMIT_MS = 120000,
};

/* The lowest bit of `next` says that the owner of this entry wants it off. An entry is used once in a round: a thread
 * that still looks at it must not take it for another. */
struct entry {
    _Atomic uintptr_t next;
};

static struct entry entries[MOST_ENTRIES];
static _Atomic uintptr_t head;
static atomic_uint used, token, done[3]; /* done: members, victims, stoppers */

static struct entry *put_on(void)
{
    struct entry *entry = &entries[atomic_fetch_add(&used, 1)];
    uintptr_t first = atomic_load(&head);

    do
        atomic_store(&entry->next, first);
    while (!atomic_compare_exchange_weak(&head, &first, (uintptr_t)entry));
    return entry;
}

/* Takes out all marked entries that it passes. True if this one is still there. */
static bool passes(const struct entry *wanted)
{
    _Atomic uintptr_t *link = &head;
    uintptr_t at = atomic_load(link);
    bool there = false;

    while (at) {
        struct entry *entry = (struct entry *)at; /* `link` is not marked, or we begin again */
        uintptr_t next = atomic_load(&entry->next);

        if (next & 1) {
            if (!atomic_compare_exchange_strong(link, &at, next & ~(uintptr_t)1))
                return true; /* somebody was there first, or the entry before it was marked */
            at = next & ~(uintptr_t)1;
        } else {
            there = there || entry == wanted;
            link = &entry->next;
            at = next;
        }
    }
    return there;
}

static void take_off(struct entry *entry)
{
    atomic_fetch_or(&entry->next, 1);
    while (passes(entry)) {
        SwitchToThread(); /* a worker's does not enter its scheduler */
        YieldProcessor();
    }
}

static void member(struct worker *self)
{
    for (unsigned turn = 0; turn < TURNS; turn++) {
        struct entry *entry = put_on();

        while (atomic_load(&token) % MEMBERS != (unsigned)(size_t)self->arg)
            UmsThreadYield(NULL);
        atomic_fetch_add(&token, 1);
        take_off(entry);
    }
    atomic_fetch_add(&done[0], 1);
}

static void victim(struct worker *self)
{
    for (unsigned i = 0; i < ENTRIES; i++) {
        struct entry *entry = put_on();

        for (unsigned spin = 0; spin < 200; spin++)
            YieldProcessor();
        if (i % 4 == 3)
            UmsThreadYield(NULL);
        take_off(entry);
    }
    atomic_fetch_add(&done[1], 1);
}

static DWORD WINAPI stopper(LPVOID fleet)
{
    for (unsigned i = 0; i < VICTIMS; i++) {
        struct worker *worker = fleet_add(fleet, victim, NULL);

        if (!worker)
            return 1;
        for (unsigned stop = 0; stop < STOPS; stop++) {
            DWORD before = SuspendThread(worker->thread);

            if (before == (DWORD)-1)
                break; /* it has ended */
            EXPECT_EQ(before, 0);
            SwitchToThread();
            ResumeThread(worker->thread);
            tally_add(TALLY_STOPS, 2);
        }
        for (unsigned entry = 0; entry < ENTRIES / VICTIMS; entry++)
            take_off(put_on());
        EXPECT_EQ(WaitForSingleObject(worker->thread, LIMIT_MS), WAIT_OBJECT_0);
    }
    atomic_fetch_add(&done[2], 1);
    fleet_release(fleet);
    return 0;
}

static void one_round(unsigned seed)
{
    struct fleet *fleet = fleet_create(2, MEMBERS + STOPPERS * VICTIMS, FLEET_SHARED_READY);

    REQUIRE(fleet != NULL);
    atomic_store(&used, 0);
    atomic_store(&token, 0);
    for (unsigned kind = 0; kind < 3; kind++)
        atomic_store(&done[kind], 0);
    fleet_set_limit(fleet, LIMIT_MS);
    fleet_set_seed(fleet, seed);
    for (size_t i = 0; i < MEMBERS; i++)
        REQUIRE(fleet_add(fleet, member, (void *)i) != NULL);
    for (unsigned i = 0; i < STOPPERS; i++)
        fleet_hold(fleet);
    fleet_run_beside(fleet, STOPPERS, stopper, fleet);
    EXPECT_EQ(atomic_load(&token), MEMBERS * TURNS);
    EXPECT_EQ(atomic_load(&done[0]), MEMBERS);
    EXPECT_EQ(atomic_load(&done[1]), STOPPERS * VICTIMS);
    EXPECT_EQ(atomic_load(&done[2]), STOPPERS);
    EXPECT_THAT(!passes(NULL), "somebody is still at the list");
    EXPECT_EQ(atomic_load(&head), 0);
    tally_add(TALLY_YIELDS, MEMBERS * TURNS);
}

TEST(Spinning, round_a_list)
{
    const char *text = getenv("UMSSHIM_STRESS_SECONDS");
    ULONGLONG deadline = GetTickCount64() + (text ? (ULONGLONG)atoi(text) * 1000 : 2500);
    unsigned seed = tc_seed(), rounds = 0;

    do
        one_round(seed + rounds++);
    while (!tc_failures() && GetTickCount64() < deadline);
    tc_note("%u rounds", rounds);
    tally_say();
}
