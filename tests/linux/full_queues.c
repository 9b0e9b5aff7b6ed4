/* SPDX-License-Identifier: MIT
 *
 * full_queues.c - a send to a full message queue blocks only the worker (BL-1), until another
 * worker receives. A time-out of System V's semaphores ends their wait. When the queue or set is
 * removed, the wait of a worker fails.
 *
 * modes: ways, UMSSHIM_DETECT=0 UMSSHIM_RING=0
 */
#include "block_case.h"
#include "gtest_c.h"

#include <errno.h>
#include <mqueue.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

/* ---- System V ---- */

static struct message {
    long type;
    char text[1024];
} message = {.type = 7};

static void send_to_full(struct block_case *c)
{
    int queue = (int)c->number;

    EXPECT_EQ(msgsnd(queue, &message, sizeof message.text, 0), 0);
}

static void receive_one(struct block_case *c)
{
    EXPECT_EQ(msgrcv((int)c->number, &message, sizeof message.text, 0, 0), sizeof message.text);
}

static int full_queue(void)
{
    int queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);

    EXPECT_GE(queue, 0);
    while (msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT) == 0)
        ;
    EXPECT_EQ(errno, EAGAIN);
    return queue;
}

TEST(FullQueues, system_v)
{
    struct block_case c = {.block = send_to_full, .complete = receive_one, .number = full_queue()};

    run_block_case(&c);
    EXPECT_EQ(msgctl((int)c.number, IPC_RMID, NULL), 0);
}

static void send_to_removed(struct block_case *c)
{
    EXPECT_ERRNO(msgsnd((int)c->number, &message, sizeof message.text, 0), EIDRM);
}

static void remove_queue(struct block_case *c)
{
    EXPECT_EQ(msgctl((int)c->number, IPC_RMID, NULL), 0);
}

TEST(FullQueues, system_v_that_is_removed)
{
    struct block_case c = {
        .block = send_to_removed, .complete = remove_queue, .number = full_queue()};

    run_block_case(&c);
}

static void receive_from_removed(struct block_case *c)
{
    EXPECT_ERRNO(msgrcv((int)c->number, &message, sizeof message.text, 0, 0), EIDRM);
}

TEST(FullQueues, empty_that_is_removed)
{
    struct block_case c = {.block = receive_from_removed,
                           .complete = remove_queue,
                           .number = msgget(IPC_PRIVATE, IPC_CREAT | 0600)};

    run_block_case(&c);
}

static void wait_for_removed(struct block_case *c)
{
    struct sembuf take = {.sem_op = -1};

    EXPECT_ERRNO(semop((int)c->number, &take, 1), EIDRM);
}

static void remove_set(struct block_case *c)
{
    EXPECT_EQ(semctl((int)c->number, 0, IPC_RMID), 0);
}

TEST(FullQueues, semaphores_that_are_removed)
{
    struct block_case c = {.block = wait_for_removed,
                           .complete = remove_set,
                           .number = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600)};

    run_block_case(&c);
}

static void bad_time(struct block_case *c)
{
    struct sembuf give = {.sem_op = 1};
    struct timespec never = {0, 2000000000};

    EXPECT_ERRNO(semtimedop((int)c->number, &give, 1, &never), EINVAL);
    EXPECT_EQ(semctl((int)c->number, 0, GETVAL), 0);
    EXPECT_EQ(semop((int)c->number, &give, 1), 0);
    EXPECT_ERRNO(semop(-1, &give, 1), EINVAL);
    EXPECT_ERRNO(semop((int)c->number, &give, 0), EINVAL);
}

TEST(FullQueues, a_bad_time_is_told_before)
{
    struct block_case c = {.number = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600)};

    run_in_worker(bad_time, &c);
    remove_set(&c);
}

/* ---- POSIX ---- */

static void make_full_posix_queue(int *fd)
{
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
    char name[64];

    snprintf(name, sizeof name, "/umsshim-full-%d", getpid());
    fd[0] = mq_open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600, &attributes);
    ASSERT_GE(fd[0], 0);
    mq_unlink(name);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(mq_send(fd[0], "full", 4, 0), 0);
}

static void send_posix(struct block_case *c)
{
    EXPECT_EQ(mq_send(c->fd[0], "last", 4, 0), 0);
}

static void receive_posix(struct block_case *c)
{
    char text[8];

    EXPECT_EQ(mq_receive(c->fd[0], text, sizeof text, NULL), 4);
}

BLOCK_TEST(FullQueues, posix, .make = make_full_posix_queue, .block = send_posix,
           .complete = receive_posix)

/* ---- System V's semaphores, with a time-out ---- */

static void wait_for_nobody(struct block_case *c)
{
    struct sembuf down = {.sem_op = -1};
    struct timespec limit = {0, 500000000}; /* not over before worker 1 has run */

    EXPECT_ERRNO(semtimedop((int)c->number, &down, 1, &limit), EAGAIN);
}

TEST(FullQueues, semaphore_times_out)
{
    struct block_case c = {.block = wait_for_nobody,
                           .number = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600)};

    ASSERT_GE(c.number, 0);
    run_block_case(&c);
    EXPECT_EQ(semctl((int)c.number, 0, IPC_RMID), 0);
}
