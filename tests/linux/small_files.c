/* SPDX-License-Identifier: MIT
 *
 * small_files.c - reads of small disk files that are in memory: the read at the end, in the same
 * file and in another file that has the number by then.
 *
 * modes: ways, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "gtest_c.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, SMALL = 5000, MORE = 100, PAGES = 8, MOST = 3 * PAGE, ROUNDS = 24 };

static int make_file(ssize_t bytes)
{
    char name[] = "/tmp/umsshim-small-XXXXXX", content[PAGES * PAGE];
    int fd = mkstemp(name);

    for (ssize_t i = 0; i < bytes; i++)
        content[i] = (char)(i / 15);
    EXPECT_EQ(write(fd, content, (size_t)bytes), bytes);
    EXPECT_EQ(fsync(fd), 0);
    unlink(name);
    return fd;
}

static void read_next(int fd, ssize_t at, ssize_t expected)
{
    char buffer[MOST];
    ssize_t got = read(fd, buffer, sizeof buffer);

    EXPECT_THAT(got == expected, "%zd bytes at %zd, errno %d", got, at, errno);
    for (ssize_t i = 0; i < got; i++)
        if (buffer[i] != (char)((at + i) / 15)) {
            FAIL("byte %zd at %zd is %d", i, at, buffer[i]);
            break;
        }
    EXPECT_EQ(lseek(fd, 0, SEEK_CUR), at + expected);
}

static void read_from_the_start(int fd, ssize_t bytes)
{
    EXPECT_EQ(lseek(fd, 0, SEEK_SET), 0);
    read_next(fd, 0, bytes);
}

static void read_a_file_that_grows(struct block_case *c)
{
    int fd = c->fd[0];
    ssize_t bytes = SMALL;
    char more[MORE];

    for (int i = 0; i < ROUNDS; i++, bytes += MORE) {
        read_from_the_start(fd, bytes);
        read_next(fd, bytes, 0);
        read_next(fd, bytes, 0);
        read_from_the_start(fd, bytes);
        read_from_the_start(fd, bytes);
        for (int j = 0; j < MORE; j++)
            more[j] = (char)((bytes + j) / 15);
        EXPECT_EQ(pwrite(fd, more, MORE, bytes), MORE);
        read_next(fd, bytes, MORE);
        read_next(fd, bytes + MORE, 0);
    }
    EXPECT_EQ(ftruncate(fd, MORE), 0);
    read_next(fd, bytes, 0);
    read_from_the_start(fd, MORE);
}

TEST(SmallFiles, that_grow)
{
    struct block_case c = {.fd = {make_file(SMALL)}};

    run_in_worker(read_a_file_that_grows, &c);
    close_all(&c);
}

/* The number becomes that of a file of which one page is in memory, by a bare system call. */
static void read_another_file(struct block_case *c)
{
    char byte;

    for (int i = 0; i < ROUNDS; i++) {
        int number = dup(c->fd[0]);

        read_from_the_start(number, SMALL);
        posix_fadvise(c->fd[1], 0, 0, POSIX_FADV_DONTNEED);
        EXPECT_EQ(syscall(SYS_pread64, c->fd[1], &byte, 1, i % 5 * PAGE), 1);
        EXPECT_EQ(lseek(c->fd[1], i % 5 * PAGE + 8, SEEK_SET), i % 5 * PAGE + 8);
        EXPECT_EQ(syscall(SYS_dup2, c->fd[1], number), number);
        read_next(number, i % 5 * PAGE + 8, MOST);
        close(number);
    }
}

TEST(SmallFiles, another_where_one_was)
{
    struct block_case c = {.fd = {make_file(SMALL), make_file(PAGES * PAGE)}};

    posix_fadvise(c.fd[1], 0, 0, POSIX_FADV_RANDOM);
    run_in_worker(read_another_file, &c);
    close_all(&c);
}

static void read_a_pipe(struct block_case *c)
{
    char byte = 0;
    int number = dup(c->fd[2]);

    read_from_the_start(number, SMALL);
    EXPECT_EQ(syscall(SYS_dup2, c->fd[0], number), number);
    EXPECT_EQ(read(number, &byte, 1), 1);
    EXPECT_EQ(byte, 'p');
    close(number);
}

static void write_to_it(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "p", 1), 1);
}

TEST(SmallFiles, a_pipe_where_one_was)
{
    struct block_case c = {.block = read_a_pipe, .complete = write_to_it};

    make_pipe(c.fd);
    c.fd[2] = make_file(SMALL);
    run_block_case(&c);
    close_all(&c);
}
