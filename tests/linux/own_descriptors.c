/* SPDX-License-Identifier: MIT
 *
 * own_descriptors.c - the library's own descriptors, where the program closes numbers that it never
 * opened, or puts files on numbers of its choice.
 *
 * modes: ways, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "gtest_c.h"
#include "own_status.h"

#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST = 100, DUPLICATES = 512, END = 1024, LOOKED_AT = 4 * END + FIRST };

static void read_hello(struct block_case *c)
{
    char buffer[8] = "";

    EXPECT_EQ(read(c->fd[0], buffer, sizeof buffer), 5);
    EXPECT_STREQ(buffer, "hello");
}

static void write_hello(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "hello", 5), 5);
}

/* ---- Room for them ---- */

static long threads_at_first, table_at_first;
static bool inherited[LOOKED_AT], own[LOOKED_AT];

static bool is_open(int fd)
{
    return syscall(SYS_fcntl, fd, F_GETFD) >= 0;
}

/* Makes the library's first call before the test kit has threads, and looks how large the table of
 * descriptors is then. */
__attribute__((constructor)) static void call_and_look_at_table(void)
{
    PUMS_COMPLETION_LIST list;

    for (int fd = FIRST; fd < LOOKED_AT; fd++)
        inherited[fd] = is_open(fd);
    threads_at_first = number_in_status("Threads");
    if (CreateUmsCompletionList(&list))
        DeleteUmsCompletionList(list);
    table_at_first = number_in_status("FDSize");
}

/* A process of several threads waits for all processors when its table of descriptors grows. */
TEST(OwnDescriptors, table_is_large_enough_before_there_are_threads)
{
    struct block_case c = {.block = read_hello, .complete = write_hello};

    if (threads_at_first != 1 || table_at_first < 1)
        SKIP("%ld threads (a sanitizer's?) and a table of %ld when the program began",
             threads_at_first, table_at_first);
    make_pipe(c.fd);
    run_block_case(&c);
    EXPECT_EQ(number_in_status("FDSize"), table_at_first);
    close_all(&c);
}

/* ---- Closed ---- */

/* The program opens nothing from FIRST on: what it has not inherited there is the library's. */
static void look_at_own(void)
{
    for (int fd = FIRST; fd < LOOKED_AT; fd++)
        own[fd] = is_open(fd) && !inherited[fd];
}

static void expect_own_to_be_open(void)
{
    for (int fd = FIRST; fd < LOOKED_AT && !tc_failures(); fd++)
        EXPECT_THAT(!own[fd] || is_open(fd), "%d, the library's, was closed", fd);
}

static void close_range_and_read(struct block_case *c)
{
    look_at_own();
    EXPECT_EQ(close_range(FIRST, ~0u, 0), 0);
    expect_own_to_be_open();
    read_hello(c);
}

static void closefrom_and_read(struct block_case *c)
{
    look_at_own();
    closefrom(FIRST);
    expect_own_to_be_open();
    read_hello(c);
}

/* A worker may not unshare the table of descriptors. A child's table is its own, so the child may.
 * */
static void unshare_and_read(struct block_case *c)
{
    int status = -1;

    EXPECT_ERRNO(close_range(FIRST, ~0u, CLOSE_RANGE_UNSHARE), EPERM);
    pid_t child = fork();
    if (child == 0)
        _exit(close_range(FIRST, ~0u, CLOSE_RANGE_UNSHARE) ? 1 : 0);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    read_hello(c);
}

static void close_each_and_read(struct block_case *c)
{
    look_at_own();
    for (int fd = FIRST; fd < LOOKED_AT; fd++)
        close(fd);
    expect_own_to_be_open();
    read_hello(c);
}

static void run_closing(block_step block)
{
    struct block_case c = {.block = block, .complete = write_hello};

    make_pipe(c.fd);
    run_block_case(&c);
    close_all(&c);
}

CALL_TEST(OwnDescriptors, close_range, run_closing(close_range_and_read))
CALL_TEST(OwnDescriptors, close_range_of_a_table_of_its_own, run_closing(unshare_and_read))
CALL_TEST(OwnDescriptors, closefrom, run_closing(closefrom_and_read))
CALL_TEST(OwnDescriptors, close, run_closing(close_each_and_read))

/* The program can close its own descriptors among the library's numbers. */
static void close_the_programs(struct block_case *c)
{
    int high = fcntl(c->fd[0], F_DUPFD, END - 8);

    EXPECT_GE(high, END - 8);
    EXPECT_EQ(close_range(FIRST, ~0u, 0), 0);
    EXPECT_ERRNO(fcntl(high, F_GETFD), EBADF);
    EXPECT_ERRNO(close(high), EBADF);
    read_hello(c);
}

CALL_TEST(OwnDescriptors, those_of_the_program_among_them, run_closing(close_the_programs))

/* ---- Taken ---- */

/* Takes all numbers among which duplicates lie, while worker 0 waits and the library holds one, and
 * keeps them. */
static void take_all_numbers(struct block_case *c)
{
    usleep(3000);
    for (int fd = DUPLICATES; fd < END; fd++)
        if (dup2(c->fd[2], fd) != fd) {
            FAIL("dup2 to %d: errno %d", fd, errno);
            break;
        }
    write_hello(c);
}

TEST(OwnDescriptors, numbers_that_the_program_wants)
{
    struct block_case c = {.block = read_hello, .complete = take_all_numbers};
    struct rlimit limit;

    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_cur < END || (limit.rlim_cur == limit.rlim_max && geteuid()))
        SKIP("the limit of %ld descriptors cannot be raised", (long)limit.rlim_cur);
    limit.rlim_cur = END;
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    make_pipe(c.fd);
    make_pipe(c.fd + 2);
    run_block_case(&c);
    for (int fd = DUPLICATES; fd < END; fd++)
        EXPECT_EQ(close(fd), 0);
    close_all(&c);
}
