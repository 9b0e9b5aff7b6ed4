/* SPDX-License-Identifier: MIT
 *
 * Copies to the program's memory (platform/linux/os/copy.c): a worker's stack takes no system call.
 */
#include "platform/linux/os/copy.c"

#include "doubles.h"
#include "gtest_c.h"

/* The pipe is for sandboxes. */
int fd_move_high(int number)
{
    FAIL("a pipe is made");
    return number;
}

void own_file_close(long number)
{
    FAIL("a pipe is closed");
}

static unsigned copied;

static long kernel(long nr, const long args[6])
{
    const struct iovec *here = (const struct iovec *)args[1], *there = (void *)args[3];
    if (nr != SYS_process_vm_writev)
        return 0;
    copied++;
    memcpy(there->iov_base, here->iov_base, here->iov_len);
    return (long)here->iov_len;
}

static char stack[32];
static const char bytes[] = "answer";

/* So many bytes of a stack from byte 8 to byte 24, from this one on: how many system calls? */
static unsigned calls_to_copy_to(unsigned first, unsigned length)
{
    struct call_room room = {.low = (uintptr_t)stack + 8, .high = (uintptr_t)stack + 24};
    memset(stack, 0, sizeof stack);
    copied = 0;
    double_syscall = kernel;
    EXPECT_EQ(copy_out_to(&room, stack + first, bytes, length), 0);
    EXPECT_EQ(memcmp(stack + first, bytes, length), 0);
    return copied;
}

TEST(Copy, a_stack_takes_no_system_call)
{
    EXPECT_EQ(calls_to_copy_to(8, 6), 0u);
    EXPECT_EQ(calls_to_copy_to(18, 6), 0u);
}

TEST(Copy, what_is_not_in_a_stack_is_the_kernels)
{
    EXPECT_EQ(calls_to_copy_to(7, 6), 1u);
    EXPECT_EQ(calls_to_copy_to(19, 6), 1u);
    EXPECT_EQ(calls_to_copy_to(25, 6), 1u);
    EXPECT_EQ(calls_to_copy_to(0, 6), 1u);
}
