/* SPDX-License-Identifier: MIT
 *
 * full_counter.c - a write to a full event counter blocks only the worker.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "gtest_c.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { ADDED = 7 };

static const uint64_t most = UINT64_MAX - 1;

static void make_full(int *fd)
{
    fd[0] = eventfd(0, EFD_CLOEXEC);
    EXPECT_EQ(write(fd[0], &most, sizeof most), (ssize_t)sizeof most);
}

static void add(struct block_case *c)
{
    uint64_t more = ADDED, now = 0;

    EXPECT_EQ(write(c->fd[0], &more, sizeof more), (ssize_t)sizeof more);
    EXPECT_EQ(read(c->fd[0], &now, sizeof now), (ssize_t)sizeof now);
    EXPECT_EQ(now, ADDED);
}

static void take_all(struct block_case *c)
{
    uint64_t count = 0;

    EXPECT_EQ(read(c->fd[0], &count, sizeof count), (ssize_t)sizeof count);
    EXPECT_EQ(count, most);
}

BLOCK_TEST(FullCounter, write, .make = make_full, .block = add, .complete = take_all)
