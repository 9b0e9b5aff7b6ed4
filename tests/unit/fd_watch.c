/* SPDX-License-Identifier: MIT
 *
 * Files that a function is called for (platform/linux/async/fd_watch.c): for each event while it is
 * watched, and for none after.
 */
#include "platform/linux/async/fd_watch.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

enum { SET = 4, FILE_WATCHED = 6, NOTHING = -1 };

struct dispatch_hooks dispatch_hooks;

static int done_to_set; /* what epoll_ctl was last called for */
static uint64_t armed;  /* the number that it was called with */
static unsigned events;
static bool over_now, ends_itself;

static long kernel(long nr, const long args[6])
{
    if (nr != SYS_epoll_ctl)
        return 0;
    EXPECT_EQ(args[0], SET);
    EXPECT_EQ(args[2], FILE_WATCHED);
    done_to_set = (int)args[1];
    armed = ((const struct epoll_event *)args[3])->data.u64;
    return 0;
}

bool broker_once(struct broker_once *once, bool (*make)(void))
{
    FAIL("the thread is there");
    return make();
}

int kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main_function)(void *), void *arg)
{
    return EAGAIN;
}

int fd_move_high(int fd)
{
    return fd;
}

void kthread_name(const char *name)
{
}

void affinity_reset(void)
{
}

static bool is_ready(void *arg)
{
    EXPECT_EQ(arg, &events);
    events++;
    done_to_set = NOTHING;
    if (ends_itself)
        fd_watch_end(FILE_WATCHED);
    return over_now;
}

/* The number that its events have. */
static uint64_t watch_file(void)
{
    double_syscall = kernel;
    set = SET;
    atomic_store(&watcher.state, ONCE_DONE);
    events = 0;
    over_now = ends_itself = false;
    EXPECT_EQ(fd_watch(FILE_WATCHED, is_ready, &events), 0);
    EXPECT_EQ(done_to_set, EPOLL_CTL_ADD);
    return armed;
}

TEST(FdWatch, goes_on_until_it_is_over)
{
    uint64_t number = watch_file();

    serve(number);
    EXPECT_EQ(events, 1);
    EXPECT_EQ(done_to_set, EPOLL_CTL_MOD);
    EXPECT_EQ(armed, number);
    over_now = true;
    serve(number);
    EXPECT_EQ(events, 2);
    EXPECT_EQ(done_to_set, NOTHING);
    EXPECT_EQ(watches, NULL);
    serve(number); /* fetched before */
    EXPECT_EQ(events, 2);
}

TEST(FdWatch, that_has_ended_is_in_no_set)
{
    uint64_t number = watch_file();

    fd_watch_end(FILE_WATCHED);
    EXPECT_EQ(done_to_set, EPOLL_CTL_DEL);
    serve(number);
    EXPECT_EQ(events, 0);
    EXPECT_NE(watch_file(), number); /* an event of before is not the next watch's */
    serve(number);
    EXPECT_EQ(events, 0);
    fd_watch_end(FILE_WATCHED);
}

TEST(FdWatch, ended_while_its_function_runs)
{
    uint64_t number = watch_file();

    ends_itself = true;
    serve(number);
    EXPECT_EQ(events, 1);
    EXPECT_EQ(done_to_set, EPOLL_CTL_DEL);
    EXPECT_EQ(watches, NULL);
}
