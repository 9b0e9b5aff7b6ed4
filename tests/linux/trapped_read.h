/* SPDX-License-Identifier: MIT
 *
 * trapped_read.h - a worker reads by a system call that is not redirected, so it is trapped.
 */
#ifndef UMSSHIM_TESTS_LINUX_TRAPPED_READ_H
#define UMSSHIM_TESTS_LINUX_TRAPPED_READ_H

#include "bare_call.h"
#include "block_case.h"
#include "gtest_c.h"

#include <stddef.h>
#include <sys/syscall.h>

enum { LIMIT_MS = 15000 };

static inline void read_bare(struct block_case *c)
{
    char byte = 0;

    EXPECT_EQ(bare_call(SYS_read, c->fd[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
}

static inline void write_bare(struct block_case *c)
{
    EXPECT_EQ(bare_call(SYS_write, c->fd[1], "x", 1), 1);
}

static inline void with_a_pipe(block_step block)
{
    struct block_case c = {.block = block, .complete = write_bare};

    make_pipe(c.fd);
    run_block_case(&c);
    close_all(&c);
}

#endif
