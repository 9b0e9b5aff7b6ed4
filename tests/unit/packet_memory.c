/* SPDX-License-Identifier: MIT
 *
 * Memory of packets (platform/linux/dispatch/packet_memory.c): which blocks a thread keeps, and for
 * which packets it uses them again.
 */
#include <stdbool.h>
#include <stdlib.h>

static unsigned given; /* blocks of the heap */
static bool heap_is_empty;

static void *double_malloc(size_t bytes)
{
    given += !heap_is_empty;
    return heap_is_empty ? NULL : malloc(bytes);
}

static void double_free(void *block)
{
    given--;
    free(block);
}
#define malloc(bytes) double_malloc(bytes)
#define free(block) double_free(block)

#include "platform/linux/dispatch/packet_memory.c"

#include "gtest_c.h"

enum { MANY = 3 * MOST_SPARE };

static struct plat_thread thread;

TEST(PacketMemory, a_block_is_used_again_for_its_size)
{
    struct packet *small = packet_memory(&thread, sizeof *small);
    struct packet *large = packet_memory(&thread, PACKET_SMALL + 1);

    EXPECT_EQ(given, 2);
    packet_free(&thread, small);
    EXPECT_NE(packet_memory(&thread, PACKET_BLOCK), small);
    EXPECT_EQ(packet_memory(&thread, PACKET_SMALL), small);
    packet_free(&thread, large);
    EXPECT_NE(packet_memory(&thread, 1), large);
    EXPECT_EQ(packet_memory(&thread, PACKET_BLOCK), large);
    EXPECT_EQ(given, 4);
    EXPECT_EQ(thread.serves.spare.count, 0);
    EXPECT_EQ(thread.serves.spare_small.count, 0);
}

TEST(PacketMemory, other_blocks_go_back_to_the_heap)
{
    struct packet *larger = packet_memory(&thread, PACKET_BLOCK + 1), *from_heap;
    unsigned before = given;

    packet_free(&thread, larger);
    from_heap = double_malloc(sizeof *from_heap);
    from_heap->room = 0;
    packet_free(&thread, from_heap);
    EXPECT_EQ(given, before - 1);
}

/* Of each size a thread keeps so many, which go with it. */
TEST(PacketMemory, the_rest_goes_back_to_the_heap)
{
    static struct packet *packets[MANY];
    static const size_t sizes[] = {PACKET_SMALL, PACKET_BLOCK};
    unsigned before = given;

    for (int size = 0; size < 2; size++) {
        for (int i = 0; i < MANY; i++)
            packets[i] = packet_memory(&thread, sizes[size]);
        for (int i = 0; i < MANY; i++)
            packet_free(&thread, packets[i]);
    }
    EXPECT_EQ(given, before + 2 * MOST_SPARE);
    packets_free(&thread);
    EXPECT_EQ(given, before);
}

TEST(PacketMemory, there_may_be_none)
{
    heap_is_empty = true;
    EXPECT_EQ(packet_memory(&thread, PACKET_SMALL), NULL);
    EXPECT_EQ(packet_memory(&thread, PACKET_BLOCK), NULL);
    heap_is_empty = false;
}
