/* SPDX-License-Identifier: MIT
 *
 * queues.c - message queues.
 */
#include "assertion.h"

#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <sys/wait.h>

enum { SIZE = 32, ROOM = 3 };

static mqd_t queue;
static char name[64];

static void make(int flags)
{
    struct mq_attr attr = {.mq_maxmsg = ROOM, .mq_msgsize = SIZE};
    snprintf(name, sizeof name, "/posix-%d", getpid());
    queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL | flags, 0600, &attr);
    if (queue == (mqd_t)-1)
        SKIP("%s", strerror(errno));
    mq_unlink(name);
}

ASSERTION(messages_come_by_priority_then_age)
{
    static const unsigned sent[] = {1, 5, 1}, got[] = {5, 1, 1};
    char text[SIZE];
    unsigned priority;
    make(0);
    for (int i = 0; i < 3; i++) {
        sprintf(text, "%d", i);
        EXPECT_EQ(mq_send(queue, text, SIZE, sent[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(mq_receive(queue, text, SIZE, &priority), SIZE);
        EXPECT_EQ(priority, got[i]);
        EXPECT_EQ(atoi(text), i == 0 ? 1 : i == 1 ? 0 : 2);
    }
}

ASSERTION(limits_are_enforced)
{
    char text[SIZE + 1] = "";
    make(O_NONBLOCK);
    EXPECT_ERRNO(mq_receive(queue, text, SIZE, NULL), EAGAIN);
    EXPECT_ERRNO(mq_receive(queue, text, SIZE - 1, NULL), EMSGSIZE);
    EXPECT_ERRNO(mq_send(queue, text, SIZE + 1, 0), EMSGSIZE);
    EXPECT_ERRNO(mq_send(queue, text, 1, 1u << 31), EINVAL);
    for (int i = 0; i < ROOM; i++)
        EXPECT_EQ(mq_send(queue, text, 1, 0), 0);
    EXPECT_ERRNO(mq_send(queue, text, 1, 0), EAGAIN);
    struct mq_attr attr;
    EXPECT_EQ(mq_getattr(queue, &attr), 0);
    EXPECT_EQ(attr.mq_curmsgs, ROOM);
    EXPECT_EQ(attr.mq_flags, O_NONBLOCK);
    EXPECT_EQ(mq_close(queue), 0);
    EXPECT_ERRNO(mq_close(queue), EBADF);
}

ASSERTION(timed_calls_time_out)
{
    char text[SIZE] = "";
    make(0);
    struct timespec at = in_ms(CLOCK_REALTIME, 80);
    EXPECT_ERRNO(mq_timedreceive(queue, text, SIZE, NULL, &at), ETIMEDOUT);
    EXPECT(now_on(CLOCK_REALTIME) >= at.tv_sec * 1000000000ll + at.tv_nsec);
    EXPECT_ERRNO(mq_timedreceive(queue, text, SIZE, NULL, &(struct timespec){1, -1}), EINVAL);
    for (int i = 0; i < ROOM; i++)
        EXPECT_EQ(mq_timedsend(queue, text, 1, 0, &at), 0); /* need not wait */
    at = in_ms(CLOCK_REALTIME, 80);
    EXPECT_ERRNO(mq_timedsend(queue, text, 1, 0, &at), ETIMEDOUT);
}

static void *send_soon(void *unused)
{
    sleep_ms(60);
    EXPECT_EQ(mq_send(queue, "hello", 6, 3), 0);
    return unused;
}

ASSERTION(receive_waits_for_a_message)
{
    char text[SIZE];
    unsigned priority;
    make(0);
    pthread_t other = start(send_soon, NULL);
    EXPECT_EQ(mq_receive(queue, text, SIZE, &priority), 6);
    EXPECT_EQ(priority, 3);
    EXPECT(!strcmp(text, "hello"));
    join(other);
}

ASSERTION(receive_waits_for_a_child)
{
    char text[SIZE];
    int status;
    make(0);
    pid_t child = fork();
    if (child == 0) {
        sleep_ms(60);
        _exit(mq_send(queue, "child", 6, 0) ? 1 : 0);
    }
    EXPECT_EQ(mq_receive(queue, text, SIZE, NULL), 6);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

static volatile int told;
static void tell(union sigval value)
{
    set(&told, value.sival_int);
}
ASSERTION(notify_starts_a_thread)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tell};
    event.sigev_value.sival_int = 42;
    make(0);
    for (int i = 0; i < 2; i++) {
        char text[SIZE];
        set(&told, 0);
        EXPECT_EQ(mq_notify(queue, &event), 0);
        EXPECT_ERRNO(mq_notify(queue, &event), EBUSY);
        EXPECT_EQ(mq_send(queue, "x", 1, 0), 0);
        EXPECT(comes_true(&told));
        EXPECT_EQ(told, 42);
        EXPECT_EQ(mq_receive(queue, text, SIZE, NULL), 1);
    }
}

static volatile sig_atomic_t signals;
static siginfo_t info_seen;
static void on_signal(int sig, siginfo_t *info, void *unused)
{
    info_seen = *info;
    signals = 1;
}
ASSERTION(notify_sends_a_signal)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    event.sigev_value.sival_int = 9;
    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    make(0);
    EXPECT_EQ(mq_notify(queue, &event), 0);
    EXPECT_EQ(mq_send(queue, "x", 1, 0), 0);
    for (int i = 0; i < 5000 && !signals; i++)
        sleep_ms(1);
    EXPECT_EQ(signals, 1);
    EXPECT_EQ(info_seen.si_code, SI_MESGQ);
    EXPECT_EQ(info_seen.si_value.sival_int, 9);
    EXPECT_EQ(info_seen.si_pid, getpid());
}
