/* SPDX-License-Identifier: MIT
 *
 * disk_files.c - reads and writes of disk files: each moves as many bytes as a thread's does, even
 * if only a part of the file is in memory, or other threads use the same open file.
 *
 * modes: ways, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "fleet.h"
#include "gtest_c.h"

#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 512, BYTES = PAGES * PAGE + 100, MOST = 3 * PAGE, ROUNDS = 24 };

/* Each word of the file says where it is. */
static int make_file(int flags)
{
    char name[] = "/tmp/umsshim-disk-XXXXXX";
    int made = mkstemp(name), fd = open(name, flags | O_CLOEXEC);
    uint32_t *words = malloc(BYTES);

    for (uint32_t i = 0; i < BYTES / 4; i++)
        words[i] = i;
    EXPECT_EQ(write(made, words, BYTES), BYTES);
    EXPECT_EQ(fsync(made), 0);
    close(made);
    unlink(name);
    free(words);
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    return fd;
}

/* Only the page of this position is in memory. */
static void forget_all_but(int fd, off_t position)
{
    char byte;

    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    EXPECT_EQ(syscall(SYS_pread64, fd, &byte, 1, position), 1);
}

/* ---- Each way to read ---- */

static ssize_t by_read(int fd, void *to, size_t bytes, off_t at)
{
    lseek(fd, at, SEEK_SET);
    return read(fd, to, bytes);
}

static ssize_t by_system_call(int fd, void *to, size_t bytes, off_t at)
{
    lseek(fd, at, SEEK_SET);
    return syscall(SYS_read, fd, to, bytes);
}

static ssize_t by_readv(int fd, void *to, size_t bytes, off_t at)
{
    struct iovec parts[3] = {{to, 40}, {(char *)to + 40, 8}, {(char *)to + 48, bytes - 48}};

    lseek(fd, at, SEEK_SET);
    return readv(fd, parts, 3);
}

static ssize_t by_own_preadv2(int fd, void *to, size_t bytes, off_t at)
{
    struct iovec part = {to, bytes};

    lseek(fd, at, SEEK_SET);
    return preadv2(fd, &part, 1, -1, 0);
}

static ssize_t by_pread(int fd, void *to, size_t bytes, off_t at)
{
    return pread(fd, to, bytes, at);
}

static ssize_t by_preadv(int fd, void *to, size_t bytes, off_t at)
{
    struct iovec parts[2] = {{to, bytes / 2}, {(char *)to + bytes / 2, bytes - bytes / 2}};

    return preadv(fd, parts, 2, at);
}

static ssize_t by_preadv2(int fd, void *to, size_t bytes, off_t at)
{
    struct iovec part = {to, bytes};

    return preadv2(fd, &part, 1, at, 0);
}

typedef ssize_t (*way)(int fd, void *to, size_t bytes, off_t at);
static const way ways[] = {by_read,  by_system_call, by_readv,  by_own_preadv2,
                           by_pread, by_preadv,      by_preadv2};
enum { WAYS = sizeof ways / sizeof *ways };

static void check_read(int fd, int with, unsigned at, unsigned bytes)
{
    static __thread uint32_t buffer[MOST / 4];
    ssize_t expected = at + bytes > BYTES ? BYTES - at : bytes;

    forget_all_but(fd, at & ~(PAGE - 1u));
    ssize_t got = ways[with](fd, buffer, bytes, at);
    EXPECT_THAT(got == expected, "way %d: %zd of %u at %u, errno %d", with, got, bytes, at, errno);
    for (ssize_t i = 0; i < got / 4; i++)
        if (buffer[i] != at / 4 + i) {
            FAIL("way %d: word %zd at %u is %u", with, i, at, buffer[i]);
            break;
        }
    if (with < 4)
        EXPECT_EQ(lseek(fd, 0, SEEK_CUR), at + expected);
}

static void read_each_way(struct block_case *c)
{
    unsigned seed = 7;

    for (int with = 0; with < WAYS; with++) {
        for (int i = 0; i < ROUNDS; i++) {
            unsigned at = (unsigned)rand_r(&seed) % (BYTES - MOST) & ~3u;

            check_read(c->fd[0], with, at, ((unsigned)rand_r(&seed) % (MOST - 300) + 300) & ~3u);
        }
        check_read(c->fd[0], with, BYTES - 2 * PAGE, MOST);
        check_read(c->fd[0], with, BYTES - 4, 64);
    }
}

TEST(DiskFiles, a_read_is_short_only_at_the_end)
{
    struct block_case c = {.fd = {make_file(O_RDONLY)}};

    run_in_worker(read_each_way, &c);
    close_all(&c);
}

/* No disk file ever says that it would block. */
TEST(DiskFiles, nonblocking_mode)
{
    struct block_case c = {.fd = {make_file(O_RDONLY | O_NONBLOCK)}};

    run_in_worker(read_each_way, &c);
    close_all(&c);
}

/* The engine remembers numbers of pipes; this one becomes a disk file's by a bare system call. */
static void read_where_a_pipe_was(struct block_case *c)
{
    char byte = 1;

    for (int i = 0; i < ROUNDS; i++) {
        int number = dup(c->fd[1]);

        for (int known = 0; known < 3; known++) {
            EXPECT_EQ(write(c->fd[2], &byte, 1), 1);
            EXPECT_EQ(read(number, &byte, 1), 1);
        }
        EXPECT_EQ(syscall(SYS_dup2, c->fd[0], number), number);
        check_read(number, i % 4, (unsigned)(8 * i * PAGE + 8), 2 * PAGE);
        close(number);
    }
}

TEST(DiskFiles, a_number_that_was_a_pipes)
{
    struct block_case c = {.fd = {make_file(O_RDONLY)}};

    EXPECT_EQ(pipe(&c.fd[1]), 0);
    run_in_worker(read_where_a_pipe_was, &c);
    close_all(&c);
}

static void read_file_calls(struct block_case *c)
{
    char *name = c->data, buffer[MOST];
    HANDLE file = CreateFileA(name, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    DWORD got = 0;

    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    for (int i = 0; i < ROUNDS; i++) {
        OVERLAPPED at = {.Offset = (DWORD)(8 * i * PAGE + PAGE)};

        forget_all_but(c->fd[0], 8 * i * PAGE);
        EXPECT_EQ(SetFilePointer(file, 8 * i * PAGE, NULL, FILE_BEGIN), 8 * i * PAGE);
        EXPECT_NE(ReadFile(file, buffer, MOST, &got, NULL), 0);
        EXPECT_EQ(got, MOST);
        forget_all_but(c->fd[0], 8 * i * PAGE + PAGE);
        EXPECT_NE(ReadFile(file, buffer, MOST, &got, &at), 0);
        EXPECT_EQ(got, MOST);
    }
    CloseHandle(file);
}

TEST(DiskFiles, ReadFile)
{
    char name[] = "/tmp/umsshim-disk-XXXXXX";
    struct block_case c = {.data = name, .fd = {mkstemp(name)}};

    EXPECT_EQ(ftruncate(c.fd[0], 0), 0);
    for (int i = 0; i < PAGES; i++) {
        char page[PAGE] = {(char)i};

        EXPECT_EQ(write(c.fd[0], page, PAGE), PAGE);
    }
    fsync(c.fd[0]);
    posix_fadvise(c.fd[0], 0, 0, POSIX_FADV_RANDOM);
    run_in_worker(read_file_calls, &c);
    unlink(name);
    close_all(&c);
}

static void read_directly(struct block_case *c)
{
    enum { BLOCKS = 64 };
    static _Alignas(PAGE) uint32_t buffer[BLOCKS * PAGE / 4];

    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(pread(c->fd[0], buffer, sizeof buffer, i * PAGE), sizeof buffer);
        EXPECT_EQ(buffer[0], i * PAGE / 4);
        EXPECT_EQ(lseek(c->fd[0], i * PAGE, SEEK_SET), i * PAGE);
        EXPECT_EQ(read(c->fd[0], buffer, sizeof buffer), sizeof buffer);
        EXPECT_EQ(buffer[sizeof buffer / 4 - 1], (i * PAGE + sizeof buffer) / 4 - 1);
    }
}

TEST(DiskFiles, past_the_page_cache)
{
    struct block_case c = {.fd = {make_file(O_RDONLY | O_DIRECT)}};

    if (c.fd[0] < 0)
        SKIP("no such mode in this file system: errno %d", errno);
    run_in_worker(read_directly, &c);
    close_all(&c);
}

/* ---- Several at one open file ---- */

enum { RECORD = 6000, RECORDS = BYTES / RECORD, READERS = 4 };

struct shared {
    int fd;
    int seen[RECORDS + 1]; /* the last is a whole one no more */
};

/* Each record comes to one reader, whole. */
static void read_records(struct shared *shared)
{
    static __thread uint32_t record[RECORD / 4];
    ssize_t got;

    while ((got = read(shared->fd, record, RECORD)) > 0) {
        uint32_t number = record[0] / (RECORD / 4);

        if (record[0] % (RECORD / 4) || number > RECORDS || (number < RECORDS && got != RECORD)) {
            FAIL("%zd bytes at word %u", got, record[0]);
            return;
        }
        for (ssize_t i = 0; i < got / 4; i++)
            if (record[i] != record[0] + i) {
                FAIL("record %u: word %zd is %u", number, i, record[i]);
                return;
            }
        flag_add(&shared->seen[number], 1);
    }
    EXPECT_EQ(got, 0);
}

static void reading_worker(struct worker *self)
{
    read_records(self->arg);
}

static void *reading_thread(void *shared)
{
    read_records(shared);
    return NULL;
}

TEST(DiskFiles, readers_share_a_position)
{
    struct shared shared = {.fd = make_file(O_RDONLY)};
    pthread_t thread;

    for (int round = 0; round < 4; round++) {
        struct fleet *fleet = fleet_create(2, READERS, FLEET_SHARED_READY);
        char byte;

        memset(shared.seen, 0, sizeof shared.seen);
        posix_fadvise(shared.fd, 0, 0, POSIX_FADV_DONTNEED);
        for (int i = 0; i < PAGES; i += 2)
            EXPECT_EQ(pread(shared.fd, &byte, 1, i * PAGE), 1);
        EXPECT_EQ(lseek(shared.fd, 0, SEEK_SET), 0);
        for (int i = 0; i < READERS; i++)
            fleet_add(fleet, reading_worker, &shared);
        EXPECT_EQ(pthread_create(&thread, NULL, reading_thread, &shared), 0);
        EXPECT_NE(fleet_run(fleet), 0);
        pthread_join(thread, NULL);
        fleet_destroy(fleet);
        for (int i = 0; i < RECORDS; i++)
            EXPECT_THAT(shared.seen[i] == 1, "record %d was read %d times", i, shared.seen[i]);
    }
    close(shared.fd);
}

/* ---- What gives way to others ---- */

enum { ZEROES = 64 << 20 };

static int stop_spinning;

static void *spin(void *unused)
{
    while (!flag_get(&stop_spinning))
        continue;
    return NULL;
}

static void read_zeroes(struct block_case *c)
{
    char *to = malloc(ZEROES);
    struct iovec parts[] = {{to, ZEROES / 4}, {to, ZEROES / 4}};

    ASSERT_NE(to, NULL);
    memset(to, 1, ZEROES);
    EXPECT_EQ(read(c->fd[0], to, ZEROES), ZEROES);
    EXPECT_EQ(to[ZEROES - 1], 0);
    EXPECT_EQ(pread(c->fd[0], to, ZEROES, 4096), ZEROES);
    EXPECT_EQ(readv(c->fd[0], parts, 2), ZEROES / 2);
    free(to);
}

/* A read of /dev/zero lasts longer than a turn, and other threads want the processor. It is whole
 * all the same. */
TEST(DiskFiles, zeroes_are_read_whole)
{
    struct block_case c = {.fd = {open("/dev/zero", O_RDONLY | O_CLOEXEC), -1, -1}};
    pthread_t other[2];

    ASSERT_GE(c.fd[0], 0);
    flag_set(&stop_spinning, 0);
    for (int i = 0; i < 2; i++)
        ASSERT_EQ(pthread_create(&other[i], NULL, spin, NULL), 0);
    run_in_worker(read_zeroes, &c);
    flag_set(&stop_spinning, 1);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(pthread_join(other[i], NULL), 0);
    close_all(&c);
}
