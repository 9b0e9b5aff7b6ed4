/* SPDX-License-Identifier: MIT
 *
 * unready_devices.c - files that poll never calls ready, though a read or write of them does not wait: a worker's
 * returns as a thread's does.
 *
 * modes: ways, UMSSHIM_FRONT=functions, UMSSHIM_DETECT=0, UMSSHIM_FAULTS=1
 */
#include "block_case.h"
#include "gtest_c.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TIMES = 6 };

/* ---- Writes: fanotify takes an answer, and poll never tells of room ------------------------------------------ */

static char watched[] = "/tmp/ums-watched-XXXXXX";
enum { PLACES = sizeof "XXXXXX" - 1 };

static void *open_watched(void *refused)
{
    int file = open(watched, O_RDONLY | O_CLOEXEC);

    *(int *)refused = file < 0 && errno == EPERM;
    if (file >= 0)
        close(file);
    return NULL;
}

static void answer(struct block_case *c)
{
    for (int i = 0; i < TIMES; i++) {
        struct fanotify_event_metadata event;
        struct fanotify_response response;
        struct iovec vector = {&response, sizeof response};
        pthread_t thread;
        int refused = -1;

        EXPECT_EQ(pthread_create(&thread, NULL, open_watched, &refused), 0);
        EXPECT_EQ(read(c->fd[0], &event, sizeof event), (ssize_t)sizeof event);
        response = (struct fanotify_response){event.fd, i & 1 ? FAN_DENY : FAN_ALLOW};
        EXPECT_EQ(i & 2 ? writev(c->fd[0], &vector, 1)
                        : write(c->fd[0], &response, sizeof response),
                  (ssize_t)sizeof response);
        close(event.fd);
        EXPECT_EQ(pthread_join(thread, NULL), 0);
        EXPECT_EQ(refused, i & 1);
    }
}

TEST(UnreadyDevices, answers_to_fanotify)
{
    struct block_case c = {.fd = {fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY)}};
    int file;

    if (c.fd[0] == -1)
        SKIP("fanotify is not for us: errno %d", errno);
    memset(watched + sizeof watched - 1 - PLACES, 'X', PLACES);
    file = mkstemp(watched);
    ASSERT_NE(file, -1);
    close(file);
    if (fanotify_mark(c.fd[0], FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, watched) != 0) {
        unlink(watched);
        SKIP("no permission events: errno %d", errno);
    }
    run_in_worker(answer, &c);
    close_all(&c);
    unlink(watched);
}

/* ---- Reads: a performance counter that has a buffer, of which poll tells ------------------------------------- */

static void read_counter(struct block_case *c)
{
    for (int i = 0; i < TIMES; i++) {
        uint64_t count = 0;

        EXPECT_EQ(read(c->fd[0], &count, sizeof count), (ssize_t)sizeof count);
    }
}

TEST(UnreadyDevices, counts_of_performance)
{
    struct perf_event_attr kind = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof kind,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .sample_period = 1000000000,
                                   .exclude_kernel = 1};
    struct block_case c = {
        .fd = {(int)syscall(SYS_perf_event_open, &kind, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)}};
    size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
    void *buffer;

    if (c.fd[0] == -1)
        SKIP("no performance counters: errno %d", errno);
    buffer = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, c.fd[0], 0);
    ASSERT_NE(buffer, MAP_FAILED);
    run_in_worker(read_counter, &c);
    munmap(buffer, size);
    close_all(&c);
}
