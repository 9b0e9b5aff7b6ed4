/* SPDX-License-Identifier: MIT
 *
 * nested_epoll.c - more workers wait for one epoll instance than the kernel allows wake-up paths
 * for a file. The program may go on changing the instance.
 *
 * modes: default, UMSSHIM_DETECT=notify UMSSHIM_FRONT=0, UMSSHIM_DETECT=traps UMSSHIM_FRONT=0
 * options: LIMIT 60
 */
#include "block_case.h"
#include "fleet.h"
#include "gtest_c.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 520 }; /* the kernel allows 500 */

static int instance, late;
static int woken;

static void wait_in_epoll(struct worker *self)
{
    struct epoll_event event;

    EXPECT_EQ(epoll_wait(instance, &event, 1, -1), 1);
    flag_add(&woken, 1);
}

static void poll_epoll(struct worker *self)
{
    struct pollfd file = {.fd = instance, .events = POLLIN};

    EXPECT_EQ(poll(&file, 1, -1), 1);
    flag_add(&woken, 1);
}

/* A scheduler that slept has armed what its workers wait for. */
static void change_instance(struct worker *self)
{
    struct epoll_event event = {.events = EPOLLIN};
    struct timespec some = {0, 20000000};

    for (int i = 0; i < MANY; i++)
        while (!__atomic_load_n(&fleet_worker(self->fleet, i)->blocked, __ATOMIC_ACQUIRE))
            UmsThreadYield(NULL);
    nanosleep(&some, NULL);
    EXPECT_EQ(flag_get(&woken), 0);
    EXPECT_EQ(epoll_ctl(instance, EPOLL_CTL_ADD, late, &event), 0);
    EXPECT_EQ(eventfd_write(late, 1), 0);
}

static void run(worker_body body)
{
    struct rlimit files = {0, 0};
    struct fleet *fleet = fleet_create(1, MANY + 1, FLEET_SHARED_READY);

    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max; /* the library has duplicates of what is waited for */
    setrlimit(RLIMIT_NOFILE, &files);
    instance = epoll_create1(0);
    late = eventfd(0, 0);
    woken = 0;
    ASSERT_NE(fleet, NULL);
    fleet_set_stack(fleet, 64 * 1024);
    for (int i = 0; i < MANY; i++)
        fleet_add(fleet, body, NULL);
    fleet_add(fleet, change_instance, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(woken, MANY);
    fleet_destroy(fleet);
    close(instance);
    close(late);
}

TEST(NestedEpoll, waited_for)
{
    run(wait_in_epoll);
}

TEST(NestedEpoll, polled)
{
    run(poll_epoll);
}
