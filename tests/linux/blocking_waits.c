/* SPDX-License-Identifier: MIT
 *
 * blocking_waits.c - sleeps, futexes, semaphores, message queues.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "from_now.h"
#include "gtest_c.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SLEEP_MS = 60 };

static void check_slept(long long started)
{
    EXPECT_GE(elapsed_ms(started), SLEEP_MS - 1);
    EXPECT_LT(elapsed_ms(started), 5000);
}

static void run_sleep(block_step step)
{
    struct block_case c = {.block = step};

    run_block_case(&c);
}

static void sleep_nanosleep(struct block_case *c)
{
    struct timespec duration = {0, SLEEP_MS * 1000000};
    long long started = now_ms();

    EXPECT_EQ(nanosleep(&duration, NULL), 0);
    check_slept(started);
}

CALL_TEST(BlockingWaits, nanosleep, run_sleep(sleep_nanosleep))

static void sleep_usleep(struct block_case *c)
{
    long long started = now_ms();

    EXPECT_EQ(usleep(SLEEP_MS * 1000), 0);
    check_slept(started);
}

CALL_TEST(BlockingWaits, usleep, run_sleep(sleep_usleep))

static void sleep_until(struct block_case *c)
{
    static const int clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME};

    for (int i = 0; i < 3; i++) {
        long long started = now_ms(); /* first: others may have the processor after it */
        struct timespec at = from_now(clocks[i], SLEEP_MS);

        EXPECT_EQ(clock_nanosleep(clocks[i], TIMER_ABSTIME, &at, NULL), 0);
        check_slept(started);
        /* In the past: at once. */
        EXPECT_EQ(clock_nanosleep(clocks[i], TIMER_ABSTIME, &at, NULL), 0);
    }
}

CALL_TEST(BlockingWaits, clock_nanosleep_until, run_sleep(sleep_until))

static void bad_sleeps(struct block_case *c)
{
    struct timespec bad = {0, 1000000000};

    EXPECT_ERRNO(nanosleep(&bad, NULL), EINVAL);
    EXPECT_EQ(clock_nanosleep(999, 0, &bad, NULL), EINVAL);
    EXPECT_ERRNO(syscall(SYS_nanosleep, (void *)8, NULL), EFAULT);
}

TEST(BlockingWaits, bad_sleeps)
{
    struct block_case c = {.number = 0};

    run_in_worker(bad_sleeps, &c);
}

/* ---- futexes by hand ---- */

static unsigned word;

static void futex_wait(struct block_case *c)
{
    EXPECT_EQ(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), 0);
}

/* The waiter is on its way into the kernel when Blocked is reported, not necessarily there. */
static void wake_one(int operation, unsigned bits)
{
    long long started = now_ms();

    while (syscall(SYS_futex, &word, operation, 1, NULL, NULL, bits) == 0) {
        if (elapsed_ms(started) > 5000) {
            FAIL("nobody waits");
            return;
        }
        UmsThreadYield(NULL);
    }
}

static void futex_wake(struct block_case *c)
{
    wake_one(FUTEX_WAKE_PRIVATE, 0);
}

TEST(BlockingWaits, futex_wait)
{
    struct block_case c = {.block = futex_wait, .complete = futex_wake};

    word = 0;
    run_block_case(&c);
}

static void futex_wait_in_vain(struct block_case *c)
{
    struct timespec limit = {0, SLEEP_MS * 1000000};
    long long started = now_ms();

    EXPECT_ERRNO(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0), ETIMEDOUT);
    check_slept(started);
}

TEST(BlockingWaits, futex_wait_times_out)
{
    struct block_case c = {.block = futex_wait_in_vain};

    word = 0;
    run_block_case(&c);
}

static void futex_wait_bitset(struct block_case *c)
{
    struct timespec at = from_now(CLOCK_MONOTONIC, 10000);

    EXPECT_EQ(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &at, NULL, 6), 0);
}

static void futex_wake_bitset(struct block_case *c)
{
    EXPECT_EQ(syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 1), 0);
    wake_one(FUTEX_WAKE_BITSET_PRIVATE, 2);
}

TEST(BlockingWaits, futex_wait_bitset)
{
    struct block_case c = {.block = futex_wait_bitset, .complete = futex_wake_bitset};

    word = 0;
    run_block_case(&c);
}

#ifdef SYS_futex_waitv
static void futex_waitv(struct block_case *c)
{
    static unsigned other;
    struct futex_waitv waiters[2] = {
        {0, (unsigned long)&other, FUTEX_32 | FUTEX_PRIVATE_FLAG, 0},
        {0, (unsigned long)&word, FUTEX_32 | FUTEX_PRIVATE_FLAG, 0},
    };

    EXPECT_EQ(syscall(SYS_futex_waitv, waiters, 2, 0, NULL, 0), 1);
}

TEST(BlockingWaits, futex_waitv)
{
    struct block_case c = {.block = futex_waitv, .complete = futex_wake};

    word = 0;
    run_block_case(&c);
}
#endif

static void futex_values(struct block_case *c)
{
    for (int i = 0; i < 1000; i++) {
        EXPECT_ERRNO(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 5, NULL, NULL, 0), EAGAIN);
        EXPECT_EQ(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0), 0);
    }
    EXPECT_ERRNO(syscall(SYS_futex, (void *)2, FUTEX_WAIT_PRIVATE, 5, NULL, NULL, 0), EINVAL);
}

TEST(BlockingWaits, futex_that_need_not_wait)
{
    struct block_case c = {.number = 0};

    word = 0;
    run_unblocked(futex_values, &c, 5);
}

/* ---- semaphores and message queues ---- */

static sem_t semaphore;

static void wait_semaphore(struct block_case *c)
{
    struct timespec at;
    long long started;

    EXPECT_EQ(sem_wait(&semaphore), 0);
    started = now_ms();
    at = from_now(CLOCK_REALTIME, SLEEP_MS);
    EXPECT_ERRNO(sem_timedwait(&semaphore, &at), ETIMEDOUT);
    check_slept(started);
}

static void post_semaphore(struct block_case *c)
{
    EXPECT_EQ(sem_post(&semaphore), 0);
}

TEST(BlockingWaits, posix_semaphore)
{
    struct block_case c = {.block = wait_semaphore, .complete = post_semaphore};

    EXPECT_EQ(sem_init(&semaphore, 0, 0), 0);
    run_block_case(&c);
    sem_destroy(&semaphore);
}

static void take_semop(struct block_case *c)
{
    struct sembuf take = {0, -1, 0};

    EXPECT_EQ(semop((int)c->number, &take, 1), 0);
}

static void give_semop(struct block_case *c)
{
    struct sembuf give = {0, 1, 0};

    EXPECT_EQ(semop((int)c->number, &give, 1), 0);
}

TEST(BlockingWaits, system_v_semaphore)
{
    struct block_case c = {.block = take_semop, .complete = give_semop};

    c.number = semget(IPC_PRIVATE, 1, 0600);
    ASSERT_GE(c.number, 0);
    run_block_case(&c);
    semctl((int)c.number, 0, IPC_RMID);
}

struct message {
    long type;
    char text[16];
};

static void receive_message(struct block_case *c)
{
    struct message message = {0};

    EXPECT_EQ(msgrcv((int)c->number, &message, sizeof message.text, 2, 0), 6);
    EXPECT_STREQ(message.text, "hello");
}

static void send_message(struct block_case *c)
{
    struct message message = {2, "hello"};

    EXPECT_EQ(msgsnd((int)c->number, &message, 6, 0), 0);
}

TEST(BlockingWaits, system_v_message)
{
    struct block_case c = {.block = receive_message, .complete = send_message};

    c.number = msgget(IPC_PRIVATE, 0600);
    ASSERT_GE(c.number, 0);
    run_block_case(&c);
    msgctl((int)c.number, IPC_RMID, NULL);
}

static void receive_posix(struct block_case *c)
{
    char text[16] = {0};
    unsigned priority = 0;

    EXPECT_EQ(mq_receive((mqd_t)c->number, text, sizeof text, &priority), 6);
    EXPECT_STREQ(text, "hello");
    EXPECT_EQ(priority, 3);
}

static void send_posix(struct block_case *c)
{
    EXPECT_EQ(mq_send((mqd_t)c->number, "hello", 6, 3), 0);
}

TEST(BlockingWaits, posix_message_queue)
{
    struct block_case c = {.block = receive_posix, .complete = send_posix};
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 16};
    char name[32];

    snprintf(name, sizeof name, "/umsshim-test-%d", (int)getpid());
    c.number = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &attributes);
    if (c.number < 0)
        SKIP("no message queues here: errno %d", errno);
    mq_unlink(name);
    run_block_case(&c);
    mq_close((mqd_t)c.number);
}
