/* SPDX-License-Identifier: MIT
 *
 * immediate_completion.c - calls that need not wait cause no upcall, and partial results stay
 * partial (BL-2, BL-6).
 *
 * modes: ways
 */
#include "block_case.h"
#include "gtest_c.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 2000, ALLOWED = 5 };

UNBLOCKED_TEST(ImmediateCompletion, pipe_with_data_and_room, ALLOWED, .make = make_pipe)
{
    char buffer[16];

    for (int i = 0; i < TIMES; i++) {
        if (write(c->fd[1], "hello", 5) != 5 || read(c->fd[0], buffer, sizeof buffer) != 5 ||
            memcmp(buffer, "hello", 5) != 0) {
            FAIL("round %d: errno %d", i, errno);
            return;
        }
    }
}

static void sockets_with_data(struct block_case *c)
{
    char buffer[16];
    struct iovec part = {buffer, sizeof buffer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    for (int i = 0; i < TIMES; i++) {
        EXPECT_EQ(send(c->fd[1], "hello", 5, 0), 5);
        EXPECT_EQ(recv(c->fd[0], buffer, sizeof buffer, 0), 5);
        EXPECT_EQ(send(c->fd[1], "hello", 5, 0), 5);
        EXPECT_EQ(recvmsg(c->fd[0], &message, 0), 5);
        if (tc_failures())
            return;
    }
}

TEST(ImmediateCompletion, sockets_with_data)
{
    struct block_case c = {.number = 0};

    make_sockets(c.fd);
    run_unblocked(sockets_with_data, &c, ALLOWED);
    close_all(&c);
}

UNBLOCKED_TEST(ImmediateCompletion, file_in_memory, ALLOWED,
               .fd = {memfd_create("file", MFD_CLOEXEC)})
{
    char buffer[4096];
    struct stat status;

    memset(buffer, 'a', sizeof buffer);
    for (int i = 0; i < 200; i++)
        EXPECT_EQ(pwrite(c->fd[0], buffer, sizeof buffer, i * 4096), 4096);
    for (int i = 0; i < 200; i++) {
        EXPECT_EQ(pread(c->fd[0], buffer, sizeof buffer, i * 4096), 4096);
        EXPECT_EQ(buffer[4095], 'a');
        EXPECT_EQ(fstat(c->fd[0], &status), 0);
    }
    EXPECT_EQ(status.st_size, 200 * 4096);
    EXPECT_EQ(lseek(c->fd[0], 10, SEEK_SET), 10);
    EXPECT_EQ(read(c->fd[0], buffer, 10), 10); /* uses and moves the file position */
    EXPECT_EQ(lseek(c->fd[0], 0, SEEK_CUR), 20);
    EXPECT_EQ(write(c->fd[0], "zz", 2), 2);
    EXPECT_EQ(lseek(c->fd[0], 0, SEEK_CUR), 22);
}

UNBLOCKED_TEST(ImmediateCompletion, calls_that_never_block, ALLOWED, .make = make_pipe)
{
    struct timespec now;

    for (int i = 0; i < TIMES; i++) {
        getpid();
        getppid();
        clock_gettime(CLOCK_MONOTONIC, &now);
        syscall(SYS_getuid);
        close(dup(c->fd[0]));
        munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
    }
}

UNBLOCKED_TEST(ImmediateCompletion, open_of_ordinary_files, ALLOWED)
{
    for (int i = 0; i < 200; i++) {
        int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
        char buffer[64];

        EXPECT_GE(fd, 0);
        EXPECT_GT(read(fd, buffer, sizeof buffer), 0);
        close(fd);
    }
    EXPECT_ERRNO(open("/nonexistent/file", O_RDONLY), ENOENT);
    EXPECT_ERRNO(open((const char *)1, O_RDONLY), EFAULT);
}

UNBLOCKED_TEST(ImmediateCompletion, getrandom, ALLOWED)
{
    unsigned char bytes[256] = {0};
    int nonzero = 0;

    for (int i = 0; i < 100; i++)
        EXPECT_EQ(syscall(SYS_getrandom, bytes, sizeof bytes, 0), sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        nonzero += bytes[i] != 0;
    EXPECT_GT(nonzero, 128);
}

/* ---- errors come back as they are ---- */

UNBLOCKED_TEST(ImmediateCompletion, errors, ALLOWED, .make = make_pipe)
{
    char byte = 0;

    EXPECT_ERRNO(read(-1, &byte, 1), EBADF);
    EXPECT_ERRNO(read(9999, &byte, 1), EBADF);
    EXPECT_ERRNO(write(c->fd[0], &byte, 1), EBADF); /* the reading end */
    EXPECT_ERRNO(read(c->fd[1], &byte, 1), EBADF);
    EXPECT_ERRNO(recv(c->fd[0], &byte, 1, 0), ENOTSOCK);
    EXPECT_ERRNO(pread(c->fd[0], &byte, 1, 0), ESPIPE);
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
    EXPECT_ERRNO(syscall(SYS_read, c->fd[0], (void *)1, 1), EFAULT);
    EXPECT_ERRNO(syscall(SYS_write, c->fd[1], (void *)1, 1), EFAULT);
    EXPECT_EQ(read(c->fd[0], &byte, 0), 0);
}

/* Reads into memory that is not there, after a wait: the call fails as the real one does. */
static void read_into_nothing(struct block_case *c)
{
    EXPECT_ERRNO(syscall(SYS_read, c->fd[0], (void *)8, 4), EFAULT);
}

static void write_hello(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "hello", 5), 5);
}

BLOCK_TEST(ImmediateCompletion, bad_buffer_after_a_wait, .make = make_pipe,
           .block = read_into_nothing, .complete = write_hello)

static void read_partly(struct block_case *c)
{
    char buffer[100];

    EXPECT_EQ(read(c->fd[0], buffer, sizeof buffer), 5); /* waited for */
    EXPECT_EQ(write(c->fd[1], "0123456789", 10), 10);
    EXPECT_EQ(read(c->fd[0], buffer, 4), 4);
    EXPECT_EQ(read(c->fd[0], buffer, sizeof buffer), 6);
}

BLOCK_TEST(ImmediateCompletion, partial_reads, .make = make_pipe, .block = read_partly,
           .complete = write_hello)
