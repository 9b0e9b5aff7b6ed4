/* SPDX-License-Identifier: MIT
 *
 * random_waits.c - a thousand workers and some plain threads wait at random for any or all of up to 64
 * objects, and signal them at random. Checked: permits are conserved, a mutex's owner is alone, an
 * auto-reset event lets no more go than it was set, no wait ends before its time without a cause, and
 * nobody is left waiting.
 */
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "tally.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORKERS = 1000,
    PLAIN = 3,
    AUTO = 0, /* where each type begins */
    MANUAL = 14,
    SEMAPHORE = 24,
    MUTEX = 40,
    TIMER = 56,
    OBJECTS = 64,
    PERMITS = 40 /* of each semaphore; so there are permits for a wait without end */
};

static HANDLE objects[OBJECTS];
static long causes[OBJECTS];  /* sets of an event */
static long effects[OBJECTS]; /* waits that it satisfied */
static long guarded[OBJECTS]; /* what a mutex guards */
static long counted[OBJECTS]; /* what that should be */
static int inside[OBJECTS];
static int stop;

static unsigned draw(unsigned *state, unsigned limit)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 12) % limit;
}

static void add(long *count)
{
    __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

/* The calling thread's wait was satisfied by this object: what it took, it gives back. */
static void give_back(int which, unsigned *state)
{
    add(&effects[which]);
    if (which >= SEMAPHORE && which < MUTEX) {
        EXPECT_OK(ReleaseSemaphore(objects[which], 1, NULL));
        tally_add(TALLY_SIGNALS, 1);
    } else if (which >= MUTEX && which < TIMER) {
        if (flag_add(&inside[which], 1) != 1)
            FAIL("mutex %d has two owners", which);
        guarded[which]++;
        if (draw(state, 8) == 0)
            SwitchToThread();
        flag_add(&inside[which], -1);
        add(&counted[which]);
        EXPECT_OK(ReleaseMutex(objects[which]));
        tally_add(TALLY_SIGNALS, 1);
    }
}

static int choose(HANDLE *handles, int *which, int count, unsigned *state)
{
    int first = (int)draw(state, OBJECTS);
    int step = 1 + 2 * (int)draw(state, OBJECTS / 2); /* odd: meets each object once */

    for (int i = 0; i < count; i++) {
        which[i] = (first + i * step) % OBJECTS;
        handles[i] = objects[which[i]];
    }
    return count;
}

static void wait_for_some(unsigned *state)
{
    HANDLE handles[OBJECTS];
    int which[OBJECTS];
    bool all = draw(state, 3) == 0;
    int count = all ? 1 + (int)draw(state, 4) : 1 + (int)draw(state, draw(state, 4) ? 4 : OBJECTS);
    DWORD timeout = draw(state, 6);
    LARGE_INTEGER start, end, frequency;
    DWORD result;

    choose(handles, which, count, state);
    QueryPerformanceCounter(&start);
    result = WaitForMultipleObjects((DWORD)count, handles, all, timeout);
    QueryPerformanceCounter(&end);
    QueryPerformanceFrequency(&frequency);
    tally_add(TALLY_WAITS, 1);
    if (result == WAIT_TIMEOUT) {
        LONGLONG took = (end.QuadPart - start.QuadPart) * 1000000 / frequency.QuadPart;

        EXPECT_THAT(took >= (LONGLONG)timeout * 1000, "a wait of %u ms was over after %d us",
                    (unsigned)timeout, (int)took);
        return;
    }
    if (result >= (DWORD)count || (all && result != WAIT_OBJECT_0)) {
        FAIL("a wait for %s of %d: result %u, last error %u", all ? "all" : "any", count,
             (unsigned)result, (unsigned)GetLastError());
        return;
    }
    for (int i = all ? 0 : (int)result; i < (all ? count : (int)result + 1); i++)
        give_back(which[i], state);
}

/* Without end: a thread always comes that gives a permit, or a mutex, back. */
static void wait_without_end(unsigned *state)
{
    HANDLE handles[TIMER - SEMAPHORE];
    int count = TIMER - SEMAPHORE;
    int first = (int)draw(state, (unsigned)count);
    DWORD result;

    if (draw(state, 4) == 0) { /* one mutex and one semaphore, both */
        int pair[2] = {SEMAPHORE + (int)draw(state, MUTEX - SEMAPHORE),
                       MUTEX + (int)draw(state, TIMER - MUTEX)};

        handles[0] = objects[pair[0]];
        handles[1] = objects[pair[1]];
        EXPECT_EQ(WaitForMultipleObjects(2, handles, TRUE, INFINITE), WAIT_OBJECT_0);
        tally_add(TALLY_WAITS, 1);
        give_back(pair[0], state);
        give_back(pair[1], state);
        return;
    }
    for (int i = 0; i < count; i++)
        handles[i] = objects[SEMAPHORE + (first + i) % count];
    result = WaitForMultipleObjects((DWORD)count, handles, FALSE, INFINITE);
    if (result >= (DWORD)count) {
        FAIL("a wait without end: result %u", (unsigned)result);
        return;
    }
    tally_add(TALLY_WAITS, 1);
    give_back(SEMAPHORE + (first + (int)result) % count, state);
}

static void signal_some(unsigned *state)
{
    int which = (int)draw(state, OBJECTS);
    LARGE_INTEGER due;

    if (which < MANUAL) {
        add(&causes[which]); /* before: the effect may come at once */
        EXPECT_OK(SetEvent(objects[which]));
    } else if (which < SEMAPHORE) {
        EXPECT_OK(draw(state, 2) ? SetEvent(objects[which]) : ResetEvent(objects[which]));
    } else if (which >= TIMER) {
        due.QuadPart = -(LONGLONG)draw(state, 30000);
        EXPECT_OK(SetWaitableTimer(objects[which], &due, 0, NULL, NULL, FALSE));
    } else {
        return; /* semaphores and mutexes are given back by who took them */
    }
    tally_add(TALLY_SIGNALS, 1);
}

static void work(unsigned state, bool worker)
{
    while (!flag_get(&stop) && !tc_failures()) {
        switch (draw(&state, 8)) {
        case 0:
        case 1:
        case 2:
            signal_some(&state);
            break;
        case 3:
            wait_without_end(&state);
            break;
        case 4:
            if (worker)
                UmsThreadYield(NULL);
            break;
        default:
            wait_for_some(&state);
        }
    }
}

static unsigned seed;

static void work_as_worker(struct worker *self)
{
    work(seed + (unsigned)self->index * 7919u, true);
}

static void work_as_thread(void *arg)
{
    work(seed + (unsigned)(ULONG_PTR)arg * 104729u, false);
}

/* All of it: a program that is run by hand makes several tests in one process. */
static void create(void)
{
    flag_set(&stop, 0);
    memset(causes, 0, sizeof causes);
    memset(effects, 0, sizeof effects);
    memset(guarded, 0, sizeof guarded);
    memset(counted, 0, sizeof counted);
    for (int i = 0; i < OBJECTS; i++) {
        objects[i] = i < MANUAL      ? CreateEventA(NULL, FALSE, FALSE, NULL)
                     : i < SEMAPHORE ? CreateEventA(NULL, TRUE, FALSE, NULL)
                     : i < MUTEX     ? CreateSemaphoreA(NULL, PERMITS, PERMITS, NULL)
                     : i < TIMER     ? CreateMutexA(NULL, FALSE, NULL)
                                     : CreateWaitableTimerA(NULL, i % 2, NULL);
        EXPECT_OK(objects[i] != NULL);
    }
}

static void check_and_close(void)
{
    for (int i = 0; i < OBJECTS; i++) {
        if (i < MANUAL) {
            EXPECT_THAT(effects[i] <= causes[i], "event %d was set %ld times and let %ld go", i,
                        causes[i], effects[i]);
        } else if (i >= SEMAPHORE && i < MUTEX) {
            int left = 0;

            while (left <= PERMITS && WaitForSingleObject(objects[i], 0) == WAIT_OBJECT_0)
                left++;
            EXPECT_THAT(left == PERMITS, "semaphore %d: %d of %d permits are left", i, left,
                        PERMITS);
        } else if (i >= MUTEX && i < TIMER) {
            EXPECT_EQ(guarded[i], counted[i]);
        }
        EXPECT_OK(CloseHandle(objects[i]));
    }
}

static DWORD WINAPI ring_the_bell(LPVOID milliseconds)
{
    Sleep((DWORD)(ULONG_PTR)milliseconds);
    flag_set(&stop, 1);
    return 0;
}

static void run(int schedulers, unsigned flags)
{
    const char *text = getenv("UMSSHIM_STRESS_SECONDS");
    DWORD milliseconds = text ? (DWORD)atoi(text) * 1000 : 2000;
    struct fleet *fleet = fleet_create(schedulers, WORKERS, flags | FLEET_SHARED_READY);
    struct kind_thread plain[PLAIN] = {0};
    HANDLE bell;
    long waits = 0;

    ASSERT_NE(fleet, NULL);
    seed = tc_seed();
    create();
    fleet_set_limit(fleet, milliseconds + 25000);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, work_as_worker, NULL);
    for (int i = 0; i < PLAIN; i++)
        ASSERT_OK(kind_start(&plain[i], KIND_PLAIN, work_as_thread, (void *)(ULONG_PTR)i));
    bell = CreateThread(NULL, 0, ring_the_bell, (void *)(ULONG_PTR)milliseconds, 0, NULL);
    ASSERT_OK(fleet_run(fleet));
    for (int i = 0; i < PLAIN; i++)
        ASSERT_OK(kind_join(&plain[i]));
    EXPECT_EQ(WaitForSingleObject(bell, 8000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(bell));
    for (int i = 0; i < OBJECTS; i++)
        waits += effects[i];
    tc_note("%ld objects waited for in %u ms", waits, (unsigned)milliseconds);
    EXPECT_GT(waits, 100); /* thousands, unless others keep the machine busy */
    check_and_close();
    tally_say();
    fleet_destroy(fleet);
}

CALL_TEST(RandomWaits, one_scheduler, run(1, 0))
CALL_TEST(RandomWaits, two_schedulers, run(2, 0))
CALL_TEST(RandomWaits, four_schedulers_with_lists_of_their_own,
          run(4, FLEET_OWN_LISTS | FLEET_RANDOM))
