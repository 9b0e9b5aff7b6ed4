/* SPDX-License-Identifier: MIT
 *
 * small_files.c - reads of small disk files that are in memory: the read at the end, in the same
 * file and in another file that has the number, or the path, by then.
 *
 * modes: ways, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "gtest_c.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, SMALL = 5000, MORE = 100, PAGES = 8, MOST = 3 * PAGE, ROUNDS = 24 };

static int fill(int fd, ssize_t bytes)
{
    char content[PAGES * PAGE];

    for (ssize_t i = 0; i < bytes; i++)
        content[i] = (char)(i / 15);
    EXPECT_EQ(write(fd, content, (size_t)bytes), bytes);
    EXPECT_EQ(fsync(fd), 0);
    return fd;
}

static int make_file(ssize_t bytes)
{
    char name[] = "/tmp/umsshim-small-XXXXXX";
    int fd = fill(mkstemp(name), bytes);

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

/* ---- By its path ---- */

static int open_it(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    EXPECT_THAT(fd >= 0, "open: errno %d", errno);
    return fd;
}

/* From the second time on the worker knows that the path's file is in memory. */
static void read_by_path(const char *path, ssize_t bytes)
{
    for (int i = 0; i < 3; i++) {
        int fd = open_it(path);

        read_next(fd, 0, bytes);
        read_next(fd, bytes, 0);
        close(fd);
    }
}

static void put_small(const char *path)
{
    unlink(path);
    close(fill(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), SMALL));
}

WORKER_TEST(SmallFiles, another_by_the_path_of_one)
{
    char larger[] = "/tmp/umsshim-small-XXXXXX", path[sizeof larger + 1];
    int fd = fill(mkstemp(larger), PAGES * PAGE), number;
    (void)c;

    snprintf(path, sizeof path, "%s-", larger);
    for (int i = 0; i < ROUNDS; i++) {
        ssize_t at = i % 5 * PAGE + 8;
        char byte;

        put_small(path);
        read_by_path(path, SMALL);
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        EXPECT_EQ(pread(fd, &byte, 1, at), 1);
        EXPECT_EQ(unlink(path), 0);
        EXPECT_EQ(link(larger, path), 0);
        number = open_it(path);
        EXPECT_EQ(lseek(number, at, SEEK_SET), at);
        read_next(number, at, MOST);
        close(number);

        put_small(path);
        EXPECT_EQ(truncate(path, i), 0);
        number = open_it(path);
        read_next(number, 0, i);
        close(number);
    }
    unlink(path);
    unlink(larger);
    close(fd);
}

/* `number`: the read is next. */
static void read_what_comes(struct block_case *c, int number)
{
    char byte = 0;

    __atomic_store_n(&c->number, 1, __ATOMIC_RELEASE);
    EXPECT_EQ(read(number, &byte, 1), 1);
    EXPECT_EQ(byte, 'p');
    close(number);
}

static void write_when_it_waits(struct block_case *c)
{
    while (!__atomic_load_n(&c->number, __ATOMIC_ACQUIRE))
        usleep(1000);
    write_to_it(c);
}

static void read_a_fifo_by_its_path(struct block_case *c)
{
    char path[] = "/tmp/umsshim-small-XXXXXX";

    close(fill(mkstemp(path), SMALL));
    read_by_path(path, SMALL);
    EXPECT_EQ(unlink(path), 0);
    EXPECT_EQ(mkfifo(path, 0600), 0);
    c->fd[1] = open(path, O_RDWR | O_CLOEXEC);
    read_what_comes(c, open_it(path));
    unlink(path);
}

BLOCK_TEST(SmallFiles, a_fifo_by_the_path_of_one, .block = read_a_fifo_by_its_path,
           .complete = write_when_it_waits)

static void read_a_pipe_by_its_number(struct block_case *c)
{
    char path[] = "/tmp/umsshim-small-XXXXXX";

    close(fill(mkstemp(path), SMALL));
    read_by_path(path, SMALL);

    int number = open_it(path);

    EXPECT_EQ(syscall(SYS_dup2, c->fd[0], number), number);
    read_what_comes(c, number);
    unlink(path);
}

BLOCK_TEST(SmallFiles, a_pipe_where_one_was_opened, .make = make_pipe,
           .block = read_a_pipe_by_its_number, .complete = write_when_it_waits)
