/* SPDX-License-Identifier: MIT
 *
 * accept_connect_ended.c - accept and connect of workers, ended by an error, a signal or the
 * thread's end.
 *
 * modes: ways, UMSSHIM_DETECT=0, UMSSHIM_DETECT=traps
 * with: crowd.c
 */
#include "block_case.h"
#include "crowd.h"
#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* ---- Errors ---- */

WORKER_TEST(AcceptConnectEnded, errors_are_the_kernels,
            .fd = {listen_here(5), eventfd(0, EFD_CLOEXEC)})
{
    int sockets[2], datagrams = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), plain = new_socket();

    make_sockets(sockets);
    EXPECT_ERRNO(accept(-1, NULL, NULL), EBADF);
    EXPECT_ERRNO(accept(c->fd[1], NULL, NULL), ENOTSOCK);
    EXPECT_ERRNO(accept(plain, NULL, NULL), EINVAL);
    EXPECT_ERRNO(accept(sockets[0], NULL, NULL), EINVAL);
    EXPECT_ERRNO(accept(datagrams, NULL, NULL), EOPNOTSUPP);
    EXPECT_ERRNO(accept4(c->fd[0], NULL, NULL, 1), EINVAL);
    set_nonblocking(c->fd[0], 1);
    EXPECT_ERRNO(accept(c->fd[0], NULL, NULL), EAGAIN);
    set_nonblocking(c->fd[0], 0);
    EXPECT_ERRNO(connect(-1, (struct sockaddr *)&listening_at, sizeof listening_at), EBADF);
    EXPECT_ERRNO(connect(c->fd[1], (struct sockaddr *)&listening_at, sizeof listening_at),
                 ENOTSOCK);
    EXPECT_ERRNO(connect(plain, (struct sockaddr *)1, sizeof listening_at), EFAULT);
    EXPECT_ERRNO(connect(plain, (struct sockaddr *)&listening_at, 1), EINVAL);
    EXPECT_EQ(connect(plain, (struct sockaddr *)&listening_at, sizeof listening_at), 0);
    EXPECT_ERRNO(accept(c->fd[0], (struct sockaddr *)1, (socklen_t *)1), EFAULT);
    EXPECT_ERRNO(connect(plain, (struct sockaddr *)&listening_at, sizeof listening_at), EISCONN);
    EXPECT_EQ(connect(datagrams, (struct sockaddr *)&listening_at, sizeof listening_at), 0);
    close(plain);
    plain = new_socket();
    close(c->fd[0]);
    c->fd[0] = 0;
    EXPECT_ERRNO(connect(plain, (struct sockaddr *)&listening_at, sizeof listening_at),
                 ECONNREFUSED);
    close(plain);
    close(datagrams);
    close(sockets[0]);
    close(sockets[1]);
}

/* ---- Signals ---- */

static int handled;

static void on_signal(int number)
{
    flag_add(&handled, 1);
}

struct interruption {
    struct crowd crowd;
    pthread_t worker;
    int flags;
    bool connects;
};

static struct interruption *interruption;

static void note_and_call(struct crowd *crowd, int index)
{
    interruption->worker = pthread_self();
    (interruption->connects ? connect_there : accept_there)(crowd, index);
}

static void interrupt(struct crowd *crowd)
{
    EXPECT_EQ(pthread_kill(interruption->worker, SIGUSR1), 0);
    wait_for_count(&handled, 1);
    if (interruption->flags & SA_RESTART) {
        usleep(SETTLE_US);
        EXPECT_EQ(flag_get(&crowd->returned), 0);
        if (interruption->connects)
            take_all(crowd);
        else
            connect_in_turn(crowd);
    }
    wait_for_count(&crowd->returned, 1);
}

static void run_interrupted(int flags, bool connects, int want)
{
    struct interruption it = {.flags = flags, .connects = connects};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
    int occupant = -1;

    interruption = &it;
    handled = 0;
    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    it.crowd = (struct crowd){.door = LIBC, .count = 1, .call = note_and_call, .serve = interrupt};
    it.crowd.listener = connects ? listen_full(&occupant) : listen_here(5);
    if (connects)
        clients[0] = new_socket();
    run_crowd(&it.crowd);
    EXPECT_EQ(it.crowd.error[0], want);
    close(it.crowd.listener);
    if (connects) {
        close(clients[0]);
        close(occupant);
    }
}

CALL_TEST(AcceptConnectEnded, a_handler_ends_accept, run_interrupted(0, false, EINTR))
CALL_TEST(AcceptConnectEnded, a_handler_that_restarts_does_not,
          run_interrupted(SA_RESTART, false, 0))
CALL_TEST(AcceptConnectEnded, a_handler_ends_connect, run_interrupted(0, true, EINTR))
CALL_TEST(AcceptConnectEnded, a_handler_that_restarts_leaves_connect_under_way,
          run_interrupted(SA_RESTART, true, 0))

/* ---- Ended from outside ---- */

static struct loose rig;
static int shared, entered;

static DWORD WINAPI wait_for_ever(LPVOID client)
{
    int fd = (int)(ULONG_PTR)client;

    flag_set(&entered, 1);
    if (fd)
        FAIL("connect returned %d",
             connect(fd, (struct sockaddr *)&listening_at, sizeof listening_at));
    else
        FAIL("accept returned %d", accept(shared, NULL, NULL));
    return 0;
}

static void end_one(int fd, DWORD settle)
{
    struct loose_worker *worker;

    entered = 0;
    worker = loose_add(&rig, wait_for_ever, (void *)(ULONG_PTR)fd, 0);
    ASSERT_OK(worker != NULL);
    ASSERT_REACHES(worker->blocked, 1);
    Sleep(settle);
    EXPECT_OK(TerminateThread(worker->bare.thread, 7));
    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, LIMIT_MS), WAIT_OBJECT_0);
    ASSERT_REACHES(worker->ended, 1);
}

static void run_ended(bool connects)
{
    int occupant = -1;

    if (is_set("UMSSHIM_RING", "0"))
        SKIP("a helper makes this call, and cannot be called back");
    shared = connects ? listen_full(&occupant) : listen_here(5);
    ASSERT_OK(loose_start(&rig, NULL));
    for (DWORD i = 0; i < 12 && !tc_failures(); i++) {
        int fd = connects ? new_socket() : 0;

        end_one(fd, i % 3 ? i % 3 * 5 : 0);
        if (fd)
            close(fd);
    }
    ASSERT_OK(loose_finish(&rig));
    EXPECT_OK(DeleteUmsCompletionList(rig.list));
    close(shared);
    if (connects)
        close(occupant);
}

TEST(AcceptConnectEnded, a_worker_in_accept_can_be_ended)
{
    run_ended(false);
}

TEST(AcceptConnectEnded, a_worker_in_connect_can_be_ended)
{
    run_ended(true);
}
