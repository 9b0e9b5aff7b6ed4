/* SPDX-License-Identifier: MIT
 *
 * win32_condition_variables.c - condition variables with critical sections and with slim locks.
 *
 * modes: win32
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "stopwatch.h"

enum { TICK_MS = 16 };

static CONDITION_VARIABLE changed = CONDITION_VARIABLE_INIT;
static CRITICAL_SECTION section;
static SRWLOCK slim = SRWLOCK_INIT;

enum how { BY_SECTION, BY_SLIM_EXCLUSIVE, BY_SLIM_SHARED, HOWS };

static void enter(enum how how)
{
    switch (how) {
    case BY_SECTION:
        EnterCriticalSection(&section);
        break;
    case BY_SLIM_EXCLUSIVE:
        AcquireSRWLockExclusive(&slim);
        break;
    default:
        AcquireSRWLockShared(&slim);
    }
}

static void leave(enum how how)
{
    switch (how) {
    case BY_SECTION:
        LeaveCriticalSection(&section);
        break;
    case BY_SLIM_EXCLUSIVE:
        ReleaseSRWLockExclusive(&slim);
        break;
    default:
        ReleaseSRWLockShared(&slim);
    }
}

static BOOL wait_for_it(enum how how, CONDITION_VARIABLE *variable, DWORD milliseconds)
{
    if (how == BY_SECTION)
        return SleepConditionVariableCS(variable, &section, milliseconds);
    return SleepConditionVariableSRW(variable, &slim, milliseconds,
                                     how == BY_SLIM_SHARED ? CONDITION_VARIABLE_LOCKMODE_SHARED
                                                           : 0);
}

/* ---- time-outs ---- */

static void nobody_wakes_us(void *arg)
{
    CONDITION_VARIABLE own;

    InitializeConditionVariable(&own);
    WakeConditionVariable(&own); /* nobody is there, and it is not remembered */
    WakeAllConditionVariable(&own);
    for (enum how how = 0; how < HOWS; how++) {
        ULONGLONG started = stopwatch();

        enter(how);
        EXPECT_FAILS(wait_for_it(how, &own, 20), ERROR_TIMEOUT);
        EXPECT_GE(stopwatch() - started + TICK_MS, 20);
        EXPECT_FAILS(wait_for_it(how, &own, 0), ERROR_TIMEOUT);
        leave(how); /* it is ours again */
    }
}

TEST(Win32ConditionVariables, time_out)
{
    InitializeCriticalSection(&section);
    in_each_kind(nobody_wakes_us, NULL);
    EXPECT_OK(TryEnterCriticalSection(&section));
    LeaveCriticalSection(&section);
    EXPECT_EQ(slim.Ptr, NULL);
    DeleteCriticalSection(&section);
}

/* ---- woken ---- */

static struct {
    enum how how;
    int turn;
    int value;
} state;

static void wait_turn(void *arg)
{
    enter(state.how);
    while (state.value == state.turn)
        if (!EXPECT_OK(wait_for_it(state.how, &changed, 8000)))
            break;
    state.turn++;
    leave(state.how);
}

static void next_turn(void *arg)
{
    enum how how = state.how == BY_SECTION ? BY_SECTION : BY_SLIM_EXCLUSIVE;

    enter(how);
    state.value++;
    leave(how);
    WakeConditionVariable(&changed);
}

TEST(Win32ConditionVariables, woken)
{
    InitializeCriticalSection(&section);
    for (state.how = 0; state.how < HOWS; state.how++) {
        state.turn = state.value = 0;
        on_each_kind(wait_turn, next_turn, NULL);
        EXPECT_EQ(state.turn, KINDS);
    }
    EXPECT_EQ(slim.Ptr, NULL);
    DeleteCriticalSection(&section);
}

/* ---- a bounded buffer ---- */

enum { ROOM = 4, EACH = 400, THREADS = 12 };

static struct {
    enum how how;
    int numbers[ROOM];
    int count;
    CONDITION_VARIABLE not_empty;
    CONDITION_VARIABLE not_full;
    long sum_in;
    long sum_out;
} buffer;

static void produce(void *arg)
{
    for (int i = 0; i < EACH; i++) {
        int number = (int)(ULONG_PTR)arg + i;

        enter(buffer.how);
        while (buffer.count == ROOM) {
            if (!EXPECT_OK(wait_for_it(buffer.how, &buffer.not_full, 8000))) {
                leave(buffer.how);
                return;
            }
        }
        buffer.numbers[buffer.count++] = number;
        buffer.sum_in += number;
        leave(buffer.how);
        WakeConditionVariable(&buffer.not_empty);
    }
}

static void consume(void *arg)
{
    for (int i = 0; i < EACH; i++) {
        enter(buffer.how);
        while (buffer.count == 0) {
            if (!EXPECT_OK(wait_for_it(buffer.how, &buffer.not_empty, 8000))) {
                leave(buffer.how);
                return;
            }
        }
        buffer.sum_out += buffer.numbers[--buffer.count];
        WakeConditionVariable(&buffer.not_full); /* before leaving, for a change */
        leave(buffer.how);
    }
}

TEST(Win32ConditionVariables, bounded_buffer_for_all_kinds)
{
    InitializeCriticalSection(&section);
    for (enum how how = 0; how < BY_SLIM_SHARED; how++) {
        struct kind_thread threads[THREADS] = {0};

        buffer.how = how;
        buffer.count = 0;
        buffer.sum_in = buffer.sum_out = 0;
        InitializeConditionVariable(&buffer.not_empty);
        InitializeConditionVariable(&buffer.not_full);
        for (int i = 0; i < THREADS; i++) {
            ASSERT_OK(kind_start(&threads[i], i / 2 % KINDS, i % 2 ? produce : consume,
                                 (void *)(ULONG_PTR)(i * 1000)));
        }
        for (int i = 0; i < THREADS; i++)
            ASSERT_OK(kind_join(&threads[i]));
        EXPECT_EQ(buffer.count, 0);
        EXPECT_EQ(buffer.sum_in, buffer.sum_out);
    }
    DeleteCriticalSection(&section);
}

/* ---- all at once ---- */

static struct {
    int waiting;
    int open;
    int through;
} door;

static void wait_at_door(void *arg)
{
    AcquireSRWLockShared(&slim);
    flag_add(&door.waiting, 1);
    while (!door.open)
        if (!EXPECT_OK(wait_for_it(BY_SLIM_SHARED, &changed, 8000)))
            break;
    flag_add(&door.through, 1);
    ReleaseSRWLockShared(&slim);
}

TEST(Win32ConditionVariables, wake_all)
{
    struct kind_thread threads[THREADS] = {0};
    ULONGLONG deadline = GetTickCount64() + 8000;

    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_start(&threads[i], i % KINDS, wait_at_door, NULL));
    while (flag_get(&door.waiting) < THREADS && GetTickCount64() < deadline)
        Sleep(1);
    AcquireSRWLockExclusive(&slim); /* a thread that is counted waits by now */
    EXPECT_EQ(flag_get(&door.waiting), THREADS);
    EXPECT_EQ(flag_get(&door.through), 0);
    door.open = 1;
    ReleaseSRWLockExclusive(&slim);
    WakeAllConditionVariable(&changed);
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_join(&threads[i]));
    EXPECT_EQ(door.through, THREADS);
    EXPECT_EQ(slim.Ptr, NULL);
}
