/* SPDX-License-Identifier: MIT
 *
 * win32_wait_on_address.c - WaitOnAddress and the wake-ups that go with it.
 *
 * modes: win32
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "stopwatch.h"

enum { TICK_MS = 16 };

static void need_not_wait(void *arg)
{
    ULONGLONG value = 0x1122334455667788;
    ULONGLONG other = 0x1122334455667789;
    ULONGLONG started = stopwatch();

    for (SIZE_T size = 1; size <= 8; size *= 2)
        EXPECT_OK(WaitOnAddress(&value, &other, size, INFINITE));
    other = 0x99223344aabbcc88; /* the low byte alone is the same */
    EXPECT_FAILS(WaitOnAddress(&value, &other, 1, 20), ERROR_TIMEOUT);
    EXPECT_FAILS(WaitOnAddress(&value, &other, 1, 0), ERROR_TIMEOUT);
    EXPECT_GE(stopwatch() - started + TICK_MS, 20);
    EXPECT_OK(WaitOnAddress(&value, &other, 2, INFINITE));
    EXPECT_FAILS(WaitOnAddress(&value, &other, 3, 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(WaitOnAddress(&value, &other, 0, 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(WaitOnAddress(&value, &other, 16, 0), ERROR_INVALID_PARAMETER);
    WakeByAddressSingle(&value); /* nobody is there */
    WakeByAddressAll(&value);
}

TEST(Win32WaitOnAddress, compares_before_it_waits)
{
    in_each_kind(need_not_wait, NULL);
}

/* Each block waits for the value to pass its turn. */
struct word {
    LONG value;
    LONG turn;
    void(WINAPI *wake)(PVOID);
};

static void wait_for_turn(void *arg)
{
    struct word *word = arg;
    LONG seen;

    while ((seen = __atomic_load_n(&word->value, __ATOMIC_ACQUIRE)) == word->turn)
        if (!EXPECT_OK(WaitOnAddress(&word->value, &seen, sizeof seen, 8000)))
            return;
    word->turn++;
}

static void change_and_wake(void *arg)
{
    struct word *word = arg;

    __atomic_add_fetch(&word->value, 1, __ATOMIC_RELEASE);
    word->wake(&word->value);
}

TEST(Win32WaitOnAddress, woken_by_a_change)
{
    struct word word = {0, 0, WakeByAddressSingle};

    on_each_kind(wait_for_turn, change_and_wake, &word);
    word.wake = WakeByAddressAll;
    on_each_kind(wait_for_turn, change_and_wake, &word);
    EXPECT_EQ(word.turn, 2 * KINDS);
}

/* ---- a queue of permits built on it: none is lost, none doubled ---- */

static struct {
    LONG permits;
    LONG taken;
} bank;

enum { EACH = 200 };

static void take_permits(void *arg)
{
    for (int i = 0; i < EACH;) {
        LONG have = __atomic_load_n(&bank.permits, __ATOMIC_ACQUIRE);

        if (have > 0) {
            if (__atomic_compare_exchange_n(&bank.permits, &have, have - 1, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED)) {
                __atomic_add_fetch(&bank.taken, 1, __ATOMIC_RELAXED);
                i++;
            }
        } else if (!WaitOnAddress(&bank.permits, &have, sizeof have, 8000)) {
            FAIL("permit %d did not come: last error %u", i, (unsigned)GetLastError());
            return;
        }
    }
}

static void give_permits(void *arg)
{
    for (int i = 0; i < EACH; i++) {
        __atomic_add_fetch(&bank.permits, 1, __ATOMIC_ACQ_REL);
        WakeByAddressSingle(&bank.permits);
        if (i % 16 == 0)
            SwitchToThread();
    }
}

TEST(Win32WaitOnAddress, permits_are_conserved)
{
    enum { THREADS = 12 };
    struct kind_thread threads[THREADS] = {0};

    for (int i = 0; i < THREADS; i++) {
        ASSERT_OK(kind_start(&threads[i], i % KINDS, i < THREADS / 2 ? take_permits : give_permits,
                             NULL));
    }
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_join(&threads[i]));
    EXPECT_EQ(bank.permits, 0);
    EXPECT_EQ(bank.taken, EACH * THREADS / 2);
}

/* Neighbouring bytes are addresses of their own. */
static struct {
    volatile char bytes[8];
    int through;
} row;

static void wait_at_byte(void *arg)
{
    volatile char *byte = arg;
    char zero = 0;

    while (!*byte)
        if (!EXPECT_OK(WaitOnAddress(byte, &zero, 1, 8000)))
            return;
    flag_add(&row.through, 1);
}

TEST(Win32WaitOnAddress, single_wakes_one_at_that_address)
{
    struct kind_thread threads[8] = {0};

    for (int i = 0; i < 8; i++)
        ASSERT_OK(kind_start(&threads[i], i % KINDS, wait_at_byte, (void *)&row.bytes[i]));
    for (int i = 0; i < 8; i++) {
        ULONGLONG deadline = GetTickCount64() + 5000;

        __atomic_store_n(&row.bytes[i], 1, __ATOMIC_RELEASE);
        WakeByAddressSingle((void *)&row.bytes[i]);
        while (flag_get(&row.through) < i + 1 && GetTickCount64() < deadline)
            Sleep(1);
        ASSERT_EQ(flag_get(&row.through), i + 1);
    }
    for (int i = 0; i < 8; i++)
        ASSERT_OK(kind_join(&threads[i]));
}
