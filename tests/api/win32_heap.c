/* SPDX-License-Identifier: MIT
 *
 * win32_heap.c - heaps, and memory of LocalAlloc and GlobalAlloc: sizes are exact, memory is zero
 * if the program asks for that, contents survive moves, and a private heap is independent of
 * others.
 *
 * modes: win32
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

#include <stdint.h>
#include <string.h>

static int is_filled(const char *block, SIZE_T from, SIZE_T to, char value)
{
    for (SIZE_T i = from; i < to; i++)
        if (block[i] != value)
            return FAIL("byte %zu is %d, not %d", (size_t)i, block[i], value);
    return 1;
}

static void check_heap(HANDLE heap)
{
    char *block = HeapAlloc(heap, HEAP_ZERO_MEMORY, 1000);
    char *moved;

    ASSERT_OK(block != NULL);
    EXPECT_EQ((uintptr_t)block % 16, 0);
    EXPECT_EQ(HeapSize(heap, 0, block), 1000);
    EXPECT_OK(is_filled(block, 0, 1000, 0));
    memset(block, 7, 1000);
    moved = HeapReAlloc(heap, HEAP_ZERO_MEMORY, block, 100000);
    ASSERT_OK(moved != NULL);
    EXPECT_EQ(HeapSize(heap, 0, moved), 100000);
    EXPECT_OK(is_filled(moved, 0, 1000, 7));
    EXPECT_OK(is_filled(moved, 1000, 100000, 0));
    moved = HeapReAlloc(heap, 0, moved, 10);
    ASSERT_OK(moved != NULL);
    EXPECT_EQ(HeapSize(heap, 0, moved), 10);
    EXPECT_OK(is_filled(moved, 0, 10, 7));
    EXPECT_OK(HeapValidate(heap, 0, moved));
    EXPECT_OK(HeapValidate(heap, 0, NULL));
    EXPECT_OK(HeapFree(heap, 0, moved));
    EXPECT_OK(HeapFree(heap, 0, NULL));
}

TEST_IN_EACH_KIND(Win32Heap, process_heap)
{
    EXPECT_EQ(GetProcessHeap(), GetProcessHeap());
    check_heap(GetProcessHeap());
}

TEST_IN_EACH_KIND(Win32Heap, private_heap)
{
    HANDLE heap = HeapCreate(0, 4096, 0);

    ASSERT_OK(heap != NULL);
    EXPECT_NE(heap, GetProcessHeap());
    check_heap(heap);
    for (int i = 0; i < 100; i++)
        EXPECT_NE(HeapAlloc(heap, 0, (SIZE_T)i * 10), NULL); /* HeapDestroy frees it */
    EXPECT_OK(HeapValidate(heap, 0, NULL));
    EXPECT_OK(HeapDestroy(heap));
}

TEST(Win32Heap, in_place_only)
{
    HANDLE heap = GetProcessHeap();
    char *block = HeapAlloc(heap, 0, 1000);

    ASSERT_OK(block != NULL);
    memset(block, 3, 1000);
    EXPECT_EQ(HeapReAlloc(heap, HEAP_REALLOC_IN_PLACE_ONLY, block, 500), block);
    EXPECT_EQ(HeapSize(heap, 0, block), 500);
    EXPECT_EQ(HeapReAlloc(heap, HEAP_REALLOC_IN_PLACE_ONLY | HEAP_ZERO_MEMORY, block, 600), block);
    EXPECT_OK(is_filled(block, 0, 500, 3));
    EXPECT_OK(is_filled(block, 500, 600, 0));
    /* No block has this much room behind it; the old one stays. */
    EXPECT_EQ(HeapReAlloc(heap, HEAP_REALLOC_IN_PLACE_ONLY, block, (SIZE_T)1 << 40), NULL);
    EXPECT_EQ(HeapSize(heap, 0, block), 600);
    EXPECT_OK(HeapFree(heap, 0, block));
}

TEST(Win32Heap, zero_bytes_are_a_block)
{
    volatile SIZE_T nothing = 0; /* a compiler that saw it would warn */
    void *one = HeapAlloc(GetProcessHeap(), 0, nothing);
    void *two = HeapAlloc(GetProcessHeap(), 0, nothing);

    ASSERT_OK(one != NULL);
    EXPECT_NE(one, two);
    EXPECT_EQ(HeapSize(GetProcessHeap(), 0, one), 0);
    EXPECT_OK(HeapFree(GetProcessHeap(), 0, one));
    EXPECT_OK(HeapFree(GetProcessHeap(), 0, two));
}

TEST(Win32Heap, too_much)
{
    char *block = HeapAlloc(GetProcessHeap(), 0, 10);
    volatile SIZE_T wraps = SIZE_MAX - 8; /* volatile: the compiler would know better */
    volatile SIZE_T too_much = SIZE_MAX / 2;

    EXPECT_FAILS(HeapAlloc(GetProcessHeap(), 0, wraps), ERROR_NOT_ENOUGH_MEMORY);
    EXPECT_EQ(HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, too_much), NULL);
    EXPECT_EQ(HeapReAlloc(GetProcessHeap(), 0, block, wraps), NULL);
    EXPECT_EQ(HeapReAlloc(GetProcessHeap(), 0, block, too_much), NULL);
    EXPECT_EQ(HeapSize(GetProcessHeap(), 0, block), 10);
    EXPECT_OK(HeapFree(GetProcessHeap(), 0, block));
}

TEST(Win32Heap, a_heap_with_a_limit)
{
    HANDLE heap = HeapCreate(0, 0, 64 * 1024);
    char *block;

    ASSERT_OK(heap != NULL);
    block = HeapAlloc(heap, 0, 1000);
    ASSERT_OK(block != NULL);
    EXPECT_EQ(HeapAlloc(heap, 0, 1 << 20), NULL);
    memset(block, 5, 1000);
    EXPECT_EQ(HeapReAlloc(heap, 0, block, 1 << 20), NULL);
    EXPECT_EQ(HeapSize(heap, 0, block), 1000); /* the old block stays as it was */
    EXPECT_OK(is_filled(block, 0, 1000, 5));
    block = HeapReAlloc(heap, 0, block, 2000);
    ASSERT_OK(block != NULL);
    EXPECT_OK(is_filled(block, 0, 1000, 5));
    EXPECT_OK(HeapFree(heap, 0, block));
    EXPECT_OK(HeapDestroy(heap));
}

/* The maximum is what the heap takes, not what it gives; and there is a largest block. */
TEST(Win32Heap, a_limit_counts_what_the_blocks_need_beside)
{
    HANDLE heap = HeapCreate(0, 0, 64 * 1024);
    int count = 0;

    ASSERT_OK(heap != NULL);
    EXPECT_EQ(HeapAlloc(heap, 0, 64 * 1024), NULL);
    EXPECT_EQ(HeapAlloc(heap, 0, 64 * 1024 - 64), NULL);
    EXPECT_NE(HeapAlloc(heap, 0, 32 * 1024), NULL);
    while (count < 2048 && HeapAlloc(heap, 0, 16))
        count++;
    EXPECT_THAT(count > 512 && count < 1024, "%d blocks of 16 bytes", count); /* in 32 KiB */
    EXPECT_OK(HeapDestroy(heap));

    heap = HeapCreate(0, 0, 8 << 20);
    ASSERT_OK(heap != NULL);
    EXPECT_EQ(HeapAlloc(heap, 0, 1 << 20),
              NULL); /* nearly 1 MiB is the most, the heap's size or not */
    EXPECT_NE(HeapAlloc(heap, 0, 1000 << 10), NULL);
    EXPECT_NE(HeapAlloc(heap, 0, 1000 << 10), NULL);
    EXPECT_OK(HeapDestroy(heap));
    heap = HeapCreate(0, 0, 0);
    ASSERT_OK(heap != NULL);
    EXPECT_NE(HeapAlloc(heap, 0, 8 << 20), NULL); /* a heap that grows has no limit for a block */
    EXPECT_OK(HeapDestroy(heap));
}

TEST(Win32Heap, list_of_heaps)
{
    HANDLE all[64] = {NULL};
    HANDLE heap = HeapCreate(0, 0, 0);
    DWORD count = GetProcessHeaps(64, all);
    int seen = 0;

    EXPECT_GE(count, 2);
    for (DWORD i = 0; i < count && i < 64; i++) {
        seen += all[i] == heap;
        seen += all[i] == GetProcessHeap();
    }
    EXPECT_EQ(seen, 2);
    EXPECT_OK(HeapDestroy(heap));
    EXPECT_EQ(GetProcessHeaps(0, NULL), count - 1);
}

TEST_IN_EACH_KIND(Win32Heap, local_and_global)
{
    char *local = LocalAlloc(LPTR, 100);
    char *global = GlobalAlloc(GMEM_FIXED, 50);

    ASSERT_OK(local != NULL);
    ASSERT_OK(global != NULL);
    EXPECT_OK(is_filled(local, 0, 100, 0));
    EXPECT_GE(LocalSize(local), 100);
    EXPECT_GE(GlobalSize(global), 50);
    EXPECT_EQ(LocalFree(local), NULL);
    EXPECT_EQ(GlobalFree(global), NULL);
    EXPECT_EQ(LocalFree(NULL), NULL);
}

enum { ROUNDS = 300, BLOCKS = 16 };

static HANDLE shared_heap;

/* Blocks come and go while others do the same; each keeps what was written into it. */
static void churn(struct worker *self)
{
    char *blocks[BLOCKS] = {NULL};

    for (int i = 0; i < ROUNDS; i++) {
        int slot = (i * 7 + self->index) % BLOCKS;
        SIZE_T bytes = (SIZE_T)(i * 37 % 900 + 1);

        if (blocks[slot]) {
            SIZE_T old = HeapSize(shared_heap, 0, blocks[slot]);

            EXPECT_OK(is_filled(blocks[slot], 0, old, (char)self->index));
            EXPECT_OK(HeapFree(shared_heap, 0, blocks[slot]));
        }
        blocks[slot] = HeapAlloc(shared_heap, 0, bytes);
        ASSERT_OK(blocks[slot] != NULL);
        memset(blocks[slot], self->index, bytes);
        if (i % 50 == 0)
            EXPECT_OK(UmsThreadYield(NULL));
    }
}

TEST(Win32Heap, many_workers_in_one_heap)
{
    shared_heap = HeapCreate(0, 0, 0);
    ASSERT_OK(shared_heap != NULL);
    FLEET_RUN(2, FLEET_SHARED_READY, {6, churn, NULL});
    EXPECT_OK(HeapValidate(shared_heap, 0, NULL));
    EXPECT_OK(HeapDestroy(shared_heap));
}
