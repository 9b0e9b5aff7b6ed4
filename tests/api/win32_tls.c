/* SPDX-License-Identifier: MIT
 *
 * win32_tls.c - thread-local slots: as many as Windows has, each with a value for each thread,
 * which is NULL again for all threads after an index was freed and allocated anew.
 *
 * modes: win32
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

#include <stdint.h>

enum { WINDOWS_SLOTS = TLS_MINIMUM_AVAILABLE + 1024, SPARE = 40 /* in use by the C library */ };

TEST_IN_EACH_KIND(Win32Tls, values)
{
    DWORD slots[64];

    for (int i = 0; i < 64; i++) {
        slots[i] = TlsAlloc();
        ASSERT_NE(slots[i], TLS_OUT_OF_INDEXES);
        SetLastError(SENTINEL);
        EXPECT_EQ(TlsGetValue(slots[i]), NULL);
        EXPECT_EQ(GetLastError(), ERROR_SUCCESS);
        EXPECT_OK(TlsSetValue(slots[i], (void *)(uintptr_t)(i + 1)));
    }
    for (int i = 0; i < 64; i++) {
        EXPECT_EQ(TlsGetValue(slots[i]), i + 1);
        EXPECT_OK(TlsFree(slots[i]));
    }
}

TEST_IN_EACH_KIND(Win32Tls, bad_indices)
{
    EXPECT_FAILS(TlsGetValue(TLS_OUT_OF_INDEXES), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(TlsGetValue(5000), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(TlsSetValue(TLS_OUT_OF_INDEXES, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(TlsSetValue(5000, &tc_failures), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(TlsFree(TLS_OUT_OF_INDEXES), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(TlsFree(5000), ERROR_INVALID_PARAMETER);
}

TEST(Win32Tls, freed_twice)
{
    DWORD slot = TlsAlloc();

    EXPECT_OK(TlsFree(slot));
    EXPECT_FAILS(TlsFree(slot), ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32Tls, as_many_as_on_windows)
{
    static DWORD slots[2 * WINDOWS_SLOTS];
    int count = 0;

    while (count < 2 * WINDOWS_SLOTS && (slots[count] = TlsAlloc()) != TLS_OUT_OF_INDEXES) {
        EXPECT_OK(TlsSetValue(slots[count], &slots[count]));
        count++;
    }
    EXPECT_GE(count, WINDOWS_SLOTS - SPARE);
    if (count < 2 * WINDOWS_SLOTS) {
        SetLastError(SENTINEL);
        EXPECT_EQ(TlsAlloc(), TLS_OUT_OF_INDEXES);
        EXPECT_EQ(GetLastError(), ERROR_NO_MORE_ITEMS);
    }
    for (int i = 0; i < count; i++) {
        EXPECT_EQ(TlsGetValue(slots[i]), &slots[i]);
        EXPECT_OK(TlsFree(slots[i]));
    }
}

static DWORD shared_slot;
static HANDLE value_is_set;
static HANDLE index_is_new;

static DWORD WINAPI looks_before_and_after(LPVOID param)
{
    EXPECT_EQ(TlsGetValue(shared_slot), NULL); /* the creator's value is the creator's */
    EXPECT_OK(TlsSetValue(shared_slot, param));
    EXPECT_OK(SetEvent(value_is_set));
    EXPECT_EQ(WaitForSingleObject(index_is_new, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(TlsGetValue(shared_slot), NULL);
    return 0;
}

TEST(Win32Tls, a_new_index_reads_null_everywhere)
{
    HANDLE thread;
    DWORD old;

    value_is_set = CreateEventA(NULL, FALSE, FALSE, NULL);
    index_is_new = CreateEventA(NULL, FALSE, FALSE, NULL);
    shared_slot = TlsAlloc();
    old = shared_slot;
    EXPECT_OK(TlsSetValue(shared_slot, &old));
    thread = CreateThread(NULL, 0, looks_before_and_after, &old, 0, NULL);
    ASSERT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(value_is_set, 5000), WAIT_OBJECT_0);
    EXPECT_OK(TlsFree(shared_slot));
    shared_slot = TlsAlloc();
    EXPECT_EQ(shared_slot, old); /* the lowest free one, so that the test means something */
    EXPECT_EQ(TlsGetValue(shared_slot), NULL);
    EXPECT_OK(SetEvent(index_is_new));
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(TlsFree(shared_slot));
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(value_is_set));
    EXPECT_OK(CloseHandle(index_is_new));
}

static DWORD workers_slot;

/* The value stays the worker's wherever it runs on. */
static void keep_a_value(struct worker *self)
{
    EXPECT_EQ(TlsGetValue(workers_slot), NULL);
    EXPECT_OK(TlsSetValue(workers_slot, self));
    for (int i = 0; i < 20; i++) {
        if (i % 2)
            Sleep(1);
        else
            EXPECT_OK(UmsThreadYield(NULL));
        ASSERT_EQ(TlsGetValue(workers_slot), self);
    }
}

TEST(Win32Tls, travels_with_the_worker)
{
    workers_slot = TlsAlloc();
    EXPECT_OK(TlsSetValue(workers_slot, &workers_slot));
    FLEET_RUN(2, FLEET_SHARED_READY | FLEET_RANDOM, {8, keep_a_value, NULL});
    EXPECT_EQ(TlsGetValue(workers_slot), &workers_slot);
    EXPECT_OK(TlsFree(workers_slot));
}
