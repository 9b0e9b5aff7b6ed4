/* SPDX-License-Identifier: MIT
 *
 * crowd.c - see crowd.h.
 */
#include "crowd.h"
#include "bare_call.h"
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "tasks_in.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- Doors ---- */

bool in_user_mode(enum door door)
{
    return !is_set("UMSSHIM_RING", "0") &&
           (is_set("UMSSHIM_DETECT", "traps") || (door == LIBC && !is_set("UMSSHIM_FRONT", "0")));
}

bool is_seen(enum door door)
{
    return door == LIBC || !is_set("UMSSHIM_DETECT", "0");
}

static int with_errno(long result)
{
    if (result < 0)
        errno = (int)-result;
    return result < 0 ? -1 : (int)result;
}

int accept_by(enum door door, int fd)
{
    return door == LIBC ? accept(fd, NULL, NULL) : with_errno(bare_call(SYS_accept, fd, NULL, 0));
}

static int connect_by(enum door door, int fd, const struct sockaddr_in *address)
{
    return door == LIBC ? connect(fd, (const struct sockaddr *)address, sizeof *address)
                        : with_errno(bare_call(SYS_connect, fd, address, sizeof *address));
}

/* ---- Sockets ---- */

struct sockaddr_in listening_at;

int listen_here(int backlog)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t length = sizeof listening_at;

    listening_at =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    EXPECT_EQ(bind(fd, (struct sockaddr *)&listening_at, length), 0);
    EXPECT_EQ(getsockname(fd, (struct sockaddr *)&listening_at, &length), 0);
    EXPECT_EQ(listen(fd, backlog), 0);
    return fd;
}

int new_socket(void)
{
    return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

int connected(void)
{
    int fd = new_socket();

    EXPECT_EQ(connect(fd, (struct sockaddr *)&listening_at, sizeof listening_at), 0);
    return fd;
}

int listen_full(int *occupant)
{
    int fd = listen_here(0);

    *occupant = connected();
    return fd;
}

void limit_by(int fd, int option, int ms)
{
    struct timeval limit = {ms / 1000, ms % 1000 * 1000};

    EXPECT_EQ(setsockopt(fd, SOL_SOCKET, option, &limit, sizeof limit), 0);
}

int listen_unix(struct sockaddr_un *name, socklen_t *length, int backlog)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    EXPECT_EQ(bind(fd, (struct sockaddr *)name, sizeof name->sun_family),
              0); /* the kernel names it */
    *length = sizeof *name;
    EXPECT_EQ(getsockname(fd, (struct sockaddr *)name, length), 0);
    EXPECT_EQ(listen(fd, backlog), 0);
    return fd;
}

/* ---- Crowds ---- */

void wait_for_count(int *flag, int count)
{
    long long started = now_ms();

    while (flag_get(flag) < count && elapsed_ms(started) < LIMIT_MS)
        usleep(500);
    EXPECT_EQ(flag_get(flag), count);
}

static void enter(struct worker *self)
{
    struct crowd *crowd = self->arg;

    crowd->blocked_before[self->index] = self->blocked;
    crowd->line[flag_add(&crowd->in_line, 1) - 1] = self->index;
    flag_set(&crowd->entered[self->index], 1);
    crowd->call(crowd, self->index);
    crowd->order[flag_add(&crowd->returned, 1) - 1] = self->index;
}

static void wait_until_blocked(struct crowd *crowd)
{
    long long started = now_ms();

    for (int i = 0; i < crowd->count; i++) {
        const long *blocked = &fleet_worker(crowd->fleet, i)->blocked;

        while (!flag_get(&crowd->entered[i]) && elapsed_ms(started) < LIMIT_MS)
            usleep(500);
        while (__atomic_load_n(blocked, __ATOMIC_ACQUIRE) <= crowd->blocked_before[i] &&
               elapsed_ms(started) < LIMIT_MS)
            usleep(500);
        EXPECT_GT(__atomic_load_n(blocked, __ATOMIC_ACQUIRE), crowd->blocked_before[i]);
    }
}

void wait_for_tasks(int count)
{
    long long started = now_ms();
    int found;

    while ((found = tasks_in(SYS_accept, SYS_connect)) != count && elapsed_ms(started) < LIMIT_MS)
        usleep(500);
    EXPECT_EQ(found, count);
}

void nobody_comes(struct crowd *crowd)
{
    wait_for_count(&crowd->returned, crowd->count);
}

static void *serve(void *arg)
{
    struct crowd *crowd = arg;

    wait_until_blocked(crowd);
    usleep(SETTLE_US);                /* no call is deferred any more */
    if (crowd->serve != nobody_comes) /* else its time may be up by now */
        EXPECT_EQ(flag_get(&crowd->returned), 0);
    if (in_user_mode(crowd->door))
        EXPECT_EQ(tasks_in(SYS_accept, SYS_connect), 0);
    crowd->serve(crowd);
    return NULL;
}

void run_crowd(struct crowd *crowd)
{
    struct fleet *fleet = fleet_create(1, crowd->count, 0);
    pthread_t thread;

    if (!is_seen(crowd->door))
        SKIP("nobody sees a bare call");
    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < crowd->count; i++)
        fleet_add(fleet, enter, crowd);
    crowd->fleet = fleet;
    EXPECT_EQ(pthread_create(&thread, NULL, serve, crowd), 0);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(crowd->returned, crowd->count);
    fleet_destroy(fleet);
}

void accept_there(struct crowd *crowd, int index)
{
    crowd->result[index] = accept_by(crowd->door, crowd->listener);
    crowd->error[index] = crowd->result[index] < 0 ? errno : 0;
}

int clients[POOL];

void connect_there(struct crowd *crowd, int index)
{
    crowd->result[index] = connect_by(crowd->door, clients[index], &listening_at);
    crowd->error[index] = crowd->result[index] < 0 ? errno : 0;
}

/* ---- Who serves them ---- */

void connect_in_turn(struct crowd *crowd)
{
    for (int i = 0; i < crowd->count; i++) {
        int fd = connected();

        wait_for_count(&crowd->returned, i + 1);
        if (!is_set("UMSSHIM_RING", "0")) /* helpers come as they may */
            EXPECT_EQ(crowd->order[i], crowd->line[i]);
        close(fd);
    }
}

void take_all(struct crowd *crowd)
{
    EXPECT_EQ(listen(crowd->listener, POOL), 0);
    close(accept(crowd->listener, NULL, NULL));
    wait_for_count(&crowd->returned, crowd->count);
}
