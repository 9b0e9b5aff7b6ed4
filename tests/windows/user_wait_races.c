/* SPDX-License-Identifier: MIT
 *
 * user_wait_races.c - workers of two schedulers and plain threads that signal and wait for the same
 * objects: however they meet, no signal is lost and none is used twice.
 *
 * modes: default
 * libraries: synchronization
 * options: LIMIT 120
 */
#include "fleet.h"
#include "gtest_c.h"
#include "waiters.h"

enum { LIMIT_MS = 10000, SCHEDULERS = 2, WORKERS = 6, THREADS = 2, RUN_MS = 1500 };

static HANDLE object;
static int taken, given, running;
static double until;

static struct fleet *begin(void)
{
    taken = given = 0;
    running = THREADS + 1;
    until = now_ms() + RUN_MS;
    return fleet_create(SCHEDULERS, WORKERS, FLEET_SHARED_READY);
}

/* ---- Semaphore: what was released is what was taken ------------------------------------------ */

static unsigned next(unsigned *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

/* Takes until the givers have stopped and nothing is left. */
static void take(unsigned seed)
{
    static const DWORD patience[] = {0, 1, 3, 20};

    for (;;) {
        int last = flag_get(&running) == 0;
        DWORD result = WaitForSingleObject(object, patience[next(&seed) % 4]);

        if (result == WAIT_OBJECT_0)
            flag_add(&taken, 1);
        else if (!EXPECT_EQ(result, WAIT_TIMEOUT) || last)
            return;
    }
}

static void give(unsigned seed)
{
    while (now_ms() < until) {
        LONG count = 1 + (LONG)(next(&seed) % 4), previous;

        if (flag_get(&given) - flag_get(&taken) > 1000) {
            SwitchToThread();
            continue;
        }
        flag_add(&given, (int)count);
        EXPECT_OK(ReleaseSemaphore(object, count, next(&seed) % 4 ? NULL : &previous));
        if (next(&seed) % 8 == 0)
            Sleep(next(&seed) % 3);
    }
    flag_add(&running, -1);
}

static void worker_takes_or_gives(struct worker *self)
{
    self->index == 0 ? give(tc_seed()) : take((unsigned)self->index);
}

static DWORD WINAPI thread_gives(LPVOID param)
{
    give(GetCurrentThreadId());
    return 0;
}

TEST(UserWaitRaces, semaphore_balances)
{
    struct fleet *fleet = begin();

    ASSERT_NE(fleet, NULL);
    object = CreateSemaphoreA(NULL, 0, 100000, NULL);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, worker_takes_or_gives, NULL);
    fleet_run_beside(fleet, THREADS, thread_gives, NULL);
    EXPECT_EQ(taken, given);
    EXPECT_GT(given, 0);
    EXPECT_EQ(WaitForSingleObject(object, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(object));
}

/* ---- Auto event: each set through the gate is one wake --------------------------------------- */

static HANDLE gate;

/* The gate is open when the event was used: so no set falls on one that is set. */
static void set_through_gate(void)
{
    for (;;) {
        EXPECT_EQ(WaitForSingleObject(gate, LIMIT_MS), WAIT_OBJECT_0);
        if (now_ms() >= until)
            break;
        flag_add(&given, 1);
        EXPECT_OK(SetEvent(object));
    }
    flag_add(&running, -1);
    EXPECT_OK(SetEvent(gate)); /* for the next who has to end */
}

static void wait_and_open_gate(unsigned seed)
{
    while (flag_get(&running)) {
        DWORD result = WaitForSingleObject(object, 1 + next(&seed) % 20);

        if (result == WAIT_OBJECT_0) {
            EXPECT_EQ(flag_add(&taken, 1), flag_get(&given));
            EXPECT_OK(SetEvent(gate));
        } else if (!EXPECT_EQ(result, WAIT_TIMEOUT)) {
            return;
        }
    }
}

static void worker_waits_or_sets(struct worker *self)
{
    self->index == 0 ? set_through_gate() : wait_and_open_gate((unsigned)self->index);
}

static DWORD WINAPI thread_sets(LPVOID param)
{
    set_through_gate();
    return 0;
}

TEST(UserWaitRaces, auto_event_balances)
{
    struct fleet *fleet = begin();

    ASSERT_NE(fleet, NULL);
    object = CreateEventA(NULL, FALSE, FALSE, NULL);
    gate = CreateEventA(NULL, FALSE, TRUE, NULL);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, worker_waits_or_sets, NULL);
    fleet_run_beside(fleet, THREADS, thread_sets, NULL);
    EXPECT_EQ(taken, given);
    EXPECT_GT(given, 0);
    EXPECT_EQ(WaitForSingleObject(object, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(object));
    EXPECT_OK(CloseHandle(gate));
}

/* ---- A token that goes round among workers and threads --------------------------------------- */

enum { SEATS = WORKERS + THREADS, ROUNDS = 400 };

static HANDLE seats[SEATS];
static int holders, seat, last_round;

/* Seat 0 says which round is the last: the 400th, or the one in which the time is over. The others
 * hear of it with the token. */
static void pass_token(int mine, bool by_semaphore)
{
    for (int i = 0, last = 0; !last; i++) {
        HANDLE following = seats[(mine + 1) % SEATS];

        if (!EXPECT_EQ(WaitForSingleObject(seats[mine], LIMIT_MS), WAIT_OBJECT_0))
            return;
        if (mine == 0 && (i + 1 == ROUNDS || now_ms() >= until))
            flag_set(&last_round, 1);
        last = flag_get(&last_round);
        EXPECT_EQ(flag_add(&holders, 1), 1);
        EXPECT_EQ(WaitForSingleObject(seats[mine], 0), WAIT_TIMEOUT);
        EXPECT_EQ(flag_add(&holders, -1), 0);
        EXPECT_OK(by_semaphore ? ReleaseSemaphore(following, 1, NULL) : SetEvent(following));
    }
}

static void worker_passes(struct worker *self)
{
    pass_token(self->index, self->arg != NULL);
}

static int by_semaphore;

static DWORD WINAPI thread_passes(LPVOID param)
{
    pass_token(WORKERS + flag_add(&seat, 1) - 1, by_semaphore);
    return 0;
}

static void ring(bool semaphores)
{
    struct fleet *fleet = begin();

    ASSERT_NE(fleet, NULL);
    seat = holders = last_round = 0;
    by_semaphore = semaphores;
    for (int i = 0; i < SEATS; i++) {
        seats[i] = semaphores ? CreateSemaphoreA(NULL, i == 0, 1, NULL)
                              : CreateEventA(NULL, FALSE, i == 0, NULL);
    }
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, worker_passes, semaphores ? seats : NULL);
    fleet_run_beside(fleet, THREADS, thread_passes, NULL);
    EXPECT_EQ(WaitForSingleObject(seats[0], 0), WAIT_OBJECT_0);
    for (int i = 0; i < SEATS; i++) {
        EXPECT_EQ(WaitForSingleObject(seats[i], 0), WAIT_TIMEOUT);
        EXPECT_OK(CloseHandle(seats[i]));
    }
}

TEST(UserWaitRaces, token_by_events)
{
    ring(false);
}

TEST(UserWaitRaces, token_by_semaphores)
{
    ring(true);
}

/* ---- Many that wait long, for an object each ------------------------------------------------- */

/* Each new thread takes the loader's lock in its turn, and a turn lasts as long as all others that
 * want the processor take for theirs: a busy machine makes a thousand in half a minute and more. */
enum { MANY = 1000, MANY_MS = 100000 };

static HANDLE objects[MANY];
static int waiting;

static void wait_for_own(struct worker *self)
{
    flag_add(&waiting, 1);
    EXPECT_EQ(WaitForSingleObject(objects[self->index], MANY_MS), WAIT_OBJECT_0);
    flag_add(&taken, 1);
}

static DWORD WINAPI set_each(LPVOID param)
{
    ULONGLONG end = GetTickCount64() + MANY_MS;

    while (flag_get(&waiting) < MANY && GetTickCount64() < end)
        Sleep(1);
    Sleep(100); /* so that the waits are old */
    EXPECT_EQ(flag_get(&taken), 0);
    for (int i = 0; i < MANY; i++)
        EXPECT_OK(i % 2 ? SetEvent(objects[i]) : ReleaseSemaphore(objects[i], 1, NULL));
    return 0;
}

TEST(UserWaitRaces, a_thousand_waits)
{
    struct fleet *fleet = fleet_create(1, MANY, 0);
    HANDLE thread;

    ASSERT_NE(fleet, NULL);
    fleet_set_stack(fleet, 64 << 10);
    fleet_set_limit(fleet, MANY_MS);
    taken = waiting = 0;
    for (int i = 0; i < MANY; i++) {
        objects[i] = i % 2 ? CreateEventA(NULL, i % 3 == 0, FALSE, NULL)
                           : CreateSemaphoreA(NULL, 0, 1, NULL);
        fleet_add(fleet, wait_for_own, NULL);
    }
    thread = CreateThread(NULL, 0, set_each, NULL, 0, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(taken, MANY);
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    for (int i = 0; i < MANY; i++) {
        bool stays = i % 2 && i % 3 == 0;

        EXPECT_EQ(WaitForSingleObject(objects[i], 0), stays ? WAIT_OBJECT_0 : WAIT_TIMEOUT);
        EXPECT_OK(CloseHandle(objects[i]));
    }
    fleet_destroy(fleet);
}
