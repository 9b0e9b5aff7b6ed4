/* SPDX-License-Identifier: MIT
 *
 * blocking_locks.c - opening FIFOs, flock, record locks, splice and its kin, fsync.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- open of a FIFO ---- */

struct fifo {
    char directory[32];
    char path[64];
};

static bool make_fifo(struct fifo *fifo)
{
    strcpy(fifo->directory, "/tmp/umsshim-test-XXXXXX");
    if (!EXPECT_NE(mkdtemp(fifo->directory), NULL))
        return false;
    snprintf(fifo->path, sizeof fifo->path, "%s/fifo", fifo->directory);
    return EXPECT_EQ(mkfifo(fifo->path, 0600), 0);
}

static void remove_fifo(struct fifo *fifo)
{
    unlink(fifo->path);
    rmdir(fifo->directory);
}

static void open_reader(struct block_case *c)
{
    c->fd[0] = open(c->data, O_RDONLY | O_CLOEXEC);
    EXPECT_GT(c->fd[0], 0);
}

static void open_writer(struct block_case *c)
{
    c->fd[1] = open(c->data, O_WRONLY | O_CLOEXEC);
    EXPECT_GT(c->fd[1], 0);
}

static void run_fifo(block_step first, block_step second)
{
    struct block_case c = {.block = first, .complete = second};
    struct fifo fifo;
    char byte = 0;

    ASSERT_OK(make_fifo(&fifo));
    c.data = fifo.path;
    run_block_case(&c);
    EXPECT_EQ(write(c.fd[1], "x", 1), 1);
    EXPECT_EQ(read(c.fd[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
    close_all(&c);
    remove_fifo(&fifo);
}

TEST(BlockingLocks, open_fifo_to_read)
{
    run_fifo(open_reader, open_writer);
}

TEST(BlockingLocks, open_fifo_to_write)
{
    run_fifo(open_writer, open_reader);
}

/* ---- open of a file with a lease ---- */

static void open_leased(struct block_case *c)
{
    c->fd[1] = open(c->data, O_WRONLY | O_CLOEXEC);
    EXPECT_GT(c->fd[1], 0);
}

static void give_lease_up(struct block_case *c)
{
    EXPECT_EQ(fcntl(c->fd[0], F_SETLEASE, F_UNLCK), 0);
}

TEST(BlockingLocks, open_of_a_leased_file)
{
    char path[] = "/tmp/umsshim-test-XXXXXX";
    struct block_case c = {.block = open_leased, .complete = give_lease_up, .data = path};
    int made = mkostemp(path, O_CLOEXEC);

    ASSERT_GE(made, 0);
    close(made);
    signal(SIGIO, SIG_IGN); /* comes when the lease is to be given up */
    c.fd[0] = open(path, O_RDONLY | O_CLOEXEC);
    ASSERT_GE(c.fd[0], 0);
    if (fcntl(c.fd[0], F_SETLEASE, F_RDLCK)) {
        unlink(path);
        SKIP("the file system of /tmp has no leases");
    }
    run_block_case(&c);
    close_all(&c);
    unlink(path);
}

/* ---- locks ---- */

static int temporary_file(void)
{
    char path[] = "/tmp/umsshim-test-XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);

    EXPECT_GE(fd, 0);
    unlink(path);
    return fd;
}

static int second_description(int fd)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDWR | O_CLOEXEC);
}

static void lock_whole(struct block_case *c)
{
    EXPECT_EQ(flock(c->fd[0], LOCK_EX), 0);
}

static void unlock_whole(struct block_case *c)
{
    EXPECT_EQ(flock(c->fd[1], LOCK_UN), 0);
}

TEST(BlockingLocks, flock)
{
    struct block_case c = {.block = lock_whole, .complete = unlock_whole};

    c.fd[0] = temporary_file();
    c.fd[1] = second_description(c.fd[0]);
    EXPECT_EQ(flock(c.fd[1], LOCK_EX), 0);
    run_block_case(&c);
    EXPECT_ERRNO(flock(c.fd[1], LOCK_EX | LOCK_NB), EWOULDBLOCK); /* it is held now */
    close_all(&c);
}

static void lock_range(struct block_case *c)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 10, .l_len = 5};

    EXPECT_EQ(fcntl(c->fd[0], F_OFD_SETLKW, &range), 0);
}

static void unlock_range(struct block_case *c)
{
    struct flock range = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = 10, .l_len = 5};

    EXPECT_EQ(fcntl(c->fd[1], F_OFD_SETLK, &range), 0);
}

TEST(BlockingLocks, ofd_record_lock)
{
    struct block_case c = {.block = lock_range, .complete = unlock_range};
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 10, .l_len = 5};

    c.fd[0] = temporary_file();
    c.fd[1] = second_description(c.fd[0]);
    EXPECT_EQ(fcntl(c.fd[1], F_OFD_SETLK, &range), 0);
    run_block_case(&c);
    close_all(&c);
}

/* Process-wide record locks conflict with another process only. The child holds one until it is
 * told to end; afterwards the lock must be this process's. */
static int hold_record_lock(void *arg)
{
    struct block_case *c = arg;
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    char byte;

    EXPECT_EQ(fcntl(c->fd[0], F_SETLK, &range), 0);
    EXPECT_EQ(write(c->fd[2], "x", 1), 1);
    EXPECT_EQ(read(c->fd[1], &byte, 1), 1);
    return 0;
}

static void lock_process_wide(struct block_case *c)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};

    EXPECT_EQ(fcntl(c->fd[0], F_SETLKW, &range), 0);
}

static void end_holder(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[3], "x", 1), 1);
}

TEST(BlockingLocks, process_record_lock)
{
    struct block_case c = {.block = lock_process_wide, .complete = end_holder};
    struct child child;
    struct child_result result;
    int ready[2];
    int end[2];
    char byte;

    c.fd[0] = temporary_file();
    make_pipe(ready);
    make_pipe(end);
    c.fd[1] = end[0];
    c.fd[2] = ready[1];
    c.fd[3] = end[1];
    child = child_start(hold_record_lock, &c);
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    run_block_case(&c);
    result = child_wait(child, 5000);
    EXPECT_CHILD_OK(result);
    close(ready[0]);
    close_all(&c);
}

/* ---- splice and its kin ---- */

static void splice_some(struct block_case *c)
{
    EXPECT_EQ(splice(c->fd[0], NULL, c->fd[3], NULL, 100, 0), 5);
}

static void write_hello(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "hello", 5), 5);
}

TEST(BlockingLocks, splice_from_an_empty_pipe)
{
    struct block_case c = {.block = splice_some, .complete = write_hello};
    char buffer[8] = {0};

    make_pipe(c.fd);
    make_pipe(c.fd + 2);
    run_block_case(&c);
    EXPECT_EQ(read(c.fd[2], buffer, sizeof buffer), 5);
    EXPECT_STREQ(buffer, "hello");
    close_all(&c);
}

static void tee_some(struct block_case *c)
{
    EXPECT_EQ(tee(c->fd[0], c->fd[3], 100, 0), 5);
}

TEST(BlockingLocks, tee_from_an_empty_pipe)
{
    struct block_case c = {.block = tee_some, .complete = write_hello};
    char buffer[8] = {0};

    make_pipe(c.fd);
    make_pipe(c.fd + 2);
    run_block_case(&c);
    EXPECT_EQ(read(c.fd[0], buffer, sizeof buffer), 5); /* tee consumes nothing */
    close_all(&c);
}

static void vmsplice_some(struct block_case *c)
{
    struct iovec part = {"hello", 5};

    EXPECT_EQ(vmsplice(c->fd[1], &part, 1, 0), 5);
}

static void make_room(struct block_case *c)
{
    drain_some(c->fd[0], 16384);
}

BLOCK_TEST(BlockingLocks, vmsplice_to_a_full_pipe, .make = make_full_pipe, .block = vmsplice_some,
           .complete = make_room)

enum { FILE_BYTES = 300000 };

static void send_file(struct block_case *c)
{
    off_t offset = 0;
    size_t total = 0;

    while (total < FILE_BYTES) { /* it may stop early, as the real call may */
        ssize_t sent = sendfile(c->fd[1], c->fd[2], &offset, FILE_BYTES - total);

        if (sent <= 0) {
            FAIL("sendfile: %zd, errno %d", sent, errno);
            return;
        }
        total += (size_t)sent;
        EXPECT_EQ(offset, total);
    }
}

static void receive_file(struct block_case *c)
{
    EXPECT_EQ(drain_some(c->fd[0], FILE_BYTES), FILE_BYTES);
}

TEST(BlockingLocks, sendfile_to_a_slow_reader)
{
    struct block_case c = {.block = send_file, .complete = receive_file};

    make_pipe(c.fd);
    c.fd[2] = temporary_file();
    EXPECT_EQ(ftruncate(c.fd[2], FILE_BYTES), 0);
    run_block_case(&c);
    close_all(&c);
}

/* Calls that may or may not block, depending on the file system: the result is what counts. */
WORKER_TEST(BlockingLocks, fsync_and_copy_file_range, .fd = {temporary_file(), temporary_file()})
{
    char buffer[6] = {0};
    loff_t from = 0;
    loff_t to = 100;

    EXPECT_EQ(pwrite(c->fd[0], "hello", 5, 0), 5);
    EXPECT_EQ(fsync(c->fd[0]), 0);
    EXPECT_EQ(fdatasync(c->fd[0]), 0);
    EXPECT_EQ(sync_file_range(c->fd[0], 0, 0, SYNC_FILE_RANGE_WRITE), 0);
    EXPECT_EQ(copy_file_range(c->fd[0], &from, c->fd[1], &to, 5, 0), 5);
    EXPECT_EQ(pread(c->fd[1], buffer, 5, 100), 5);
    EXPECT_STREQ(buffer, "hello");
    EXPECT_EQ(fallocate(c->fd[0], 0, 0, 65536), 0);
    EXPECT_ERRNO(fsync(-1), EBADF);
}
