/* SPDX-License-Identifier: MIT
 *
 * blocking_files.c - reads and writes of pipes and their kind, FIFOs, locks, splices.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_hello(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "hello", 5), 5);
}

static void read_hello(struct block_case *c)
{
    char buffer[64] = {0};

    EXPECT_EQ(read(c->fd[0], buffer, sizeof buffer), 5);
    EXPECT_STREQ(buffer, "hello");
}

BLOCK_TEST(BlockingFiles, read_pipe, .make = make_pipe, .block = read_hello,
           .complete = write_hello)

static void readv_hello(struct block_case *c)
{
    char a[3] = {0};
    char b[32] = {0};
    struct iovec parts[2] = {{a, 2}, {b, sizeof b - 1}};

    EXPECT_EQ(readv(c->fd[0], parts, 2), 5);
    EXPECT_STREQ(a, "he");
    EXPECT_STREQ(b, "llo");
}

BLOCK_TEST(BlockingFiles, readv_pipe, .make = make_pipe, .block = readv_hello,
           .complete = write_hello)

static void preadv2_hello(struct block_case *c)
{
    char buffer[32] = {0};
    struct iovec part = {buffer, sizeof buffer - 1};

    EXPECT_EQ(preadv2(c->fd[0], &part, 1, -1, 0), 5);
    EXPECT_STREQ(buffer, "hello");
}

BLOCK_TEST(BlockingFiles, preadv2_pipe, .make = make_pipe, .block = preadv2_hello,
           .complete = write_hello)

static void read_end(struct block_case *c)
{
    char buffer[8];

    EXPECT_EQ(read(c->fd[0], buffer, sizeof buffer), 0);
}

static void close_writer(struct block_case *c)
{
    EXPECT_EQ(close(c->fd[1]), 0);
    c->fd[1] = 0;
}

BLOCK_TEST(BlockingFiles, read_pipe_until_the_writer_closes, .make = make_pipe, .block = read_end,
           .complete = close_writer)

static void write_byte_to_full(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

static void make_room(struct block_case *c)
{
    drain_some(c->fd[0], 8192);
}

BLOCK_TEST(BlockingFiles, write_full_pipe, .make = make_full_pipe, .block = write_byte_to_full,
           .complete = make_room)

static void writev_to_full(struct block_case *c)
{
    struct iovec parts[2] = {{"abc", 3}, {"defg", 4}};

    EXPECT_EQ(writev(c->fd[1], parts, 2), 7);
}

BLOCK_TEST(BlockingFiles, writev_full_pipe, .make = make_full_pipe, .block = writev_to_full,
           .complete = make_room)

/* A blocking write of more than the pipe holds is written whole. */
enum { BIG = 1000000 };

static void write_big(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], c->data, BIG), BIG);
}

static void read_big(struct block_case *c)
{
    const char *expected = c->data;
    char *got = malloc(BIG);
    size_t total = 0;

    while (total < BIG) {
        ssize_t length = read(c->fd[0], got + total, BIG - total);

        if (length <= 0) {
            FAIL("read: %zd, errno %d", length, errno);
            break;
        }
        total += (size_t)length;
    }
    EXPECT_EQ(memcmp(got, expected, BIG), 0);
    free(got);
}

static void run_big(void (*make)(int *))
{
    struct block_case c = {.block = write_big, .complete = read_big};
    char *bytes = malloc(BIG);

    for (int i = 0; i < BIG; i++)
        bytes[i] = (char)(i * 31 + i / 256);
    c.data = bytes;
    make(c.fd);
    run_block_case(&c);
    close_all(&c);
    free(bytes);
}

TEST(BlockingFiles, big_write_to_a_pipe_is_written_whole)
{
    run_big(make_pipe);
}

TEST(BlockingFiles, big_write_to_a_socket_is_written_whole)
{
    run_big(make_sockets);
}

static void write_until_broken(struct block_case *c)
{
    EXPECT_ERRNO(write(c->fd[1], "x", 1), EPIPE);
}

static void close_reader(struct block_case *c)
{
    EXPECT_EQ(close(c->fd[0]), 0);
    c->fd[0] = 0;
}

TEST(BlockingFiles, write_full_pipe_whose_reader_goes)
{
    struct block_case c = {.block = write_until_broken, .complete = close_reader};

    signal(SIGPIPE, SIG_IGN);
    make_pipe(c.fd);
    fill_up(c.fd[1]);
    run_block_case(&c);
    close_all(&c);
}

/* ---- eventfd, timerfd, inotify, pseudo terminal ---- */

static void read_counter(struct block_case *c)
{
    unsigned long long value = 0;

    EXPECT_EQ(read(c->fd[0], &value, sizeof value), 8);
    EXPECT_EQ(value, c->number);
}

static void add_to_counter(struct block_case *c)
{
    unsigned long long value = (unsigned long long)c->number;

    EXPECT_EQ(write(c->fd[0], &value, sizeof value), 8);
}

BLOCK_TEST(BlockingFiles, read_eventfd, .fd = {eventfd(0, EFD_CLOEXEC)}, .block = read_counter,
           .complete = add_to_counter, .number = 7)

enum { TIMES = 200, BLOCK = 4096 };

/* Writes that would be put off by a look at the counter, then the same number is a pipe: it fills up. */
static void write_to_another_file(struct block_case *c)
{
    static char block[BLOCK];
    uint64_t one = 1;
    int number = eventfd(0, 0);

    for (int i = 0; i < 8; i++)
        EXPECT_EQ(write(number, &one, sizeof one), (ssize_t)sizeof one);
    EXPECT_EQ(dup2(c->fd[1], number), number);
    for (int i = 0; i < TIMES; i++)
        EXPECT_EQ(write(number, block, i % 3 ? BLOCK : 1 + i % 100),
                  (ssize_t)(i % 3 ? BLOCK : 1 + i % 100));
    EXPECT_EQ(write(number, block, 1), 1);
    close(number);
    close(c->fd[1]);
    c->fd[1] = -1;
}

static void read_to_the_end(struct block_case *c)
{
    char block[BLOCK];
    ssize_t bytes;

    while ((bytes = read(c->fd[0], block, sizeof block)) > 0)
        c->number += bytes;
    EXPECT_EQ(bytes, 0);
}

TEST(BlockingFiles, a_number_that_was_an_eventfds)
{
    struct block_case c = {.block = write_to_another_file, .complete = read_to_the_end};
    long expected = 1;

    for (int i = 0; i < TIMES; i++)
        expected += i % 3 ? BLOCK : 1 + i % 100;
    make_pipe(c.fd);
    run_block_case(&c);
    EXPECT_EQ(c.number, expected);
    close_all(&c);
}

static void set_timer(struct block_case *c)
{
    struct itimerspec in_1_ms = {.it_value = {0, 1000000}};

    EXPECT_EQ(timerfd_settime(c->fd[0], 0, &in_1_ms, NULL), 0);
}

BLOCK_TEST(BlockingFiles, read_timerfd, .fd = {timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)},
           .block = read_counter, .complete = set_timer, .number = 1)

static void read_inotify(struct block_case *c)
{
    _Alignas(8) char buffer[512];

    EXPECT_GT(read(c->fd[0], buffer, sizeof buffer), 0);
}

static void touch_file(struct block_case *c)
{
    int fd = open(c->data, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    EXPECT_GE(fd, 0);
    close(fd);
}

TEST(BlockingFiles, read_inotify)
{
    struct block_case c = {.block = read_inotify, .complete = touch_file};
    char directory[] = "/tmp/umsshim-test-XXXXXX";
    char file[64];

    ASSERT_NE(mkdtemp(directory), NULL);
    snprintf(file, sizeof file, "%s/new", directory);
    c.data = file;
    c.fd[0] = inotify_init1(IN_CLOEXEC);
    EXPECT_GE(inotify_add_watch(c.fd[0], directory, IN_CREATE), 0);
    run_block_case(&c);
    close_all(&c);
    unlink(file);
    rmdir(directory);
}

static void read_line(struct block_case *c)
{
    char buffer[64] = {0};

    EXPECT_EQ(read(c->fd[0], buffer, sizeof buffer), 6);
    EXPECT_STREQ(buffer, "hello\n");
}

static void type_line(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "hello\n", 6), 6);
}

TEST(BlockingFiles, read_terminal)
{
    struct block_case c = {.block = read_line, .complete = type_line};

    c.fd[1] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (c.fd[1] < 0)
        SKIP("no pseudo terminals here: errno %d", errno);
    EXPECT_EQ(grantpt(c.fd[1]), 0);
    EXPECT_EQ(unlockpt(c.fd[1]), 0);
    c.fd[0] = open(ptsname(c.fd[1]), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(c.fd[0], 0);
    run_block_case(&c);
    close_all(&c);
}

/* stdio on top: the C library's own buffers and locks live in the worker. */
static void read_by_stdio(struct block_case *c)
{
    FILE *stream = fdopen(dup(c->fd[0]), "r");
    char line[64] = {0};

    EXPECT_NE(fgets(line, sizeof line, stream), NULL);
    EXPECT_STREQ(line, "one\n");
    EXPECT_NE(fgets(line, sizeof line, stream), NULL);
    EXPECT_STREQ(line, "two\n");
    EXPECT_EQ(fgets(line, sizeof line, stream), NULL);
    fclose(stream);
}

static void write_by_stdio(struct block_case *c)
{
    FILE *stream = fdopen(c->fd[1], "w");

    fprintf(stream, "one\n");
    fflush(stream);
    fprintf(stream, "two\n");
    EXPECT_EQ(fclose(stream), 0);
    c->fd[1] = 0;
}

BLOCK_TEST(BlockingFiles, stdio, .make = make_pipe, .block = read_by_stdio,
           .complete = write_by_stdio)
