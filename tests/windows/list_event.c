/* SPDX-License-Identifier: MIT
 *
 * list_event.c - a completion list's event (platform/windows/waits/event.c), alone: all that
 * another processor may do lies between two steps of the thread that sets it.
 *
 * modes: default
 */
#include <windows.h>

static BOOL meanwhile_then_set(HANDLE event);
#define SetEvent meanwhile_then_set
#include "platform/windows/waits/event.c"
#undef SetEvent
#include "platform/windows/waits/growing.c"

#include "gtest_c.h"

/* ---- Its neighbours ---- */

bool engine_in_place;
uint32_t engine_slot = UINT32_MAX; /* no thread here has a context */
struct trace_state trace_state;

static uint32_t locks;

void plain_locks_add(void)
{
    locks++;
}

void plain_locks_remove(void)
{
    locks--;
}

void lock_wait(struct plat_lock *taken, struct plat_context *self)
{
    FAIL("the lock %p is taken twice on one thread (%p)", (void *)taken, (void *)self);
}

uint64_t plat_now(void)
{
    return GetTickCount64() * 1000000u;
}

void *plat_reserve(size_t bytes)
{
    return VirtualAlloc(NULL, bytes, MEM_RESERVE, PAGE_READWRITE);
}

bool plat_commit(void *start, size_t bytes)
{
    return VirtualAlloc(start, bytes, MEM_COMMIT, PAGE_READWRITE) != NULL;
}

void alert_raw_wake(uint32_t id)
{
    FAIL("nobody sleeps by alert, not even %u", (unsigned)id);
}

void alert_raw_wait(uint64_t ticks)
{
    FAIL("nobody sleeps by alert for %llu", (unsigned long long)ticks);
}

void trace_record(struct plat_context *scheduler, enum trace_kind kind,
                  const struct plat_context *who, uint64_t value, uint32_t extra, uint32_t more)
{
    FAIL("nothing is traced here");
}

/* ---- The tests ---- */

static void (*meanwhile)(void);
static int system_sets;
static struct plat_event *event, *next_event;
static uint64_t life, next_life;

static BOOL meanwhile_then_set(HANDLE handle)
{
    system_sets++;
    if (meanwhile)
        meanwhile();
    return SetEvent(handle);
}

static void start(void (*what)(void))
{
    meanwhile = what;
    system_sets = 0;
    ASSERT_EQ(plat_event_create(&event, &life), 0);
}

static void event_goes_and_another_comes(void)
{
    plat_event_release(event);
    ASSERT_EQ(plat_event_create(&next_event, &next_life), 0);
}

TEST(ListEvent, is_not_set_for_the_list_that_has_it_now)
{
    start(NULL);
    event_goes_and_another_comes();
    ASSERT_EQ(next_event, event);
    ASSERT_NE(next_life, life);
    plat_event_set(event, life);
    EXPECT_EQ(plat_event_wait(next_event, 0), false);
    plat_event_set(next_event, next_life);
    EXPECT_EQ(plat_event_wait(next_event, 0), true);
    plat_event_release(next_event);
    EXPECT_EQ(locks, 0u);
}

/* The program has a handle: so the system's event is set. It is no other list's before that. */
TEST(ListEvent, is_no_other_list_s_before_the_system_was_told)
{
    struct plat_event *again;
    uint64_t again_life;
    HANDLE handle;

    start(event_goes_and_another_comes);
    ASSERT_EQ(plat_event_handle(event, &handle), 0);
    plat_event_set(event, life);
    EXPECT_EQ(system_sets, 1);
    EXPECT_NE(next_event, event);
    EXPECT_EQ(WaitForSingleObject(handle, 0), WAIT_OBJECT_0);
    ASSERT_EQ(plat_event_create(&again, &again_life), 0);
    EXPECT_EQ(again, event); /* free now */
    EXPECT_OK(CloseHandle(handle));
    ASSERT_EQ(plat_event_handle(again, &handle), 0);
    EXPECT_EQ(WaitForSingleObject(handle, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(handle));
    plat_event_release(again);
    plat_event_release(next_event);
}

static void sleeper_gives_up(void)
{
    EXPECT_EQ(use_up(event), true);
    atomic_fetch_sub(&event->word, SLEEPER);
}

/* A sleeper saw the bit before the system was told, and so left the system's event set. */
TEST(ListEvent, is_not_set_by_what_was_left_of_a_sleeper)
{
    HANDLE handle;

    start(sleeper_gives_up);
    atomic_fetch_add(&event->word, SLEEPER);
    plat_event_set(event, life);
    EXPECT_EQ(system_sets, 1);
    event_goes_and_another_comes();
    ASSERT_EQ(next_event, event);
    ASSERT_EQ(plat_event_handle(next_event, &handle), 0);
    EXPECT_EQ(WaitForSingleObject(handle, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(handle));
    plat_event_release(next_event);
}
