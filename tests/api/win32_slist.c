/* SPDX-License-Identifier: MIT
 *
 * win32_slist.c - interlocked lists: last in, first out; nothing lost, nothing twice, and no
 * entry's memory touched once it was popped, with others at work on the list.
 *
 * modes: win32
 * libraries: ntdll
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

WINBASEAPI PSLIST_ENTRY WINAPI InterlockedPushListSListEx(PSLIST_HEADER head, PSLIST_ENTRY list,
                                                          PSLIST_ENTRY end, ULONG count);

struct item {
    SLIST_ENTRY entry;
    int value;
    int taken;
};

static SLIST_HEADER list;

TEST_IN_EACH_KIND(Win32SList, last_in_first_out)
{
    struct item items[5];

    memset(items, 0, sizeof items);
    memset(&list, 0xEE, sizeof list);
    InitializeSListHead(&list);
    EXPECT_EQ(QueryDepthSList(&list), 0);
    EXPECT_EQ(InterlockedPopEntrySList(&list), NULL);
    EXPECT_EQ(InterlockedFlushSList(&list), NULL);
    EXPECT_EQ(InterlockedPushEntrySList(&list, &items[0].entry), NULL);
    EXPECT_EQ(InterlockedPushEntrySList(&list, &items[1].entry), &items[0].entry);
    EXPECT_EQ(QueryDepthSList(&list), 2);
    EXPECT_EQ(RtlFirstEntrySList(&list), &items[1].entry);
    EXPECT_EQ(InterlockedPopEntrySList(&list), &items[1].entry);
    items[2].entry.Next = &items[3].entry;
    items[3].entry.Next = &items[4].entry;
    EXPECT_EQ(InterlockedPushListSListEx(&list, &items[2].entry, &items[4].entry, 3),
              &items[0].entry);
    EXPECT_EQ(QueryDepthSList(&list), 4);
    EXPECT_EQ(InterlockedPopEntrySList(&list), &items[2].entry);
    EXPECT_EQ(InterlockedFlushSList(&list), &items[3].entry);
    EXPECT_EQ(items[3].entry.Next, &items[4].entry);
    EXPECT_EQ(items[4].entry.Next, &items[0].entry);
    EXPECT_EQ(items[0].entry.Next, NULL);
    EXPECT_EQ(QueryDepthSList(&list), 0);
    EXPECT_EQ(InterlockedPopEntrySList(&list), NULL);
}

TEST_IN_EACH_KIND(Win32SList, names_of_ntdll)
{
    struct item items[2];

    RtlInitializeSListHead(&list);
    EXPECT_EQ(RtlInterlockedPushEntrySList(&list, &items[0].entry), NULL);
    EXPECT_EQ(RtlInterlockedPushEntrySList(&list, &items[1].entry), &items[0].entry);
    EXPECT_EQ(RtlQueryDepthSList(&list), 2);
    EXPECT_EQ(RtlInterlockedPopEntrySList(&list), &items[1].entry);
    EXPECT_EQ(RtlInterlockedFlushSList(&list), &items[0].entry);
}

enum { WORKERS = 8, ITEMS = 64, ROUNDS = 4000 };

static struct item pool[ITEMS];
static int doubles;

/* Each pops, marks, unmarks, pushes; now and then all at once. A mark found is an entry that two
 * had. */
static void churn(struct worker *self)
{
    for (int i = 0; i < ROUNDS; i++) {
        PSLIST_ENTRY entry =
            i % 97 == self->index ? InterlockedFlushSList(&list) : InterlockedPopEntrySList(&list);
        int flushed = i % 97 == self->index;

        while (entry) {
            struct item *item = (struct item *)entry;
            PSLIST_ENTRY next = flushed ? entry->Next : NULL;

            if (flag_add(&item->taken, 1) != 1)
                flag_add(&doubles, 1);
            item->value++;
            entry->Next = (PSLIST_ENTRY)0x5A5A5A5A; /* a thread that follows this crashes */
            if (i % 64 == 0)
                EXPECT_OK(UmsThreadYield(NULL));
            flag_add(&item->taken, -1);
            InterlockedPushEntrySList(&list, entry);
            entry = next;
        }
    }
}

TEST(Win32SList, churned_by_workers)
{
    struct fleet *fleet = fleet_create(3, WORKERS, FLEET_SHARED_READY);
    int count = 0;

    ASSERT_NE(fleet, NULL);
    InitializeSListHead(&list);
    memset(pool, 0, sizeof pool);
    for (int i = 0; i < ITEMS; i++)
        InterlockedPushEntrySList(&list, &pool[i].entry);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, churn, NULL);
    fleet_run(fleet);
    EXPECT_EQ(doubles, 0);
    EXPECT_EQ(QueryDepthSList(&list), ITEMS);
    for (PSLIST_ENTRY entry = InterlockedFlushSList(&list); entry; entry = entry->Next) {
        EXPECT_EQ(((struct item *)entry)->taken, 0);
        count++;
        ASSERT_LT(count, ITEMS + 1);
    }
    EXPECT_EQ(count, ITEMS);
    fleet_destroy(fleet);
}

static int stop;

/* Entries live in memory that goes away right after the pop: a late look at one faults. */
static DWORD WINAPI pop_and_unmap(LPVOID popped)
{
    while (!flag_get(&stop) || QueryDepthSList(&list)) {
        PSLIST_ENTRY entry = InterlockedPopEntrySList(&list);

        if (entry) {
            EXPECT_OK(VirtualFree(entry, 0, MEM_RELEASE));
            flag_add(popped, 1);
        }
    }
    return 0;
}

TEST(Win32SList, popped_memory_is_not_read)
{
    enum { THREADS = 3, ENTRIES = 3000 };
    HANDLE threads[THREADS];
    int popped = 0;

    InitializeSListHead(&list);
    flag_set(&stop, 0);
    for (int i = 0; i < THREADS; i++) {
        threads[i] = CreateThread(NULL, 0, pop_and_unmap, &popped, 0, NULL);
        ASSERT_OK(threads[i] != NULL);
    }
    for (int i = 0; i < ENTRIES; i++) {
        PSLIST_ENTRY entry = VirtualAlloc(NULL, 4096, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);

        ASSERT_OK(entry != NULL);
        InterlockedPushEntrySList(&list, entry);
    }
    flag_set(&stop, 1);
    for (int i = 0; i < THREADS; i++) {
        EXPECT_EQ(WaitForSingleObject(threads[i], 10000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(threads[i]));
    }
    EXPECT_EQ(flag_get(&popped), ENTRIES);
}
