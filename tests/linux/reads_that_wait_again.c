/* SPDX-License-Identifier: MIT
 *
 * reads_that_wait_again.c - a worker's read by a descriptor for which its reads have waited before
 * is a read as any other: by its result, by the file's mode, which anybody may change who shares the
 * open file, and where the number is another file's by now.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "fleet.h"
#include "gtest_c.h"

#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAITS = 40 };

static int begins; /* the step that follows the waits */

/* fd 0 and 2 are read by one worker, 1 and 3 written by the other one. */
static void make_files(struct block_case *c, int sockets)
{
    (sockets ? make_sockets : make_pipe)(c->fd);
    (sockets ? make_sockets : make_pipe)(c->fd + 2);
}

static void read_one(int fd, char expected)
{
    char bytes[8] = "";

    EXPECT_EQ(read(fd, bytes, sizeof bytes), 1);
    EXPECT_EQ(bytes[0], expected);
}

/* The reader asks the writer for each byte, so each read has to wait. */
static void wait_often(struct block_case *c)
{
    for (int i = 0; i < WAITS; i++) {
        EXPECT_EQ(write(c->fd[3], "?", 1), 1);
        read_one(c->fd[0], 'x');
    }
}

static void answer(struct block_case *c)
{
    for (int i = 0; i < WAITS; i++) {
        read_one(c->fd[2], '?');
        EXPECT_EQ(write(c->fd[1], "x", 1), 1);
    }
}

static void read_in_fleet(struct worker *self)
{
    struct block_case *c = self->arg;

    wait_often(c);
    flag_set(&begins, 1);
    c->block(c);
}

static void answer_in_fleet(struct worker *self)
{
    struct block_case *c = self->arg;

    answer(c);
    if (c->complete)
        c->complete(c);
}

static void run(int sockets, block_step then, block_step meanwhile)
{
    struct block_case c = {.block = then, .complete = meanwhile};

    begins = 0;
    make_files(&c, sockets);
    FLEET_RUN(1, FLEET_WAITS, {1, read_in_fleet, &c}, {1, answer_in_fleet, &c});
    close_all(&c);
}

static void on_both(block_step then, block_step meanwhile)
{
    run(0, then, meanwhile);
    run(1, then, meanwhile);
}

static void no_more(struct block_case *c)
{
}

TEST(ReadsThatWaitAgain, each_gets_its_byte)
{
    on_both(no_more, NULL);
}

/* Data that is there is had in full, and in order. */
static void read_what_is_there(struct block_case *c)
{
    char bytes[8] = "";

    for (int i = 0; i < WAITS; i++) {
        EXPECT_EQ(write(c->fd[1], "abcdef", 6), 6);
        EXPECT_EQ(read(c->fd[0], bytes, 4), 4);
        EXPECT_EQ(memcmp(bytes, "abcd", 4), 0);
        EXPECT_EQ(read(c->fd[0], bytes, 4), 2);
        EXPECT_EQ(memcmp(bytes, "ef", 2), 0);
    }
}

TEST(ReadsThatWaitAgain, data_that_is_there)
{
    on_both(read_what_is_there, NULL);
}

static void read_the_end(struct block_case *c)
{
    char byte;

    close(c->fd[1]);
    c->fd[1] = 0;
    EXPECT_EQ(read(c->fd[0], &byte, 1), 0);
    EXPECT_EQ(read(c->fd[0], &byte, 1), 0);
}

TEST(ReadsThatWaitAgain, the_end)
{
    on_both(read_the_end, NULL);
}

static void read_nothing(struct block_case *c)
{
    char byte;

    close(c->fd[0]);
    EXPECT_ERRNO(read(c->fd[0], &byte, 1), EBADF);
    EXPECT_ERRNO(read(c->fd[0], &byte, 1), EBADF);
    c->fd[0] = 0;
}

TEST(ReadsThatWaitAgain, a_number_of_no_file)
{
    on_both(read_nothing, NULL);
}

/* ---- The mode -------------------------------------------------------------------------------- */

static void read_without_waiting(struct block_case *c)
{
    char byte;

    for (int i = 0; i < WAITS; i++) {
        EXPECT_ERRNO(read(c->fd[0], &byte, 1), EAGAIN);
        EXPECT_EQ(write(c->fd[1], "y", 1), 1);
        read_one(c->fd[0], 'y');
    }
}

static void change_mode(struct block_case *c)
{
    set_nonblocking(c->fd[0], 1);
    read_without_waiting(c);
    set_nonblocking(c->fd[0], 0);
    EXPECT_EQ(write(c->fd[1], "z", 1), 1);
    read_one(c->fd[0], 'z');
}

TEST(ReadsThatWaitAgain, the_mode_is_changed)
{
    on_both(change_mode, NULL);
}

/* In non-blocking mode with data there: a read that said EAGAIN would hang who waits for edges. */
static void change_mode_with_data(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "y", 1), 1);
    set_nonblocking(c->fd[0], 1);
    read_one(c->fd[0], 'y');
    read_without_waiting(c);
}

TEST(ReadsThatWaitAgain, the_mode_is_changed_with_data_there)
{
    on_both(change_mode_with_data, NULL);
}

static void change_mode_in_child(struct block_case *c)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        int flags = fcntl(c->fd[0], F_GETFL);
        _exit(fcntl(c->fd[0], F_SETFL, flags | O_NONBLOCK) != 0);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    read_without_waiting(c);
}

TEST(ReadsThatWaitAgain, the_mode_is_changed_by_another_process)
{
    on_both(change_mode_in_child, NULL);
}

/* A call that waits goes on waiting, as in the kernel. */
static void read_x(struct block_case *c)
{
    read_one(c->fd[0], 'x');
}

static void change_mode_meanwhile(struct block_case *c)
{
    set_nonblocking(c->fd[0], 1);
    EXPECT_EQ(write(c->fd[3], "?", 1), 1); /* after each write those that wait are asked again */
    UmsThreadYield(NULL);
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

static void wait_meanwhile(int sockets)
{
    struct block_case c = {.block = read_x, .complete = change_mode_meanwhile};

    make_files(&c, sockets);
    run_block_case(&c);
    close_all(&c);
}

CALL_TEST(ReadsThatWaitAgain, the_mode_is_changed_while_a_pipe_is_read, wait_meanwhile(0))
CALL_TEST(ReadsThatWaitAgain, the_mode_is_changed_while_a_socket_is_read, wait_meanwhile(1))

/* ---- The number ------------------------------------------------------------------------------ */

static void read_another_pipe(struct block_case *c)
{
    int fd[2];

    make_pipe(fd);
    EXPECT_EQ(write(fd[1], "other", 5), 5);
    EXPECT_EQ(dup2(fd[0], c->fd[0]), c->fd[0]);
    EXPECT_EQ(write(c->fd[1], "mine", 4), -1); /* nobody can read it */
    char bytes[8] = "";
    EXPECT_EQ(read(c->fd[0], bytes, sizeof bytes), 5);
    EXPECT_STREQ(bytes, "other");
    close(fd[0]);
    close(fd[1]);
}

static void read_disk_file(struct block_case *c)
{
    char path[] = "/tmp/umsshim-waits-XXXXXX", bytes[16] = "";
    int fd = mkstemp(path);

    unlink(path);
    EXPECT_EQ(write(fd, "0123456789", 10), 10);
    EXPECT_EQ(lseek(fd, 0, SEEK_SET), 0);
    EXPECT_EQ(dup2(fd, c->fd[0]), c->fd[0]);
    EXPECT_EQ(read(c->fd[0], bytes, 4), 4);
    EXPECT_EQ(read(c->fd[0], bytes + 4, sizeof bytes - 5), 6);
    EXPECT_STREQ(bytes, "0123456789");
    EXPECT_EQ(read(c->fd[0], bytes, 4), 0);
    close(fd);
}

TEST(ReadsThatWaitAgain, the_number_is_a_disk_files)
{
    on_both(read_disk_file, NULL);
}

/* The read waits. */
static void change_number(struct block_case *c)
{
    int fd[2];

    if (!yield_until(&begins)) /* this worker runs again, so the reader has left: in its read */
        return;
    make_pipe(fd);
    EXPECT_EQ(write(fd[1], "y", 1), 1);
    EXPECT_EQ(dup2(fd[0], c->fd[0]), c->fd[0]);
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
    close(fd[0]);
    close(fd[1]);
}

TEST(ReadsThatWaitAgain, the_number_changes_hands_meanwhile)
{
    on_both(read_x, change_number);
}

TEST(ReadsThatWaitAgain, the_number_is_another_pipes)
{
    signal(SIGPIPE, SIG_IGN);
    on_both(read_another_pipe, NULL);
}
