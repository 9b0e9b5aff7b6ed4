/* SPDX-License-Identifier: MIT
 *
 * random_signals.c - all ways in which a wait can be decided, at random and at once, on four schedulers.
 *
 * Tokens are semaphores, mutexes and auto-reset events; who holds one has taken it by a wait, and gives it
 * back by signalling it. Workers and plain threads wait for one, any or all of some tokens, with and
 * without time-outs, alertably or not, and give one token back in the same step as they wait for the
 * next (SignalObjectAndWait). Meanwhile events are pulsed, procedures queued, threads end with a mutex of
 * theirs, and others are ended while they wait. Checked: a token has one holder at a time, and none is
 * lost; every procedure runs once; a wait says that procedures ran only if one did; a mutex is abandoned no
 * oftener than it was; who is ended ends.
 */
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "tally.h"

#include <stdlib.h>
#include <string.h>

enum {
    SCHEDULERS = 4,
    WORKERS = 48,
    PLAIN = 3,
    PEERS = WORKERS + PLAIN,
    SEMAPHORES = 4,
    MUTEXES = 8,
    TOKENS = 16, /* semaphores, then mutexes from here, then events */
    PULSED = 3,
    MOST = 6
};

static struct {
    HANDLE tokens[TOKENS];
    int holders[TOKENS];
    HANDLE pulsed[PULSED];
    HANDLE never;
    HANDLE threads[PEERS]; /* for procedures */
    long queued[PEERS], run[PEERS];
    int there[PEERS], done;
    long abandoned, told, takes, alerts, pulses;
    int stop;
    unsigned seed;
} all;

struct peer {
    int index;
    unsigned state;
    bool worker;
};

static unsigned draw(struct peer *peer, unsigned limit)
{
    peer->state = peer->state * 1103515245u + 12345u;
    return (peer->state >> 12) % limit;
}

static long add(long *count, long by)
{
    return __atomic_add_fetch(count, by, __ATOMIC_RELAXED);
}

static bool is_mutex(int which)
{
    return which >= SEMAPHORES && which < MUTEXES;
}

static void hold(int which)
{
    if (flag_add(&all.holders[which], 1) != 1)
        FAIL("token %d has two holders", which);
    add(&all.takes, 1);
}

static void give_back(int which)
{
    flag_add(&all.holders[which], -1);
    if (which < SEMAPHORES)
        EXPECT_OK(ReleaseSemaphore(all.tokens[which], 1, NULL));
    else if (is_mutex(which))
        EXPECT_OK(ReleaseMutex(all.tokens[which]));
    else
        EXPECT_OK(SetEvent(all.tokens[which]));
    tally_add(TALLY_SIGNALS, 1);
}

/* Alertable waits say it only when this has grown. */
static void CALLBACK procedure(ULONG_PTR index)
{
    add(&all.run[index], 1);
}

static DWORD limit_of(struct peer *peer)
{
    static const DWORD limits[] = {0, 0, 1, 2, 5, INFINITE, INFINITE, INFINITE};

    return limits[draw(peer, 8)];
}

/* Whether the wait ended for procedures' sake, and that was so. */
static bool was_alerted(struct peer *peer, DWORD result, long before, bool alertable)
{
    if (result != WAIT_IO_COMPLETION)
        return false;
    add(&all.alerts, 1);
    EXPECT_THAT(alertable && all.run[peer->index] > before, "alerted without a procedure: %d",
                peer->index);
    return true;
}

static void wait_for_tokens(struct peer *peer)
{
    HANDLE handles[MOST];
    int which[MOST], count = 1 + (int)draw(peer, MOST);
    int first = (int)draw(peer, TOKENS), step = 1 + 2 * (int)draw(peer, TOKENS / 2);
    bool whole = draw(peer, 3) == 0, alertable = draw(peer, 2);
    long before = all.run[peer->index];
    DWORD limit = limit_of(peer), result;

    for (int i = 0; i < count; i++) {
        which[i] = (first + i * step) % TOKENS;
        handles[i] = all.tokens[which[i]];
    }
    if (count == 1)
        result = WaitForSingleObjectEx(handles[0], limit, alertable);
    else
        result = WaitForMultipleObjectsEx((DWORD)count, handles, whole, limit, alertable);
    tally_add(TALLY_WAITS, 1);
    if (was_alerted(peer, result, before, alertable))
        return;
    if (result == WAIT_TIMEOUT) {
        EXPECT_NE(limit, INFINITE);
        return;
    }
    if (result >= WAIT_ABANDONED_0 && result < WAIT_ABANDONED_0 + MOST) {
        add(&all.told, 1);
        result -= WAIT_ABANDONED_0;
    }
    if (result >= (DWORD)count) {
        FAIL("a wait for %s of %d: result %u, error %u", whole ? "all" : "any", count,
             (unsigned)result, (unsigned)GetLastError());
        return;
    }
    for (int i = whole ? 0 : (int)result; i < (whole ? count : (int)result + 1); i++)
        hold(which[i]);
    if (peer->worker && draw(peer, 4) == 0)
        UmsThreadYield(NULL);
    for (int i = whole ? 0 : (int)result; i < (whole ? count : (int)result + 1); i++)
        give_back(which[i]);
}

/* From one token to the next, giving back and waiting in one step. */
static void pass_on(struct peer *peer)
{
    int which = (int)draw(peer, TOKENS);
    DWORD result = WaitForSingleObject(all.tokens[which], 20);

    tally_add(TALLY_WAITS, 1);
    if (result == WAIT_TIMEOUT)
        return;
    if (result == WAIT_ABANDONED_0)
        add(&all.told, 1);
    hold(which);
    for (int rounds = 1 + (int)draw(peer, 4); rounds > 0; rounds--) {
        int next = (int)draw(peer, TOKENS);
        bool alertable = draw(peer, 2);
        long before = all.run[peer->index];
        DWORD limit = limit_of(peer);

        flag_add(&all.holders[which], -1);
        result = SignalObjectAndWait(all.tokens[which], all.tokens[next], limit, alertable);
        tally_add(TALLY_WAITS, 1);
        if (was_alerted(peer, result, before, alertable) || result == WAIT_TIMEOUT)
            return;
        if (result == WAIT_ABANDONED_0) {
            add(&all.told, 1);
        } else if (result != WAIT_OBJECT_0) {
            FAIL("from %d to %d: result %u, error %u", which, next, (unsigned)result,
                 (unsigned)GetLastError());
            return;
        }
        hold(next);
        which = next;
    }
    give_back(which);
}

static void wait_for_pulse(struct peer *peer)
{
    HANDLE handles[2] = {all.pulsed[draw(peer, PULSED)], all.pulsed[draw(peer, PULSED)]};
    bool alertable = draw(peer, 2);
    long before = all.run[peer->index];
    DWORD result = draw(peer, 2)
                       ? WaitForSingleObjectEx(handles[0], 2, alertable)
                       : WaitForMultipleObjectsEx(
                             2, handles, handles[0] != handles[1] && draw(peer, 2), 2, alertable);

    tally_add(TALLY_WAITS, 1);
    if (!was_alerted(peer, result, before, alertable)) {
        EXPECT_THAT(result == WAIT_TIMEOUT || result <= WAIT_OBJECT_0 + 1, "a pulse: result %u",
                    (unsigned)result);
        if (result != WAIT_TIMEOUT)
            add(&all.pulses, 1);
    }
}

static void queue_procedure(struct peer *peer)
{
    int other = (int)draw(peer, PEERS);

    if (flag_get(&all.there[other])) {
        add(&all.queued[other], 1);
        EXPECT_OK(QueueUserAPC(procedure, all.threads[other], (ULONG_PTR)other));
    }
}

/* Ends with a mutex in hand, unless it waits in vain. */
static DWORD WINAPI abandon(LPVOID which)
{
    HANDLE mutex = all.tokens[(INT_PTR)which];
    DWORD result = WaitForSingleObject(mutex, 50);

    if (result == WAIT_ABANDONED_0)
        add(&all.told, 1);
    if (result == WAIT_OBJECT_0 || result == WAIT_ABANDONED_0) {
        hold((int)(INT_PTR)which);
        flag_add(&all.holders[(INT_PTR)which], -1);
        add(&all.abandoned, 1);
    }
    return 0;
}

static DWORD WINAPI wait_in_vain(LPVOID how)
{
    HANDLE handles[3] = {all.never, all.pulsed[0], all.pulsed[1]};

    for (;;) {
        switch ((INT_PTR)how) {
        case 0:
            WaitForSingleObject(all.never, INFINITE);
            break;
        case 1:
            WaitForMultipleObjects(3, handles, FALSE, 3);
            break;
        case 2:
            WaitForMultipleObjects(3, handles, TRUE, INFINITE);
            break;
        default:
            SleepEx(1, TRUE);
        }
    }
    return 0;
}

static void make_a_thread(struct peer *peer)
{
    bool ends = draw(peer, 2);
    INT_PTR arg =
        ends ? (INT_PTR)draw(peer, 4) : SEMAPHORES + (INT_PTR)draw(peer, MUTEXES - SEMAPHORES);
    HANDLE thread = CreateThread(NULL, 65536, ends ? wait_in_vain : abandon, (LPVOID)arg, 0, NULL);

    ASSERT_OK(thread != NULL);
    if (ends) {
        Sleep(draw(peer, 3));
        EXPECT_OK(TerminateThread(thread, 7));
    }
    EXPECT_EQ(WaitForSingleObject(thread, 15000), WAIT_OBJECT_0);
    tally_add(TALLY_CREATIONS, 1);
    tally_add(TALLY_ENDS, 1);
    EXPECT_OK(CloseHandle(thread));
}

static void work(void *arg)
{
    struct peer *peer = arg;

    if (!DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                         &all.threads[peer->index], 0, FALSE, DUPLICATE_SAME_ACCESS))
        FAIL("no handle to the thread, error %u", (unsigned)GetLastError());
    flag_set(&all.there[peer->index], 1);
    while (!flag_get(&all.stop) && !tc_failures()) {
        switch (draw(peer, 32)) {
        case 0:
            make_a_thread(peer);
            break;
        case 1 ... 3:
            queue_procedure(peer);
            break;
        case 4 ... 5:
            PulseEvent(all.pulsed[draw(peer, PULSED)]);
            break;
        case 6:
            wait_for_pulse(peer);
            break;
        case 7 ... 9:
            pass_on(peer);
            break;
        case 10:
            if (peer->worker)
                UmsThreadYield(NULL);
            break;
        default:
            wait_for_tokens(peer);
        }
    }
    /* Nobody queues anything more once all are here; then what was queued runs. */
    flag_set(&all.there[peer->index], 0);
    flag_add(&all.done, 1);
    while (flag_get(&all.done) < PEERS && !tc_failures())
        SleepEx(1, TRUE);
    while (SleepEx(0, TRUE) == WAIT_IO_COMPLETION)
        continue;
}

static struct peer peers[PEERS];

static void work_as_worker(struct worker *self)
{
    work(self->arg);
}

static DWORD WINAPI ring_the_bell(LPVOID milliseconds)
{
    Sleep((DWORD)(ULONG_PTR)milliseconds);
    flag_set(&all.stop, 1);
    return 0;
}

static void create(void)
{
    memset(&all, 0, sizeof all);
    all.seed = tc_seed();
    for (int i = 0; i < TOKENS; i++) {
        all.tokens[i] = i < SEMAPHORES ? CreateSemaphoreA(NULL, 1, 1, NULL)
                        : is_mutex(i)  ? CreateMutexA(NULL, FALSE, NULL)
                                       : CreateEventA(NULL, FALSE, TRUE, NULL);
        EXPECT_OK(all.tokens[i] != NULL);
    }
    for (int i = 0; i < PULSED; i++)
        all.pulsed[i] = CreateEventA(NULL, i % 2, FALSE, NULL);
    all.never = CreateEventA(NULL, TRUE, FALSE, NULL);
    for (int i = 0; i < PEERS; i++) {
        peers[i] = (struct peer){
            .index = i, .state = all.seed + (unsigned)i * 7919u, .worker = i < WORKERS};
    }
}

static void check_and_close(void)
{
    for (int i = 0; i < TOKENS; i++) {
        DWORD result = WaitForSingleObject(all.tokens[i], 0);

        EXPECT_EQ(all.holders[i], 0);
        EXPECT_THAT(result == WAIT_OBJECT_0 || (is_mutex(i) && result == WAIT_ABANDONED_0),
                    "token %d is lost", i);
        if (!is_mutex(i)) {
            EXPECT_EQ(WaitForSingleObject(all.tokens[i], 0),
                      WAIT_TIMEOUT); /* there is one of each */
        }
        EXPECT_OK(CloseHandle(all.tokens[i]));
    }
    for (int i = 0; i < PEERS; i++) {
        EXPECT_EQ(all.run[i], all.queued[i]);
        tally_add(TALLY_PROCEDURES, all.run[i]);
        EXPECT_OK(CloseHandle(all.threads[i]));
    }
    EXPECT_GE(all.abandoned, all.told);
    for (int i = 0; i < PULSED; i++)
        EXPECT_OK(CloseHandle(all.pulsed[i]));
    EXPECT_OK(CloseHandle(all.never));
}

TEST(RandomSignals, four_schedulers)
{
    const char *text = getenv("UMSSHIM_STRESS_SECONDS");
    DWORD milliseconds = text ? (DWORD)atoi(text) * 1000 : 1500;
    struct fleet *fleet = fleet_create(SCHEDULERS, WORKERS, FLEET_SHARED_READY | FLEET_OWN_LISTS);
    struct kind_thread plain[PLAIN] = {0};
    HANDLE bell;

    ASSERT_NE(fleet, NULL);
    create();
    fleet_set_limit(fleet, milliseconds + 25000);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, work_as_worker, &peers[i]);
    for (int i = 0; i < PLAIN; i++)
        ASSERT_OK(kind_start(&plain[i], KIND_PLAIN, work, &peers[WORKERS + i]));
    bell = CreateThread(NULL, 0, ring_the_bell, (void *)(ULONG_PTR)milliseconds, 0, NULL);
    ASSERT_OK(fleet_run(fleet));
    for (int i = 0; i < PLAIN; i++)
        ASSERT_OK(kind_join(&plain[i]));
    EXPECT_EQ(WaitForSingleObject(bell, 8000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(bell));
    tc_note("%ld tokens taken, %ld waits alerted, %ld pulses met, %ld mutexes abandoned", all.takes,
            all.alerts, all.pulses, all.abandoned);
    EXPECT_GT(all.takes, 100);
    check_and_close();
    tally_say();
    fleet_destroy(fleet);
}
