/* SPDX-License-Identifier: MIT
 *
 * random_work.c - workers that yield, read, write, sleep, wait, lock and compute at random, over
 * several schedulers. Checked: everyone ends, each Blocked has its one arrival, nobody runs twice
 * at once, no message is lost or doubled, errno and last error stay each worker's own.
 */
#include "fleet.h"
#include "gtest_c.h"
#include "native.h"
#include "tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 24, CHANNELS = 6, STEPS = 400 };

static struct channel {
    struct native_channel native;
    long long sent; /* sums: what goes in must come out */
    long long received;
    int written;
    int read;
} channels[CHANNELS];

static HANDLE events[CHANNELS];
static CRITICAL_SECTION section;
static int inside_native;
static int inside_section;
static int inside_worker[WORKERS];

static unsigned draw(unsigned *state, unsigned limit)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 12) % limit;
}

/* Each write is matched by one read of the same worker, from any channel that has something: so
 * nobody waits for a number that never comes. */
static void send_and_receive(unsigned *state)
{
    struct channel *out = &channels[draw(state, CHANNELS)];
    int value = (int)draw(state, 100000);

    __atomic_add_fetch(&out->sent, value, __ATOMIC_RELAXED);
    flag_add(&out->written, 1);
    EXPECT_OK(native_send(&out->native, value));
    value = -1;
    EXPECT_OK(native_receive(&out->native, &value));
    __atomic_add_fetch(&out->received, value, __ATOMIC_RELAXED);
    flag_add(&out->read, 1);
    tally_add(TALLY_SYSTEM_CALLS, 2);
}

static void sleep_a_bit(unsigned *state)
{
    EXPECT_OK(native_sleep(draw(state, 300000)));
    tally_add(TALLY_SYSTEM_CALLS, 1);
}

static void poll_a_bit(unsigned *state)
{
    struct channel *channel = &channels[draw(state, CHANNELS)];

    EXPECT_OK(native_look(&channel->native, (int)draw(state, 2)));
    tally_add(TALLY_SYSTEM_CALLS, 1);
}

static void wait_a_bit(unsigned *state)
{
    unsigned which = draw(state, CHANNELS);
    DWORD result;

    if (draw(state, 2)) {
        EXPECT_OK(SetEvent(events[which]));
        tally_add(TALLY_SIGNALS, 1);
    }
    result = WaitForSingleObject(events[which], draw(state, 3));
    EXPECT_THAT(result == WAIT_OBJECT_0 || result == WAIT_TIMEOUT, "%u", (unsigned)result);
    tally_add(TALLY_WAITS, 1);
}

static void lock_native(unsigned *state)
{
    EXPECT_OK(native_lock());
    EXPECT_EQ(flag_add(&inside_native, 1), 1);
    if (draw(state, 4) == 0)
        sleep_a_bit(state);
    else if (draw(state, 2))
        UmsThreadYield(NULL);
    EXPECT_EQ(flag_add(&inside_native, -1), 0);
    EXPECT_OK(native_unlock());
    tally_add(TALLY_SYSTEM_CALLS, 2);
}

static void lock_section(unsigned *state)
{
    EnterCriticalSection(&section);
    EXPECT_EQ(flag_add(&inside_section, 1), 1);
    if (draw(state, 4) == 0)
        Sleep(draw(state, 2));
    else if (draw(state, 2))
        UmsThreadYield(NULL);
    EXPECT_EQ(flag_add(&inside_section, -1), 0);
    LeaveCriticalSection(&section);
    tally_add(TALLY_WAITS, 1);
    tally_add(TALLY_SIGNALS, 1);
}

static void use_heap(unsigned *state)
{
    size_t size = 16 + draw(state, 20000);
    unsigned char *block = malloc(size);

    memset(block, (int)size & 0xff, size);
    UmsThreadYield(NULL);
    EXPECT_EQ(block[size - 1], size & 0xff);
    free(block);
}

static void one_step(unsigned *state)
{
    switch (draw(state, 12)) {
    case 0:
    case 1:
    case 2:
        UmsThreadYield(NULL);
        break;
    case 3:
    case 4:
        send_and_receive(state);
        break;
    case 5:
        sleep_a_bit(state);
        break;
    case 6:
        poll_a_bit(state);
        break;
    case 7:
        wait_a_bit(state);
        break;
    case 8:
        lock_native(state);
        break;
    case 9:
        lock_section(state);
        break;
    case 10:
        use_heap(state);
        break;
    case 11:
        Sleep(draw(state, 2));
        break;
    }
}

static void work(struct worker *self)
{
    unsigned state = (unsigned)(uintptr_t)self->arg + (unsigned)self->index * 7919u;

    for (int i = 0; i < STEPS; i++) {
        if (flag_add(&inside_worker[self->index], 1) != 1)
            FAIL("worker %d runs twice at once", self->index);
        SetLastError(5000 + (DWORD)self->index);
        errno = 0;
        UmsThreadYield(NULL);
        EXPECT_EQ(GetLastError(), 5000 + self->index);
        one_step(&state);
        EXPECT_EQ(native_thread_id(), self->id);
        EXPECT_EQ(GetCurrentUmsThread(), self->context);
        tally_add(TALLY_YIELDS, 1); /* the first: by the last error */
        tally_add(TALLY_QUERIES, 2);
        flag_add(&inside_worker[self->index], -1);
        if (tc_failures() > 10)
            return;
    }
}

static void round_of_work(int schedulers, unsigned flags, unsigned seed)
{
    struct fleet *fleet = fleet_create(schedulers, WORKERS, flags | FLEET_RANDOM);

    ASSERT_NE(fleet, NULL);
    fleet_set_seed(fleet, seed);
    fleet_set_limit(fleet, 40000);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, work, (void *)(uintptr_t)seed);
    ASSERT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
    for (int i = 0; i < CHANNELS; i++) {
        EXPECT_EQ(channels[i].read, channels[i].written);
        EXPECT_EQ(channels[i].received, channels[i].sent);
    }
}

static void run(int schedulers, unsigned flags)
{
    const char *text = getenv("UMSSHIM_STRESS_SECONDS");
    ULONGLONG deadline = GetTickCount64() + (text ? (ULONGLONG)atoi(text) * 1000 : 1500);
    unsigned seed = tc_seed();
    int rounds = 0;

    memset(channels, 0, sizeof channels);
    memset(inside_worker, 0, sizeof inside_worker);
    InitializeCriticalSection(&section);
    for (int i = 0; i < CHANNELS; i++) {
        ASSERT_OK(native_open(&channels[i].native, i % 2));
        events[i] = CreateEventA(NULL, FALSE, FALSE, NULL);
    }
    do {
        round_of_work(schedulers, flags, seed + (unsigned)rounds++);
    } while (!tc_failures() && GetTickCount64() < deadline);
    tc_note("%d rounds", rounds);
    tally_say();
    for (int i = 0; i < CHANNELS; i++) {
        native_close(&channels[i].native);
        CloseHandle(events[i]);
    }
    DeleteCriticalSection(&section);
}

CALL_TEST(RandomWork, one_scheduler, run(1, 0))
CALL_TEST(RandomWork, two_schedulers_shared_queue, run(2, FLEET_SHARED_READY))
CALL_TEST(RandomWork, three_schedulers_own_lists_shared_queue,
          run(3, FLEET_SHARED_READY | FLEET_OWN_LISTS))
CALL_TEST(RandomWork, three_schedulers_own_lists_own_queues, run(3, FLEET_OWN_LISTS))
