/* SPDX-License-Identifier: MIT
 *
 * Publishing the end of an overlapped operation (winapi/linux/overlapped_end.c): memory that a
 * procedure was written to, and that no thread takes, goes back to the heap.
 */
#include <stdlib.h>

static unsigned freed; /* blocks that went back to the heap */

static void double_free(void *block)
{
    freed++;
    free(block);
}
#define free(block) double_free(block)

#include "platform/linux/dispatch/packet_memory.c"
#include "winapi/linux/overlapped_end.c"

#include "doubles.h"
#include "gtest_c.h"

static struct plat_thread self, ended;

bool apc_append(struct apc *apc, struct plat_thread *thread)
{
    EXPECT_EQ((void *)thread, (void *)&ended);
    return false;
}

void wait_alert(struct plat_thread *thread)
{
    FAIL("the thread has ended");
}

void object_hold(struct object *object)
{
}

void object_drop(struct object *object)
{
}

static void CALLBACK routine(DWORD error, DWORD bytes, OVERLAPPED *overlapped)
{
}

/* The number of bytes lies where the size of the memory was. */
static void ends_with(DWORD bytes, size_t extra)
{
    static OVERLAPPED overlapped;
    struct operation *operation = operation_memory(&self, extra);

    ASSERT_NE(operation, NULL);
    memset((char *)operation + sizeof(union operation_end), 0,
           sizeof *operation - sizeof(union operation_end));
    operation->end.at = &operation->end.own;
    operation->overlapped = &overlapped;
    operation->thread = &ended;
    operation->holds_thread = true;
    operation->routine = routine;
    operation->bytes = bytes;
    freed = 0;
    give_procedure(operation);
    EXPECT_EQ(freed, 1u);
    EXPECT_EQ(self.serves.spare.count + self.serves.spare_small.count, 0u);
}

TEST(OverlappedEnd, memory_of_a_procedure_that_nobody_calls_goes_back)
{
    plat_tls.thread = &self;
    ends_with(PACKET_SMALL, 0);
    ends_with(PACKET_BLOCK, PACKET_BLOCK);
    ends_with(1, 0);
    plat_tls.thread = NULL;
}
