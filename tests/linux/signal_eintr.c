/* SPDX-License-Identifier: MIT
 *
 * signal_eintr.c - a worker's blocked calls, ended by a signal to the process or to the worker: EINTR
 * without SA_RESTART, and with it as signal(7) says. The handler runs in the worker, before the call
 * returns.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int handled;
static pthread_t handled_by;

static void on_signal(int number)
{
    handled_by = pthread_self();
    flag_add(&handled, 1);
}

/* Everything that waits for ever unless a signal or sender comes. */
struct things {
    int pipe[2], full[2], sockets[2], epoll;
    int file, same_file; /* locked by the first */
    int messages, semaphores;
    mqd_t queue;
    sem_t semaphore;
    pid_t child;
    struct timespec deadline; /* far */
};

static struct things things;

static long do_read(void)
{
    char byte;
    return read(things.pipe[0], &byte, 1);
}

static long do_write(void)
{
    return write(things.full[1], "x", 1);
}

static long do_recv(void)
{
    char byte;
    return recv(things.sockets[0], &byte, 1, 0);
}

static long do_poll(void)
{
    struct pollfd set = {.fd = things.pipe[0], .events = POLLIN};
    return poll(&set, 1, 20000);
}

static long do_poll_for_ever(void)
{
    struct pollfd set = {.fd = things.pipe[0], .events = POLLIN};
    return poll(&set, 1, -1);
}

/* Nothing is ever urgent in a file. Who waits in vain for that keeps the process's locks. */
static long do_poll_file(void)
{
    struct pollfd set = {.fd = things.file, .events = POLLPRI};
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    long result = poll(&set, 1, -1);
    int error = errno;

    EXPECT_EQ(fcntl(things.same_file, F_OFD_GETLK, &lock), 0);
    EXPECT_EQ(lock.l_type, F_WRLCK);
    errno = error;
    return result;
}

static long do_poll_two(void)
{
    struct pollfd set[2] = {{.fd = things.pipe[0], .events = POLLIN},
                            {.fd = things.sockets[0], .events = POLLIN}};
    return poll(set, 2, 20000);
}

static long do_select(void)
{
    struct timeval limit = {20, 0};
    fd_set set;

    FD_ZERO(&set);
    FD_SET(things.pipe[0], &set);
    return select(things.pipe[0] + 1, &set, NULL, NULL, &limit);
}

static long do_epoll(void)
{
    struct epoll_event event;
    return epoll_wait(things.epoll, &event, 1, 20000);
}

static long do_epoll_for_ever(void)
{
    struct epoll_event event;
    return epoll_wait(things.epoll, &event, 1, -1);
}

static long do_nanosleep(void)
{
    struct timespec duration = {20, 0};
    return nanosleep(&duration, NULL);
}

static long do_sem_wait(void)
{
    return sem_wait(&things.semaphore);
}

static long do_sem_timedwait(void)
{
    return sem_timedwait(&things.semaphore, &things.deadline);
}

static long do_msgrcv(void)
{
    struct {
        long type;
        char text[8];
    } message;
    return msgrcv(things.messages, &message, sizeof message.text, 0, 0);
}

static long do_semop(void)
{
    struct sembuf down = {0, -1, 0};
    return semop(things.semaphores, &down, 1);
}

static long do_mq_receive(void)
{
    char message[8];
    return mq_receive(things.queue, message, sizeof message, NULL);
}

static long do_waitpid(void)
{
    return waitpid(things.child, NULL, 0);
}

static const struct call_case {
    const char *name;
    long (*call)(void);
    bool restarts;
} calls[] = {
    {"read", do_read, true},
    {"write", do_write, true},
    {"recv", do_recv, true},
    {"poll", do_poll, false},
    {"poll for ever", do_poll_for_ever, false},
    {"poll of a file", do_poll_file, false},
    {"poll of two", do_poll_two, false},
    {"select", do_select, false},
    {"epoll_wait", do_epoll, false},
    {"epoll_wait for ever", do_epoll_for_ever, false},
    {"nanosleep", do_nanosleep, false},
    {"sem_wait", do_sem_wait, true},
    {"sem_timedwait", do_sem_timedwait, false},
    {"msgrcv", do_msgrcv, false},
    {"semop", do_semop, false},
    {"mq_receive", do_mq_receive, true},
    {"waitpid", do_waitpid, true},
};

static void make_things(void)
{
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    struct epoll_event event = {.events = EPOLLIN};
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char name[64], file[] = "/tmp/umsshim-eintr-XXXXXX";

    things.file = mkstemp(file);
    things.same_file = open(file, O_RDWR | O_CLOEXEC);
    unlink(file);
    EXPECT_EQ(fcntl(things.file, F_SETLK, &lock), 0);
    make_pipe(things.pipe);
    make_pipe(things.full);
    fill_up(things.full[1]);
    make_sockets(things.sockets);
    things.epoll = epoll_create1(EPOLL_CLOEXEC);
    EXPECT_EQ(epoll_ctl(things.epoll, EPOLL_CTL_ADD, things.pipe[0], &event), 0);
    EXPECT_EQ(sem_init(&things.semaphore, 0, 0), 0);
    things.messages = msgget(IPC_PRIVATE, 0600);
    things.semaphores = semget(IPC_PRIVATE, 1, 0600);
    snprintf(name, sizeof name, "/umsshim_eintr_%d", getpid());
    things.queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    EXPECT_NE(things.queue, (mqd_t)-1);
    mq_unlink(name);
    clock_gettime(CLOCK_REALTIME, &things.deadline);
    things.deadline.tv_sec += 200;
    things.child = fork();
    if (things.child == 0) {
        sleep(200);
        _exit(0);
    }
}

static void drop_things(void)
{
    kill(things.child, SIGKILL);
    waitpid(things.child, NULL, 0);
    msgctl(things.messages, IPC_RMID, NULL);
    semctl(things.semaphores, 0, IPC_RMID);
    mq_close(things.queue);
    close(things.same_file);
    close(things.file);
}

/* A plain thread that sends again and again, until it is told that the call has returned: it cannot see
 * whether the worker waits already. */
struct sender {
    pthread_t target, thread;
    bool to_process;
    int times, stop;
};

static void *send_until_told(void *arg)
{
    struct sender *sender = arg;
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (int i = 0; i < sender->times && !flag_get(&sender->stop); i++) {
        usleep(10000);
        if (sender->to_process)
            kill(getpid(), SIGUSR1);
        else
            pthread_kill(sender->target, SIGUSR1);
    }
    return NULL;
}

static void start_sender(struct sender *sender)
{
    sigset_t all;
    sigset_t old;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    EXPECT_EQ(pthread_create(&sender->thread, NULL, send_until_told, sender), 0);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void interrupt_each(bool to_process)
{
    struct sigaction action = {.sa_handler = on_signal};

    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    make_things();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct sender sender = {.target = pthread_self(), .to_process = to_process, .times = 500};
        long result;
        int error;

        handled = 0;
        start_sender(&sender);
        errno = 0;
        result = calls[i].call();
        error = errno;
        EXPECT_THAT(result == -1 && error == EINTR, "%s: %ld, errno %d", calls[i].name, result,
                    error);
        EXPECT_THAT(flag_get(&handled) > 0 && pthread_equal(handled_by, pthread_self()),
                    "%s: handled %d times", calls[i].name, handled);
        flag_set(&sender.stop, 1);
        pthread_join(sender.thread, NULL);
    }
    drop_things();
}

WORKER_TEST(SignalEintr, by_signals_of_the_process)
{
    interrupt_each(true);
}

WORKER_TEST(SignalEintr, by_pthread_kill)
{
    interrupt_each(false);
}

/* ---- with SA_RESTART ---- */

/* Lets go what is restarted, once some signals were handled. */
static void *let_go(void *unused)
{
    long long begun = now_ms();

    while (flag_get(&handled) < 5 && elapsed_ms(begun) < 5000)
        usleep(1000);
    EXPECT_EQ(write(things.pipe[1], "x", 1), 1);
    EXPECT_EQ(write(things.sockets[1], "x", 1), 1);
    EXPECT_EQ(drain_some(things.full[0], 4096), 4096);
    sem_post(&things.semaphore);
    EXPECT_EQ(mq_send(things.queue, "x", 1, 0), 0);
    kill(things.child, SIGKILL);
    return NULL;
}

WORKER_TEST(SignalEintr, restarts_as_signal_7_says)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct sender sender = {.target = pthread_self(), .to_process = i % 2, .times = 100000};
        pthread_t helper;
        sigset_t all;
        sigset_t old;
        long result;
        int error;

        make_things();
        handled = 0;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        start_sender(&sender);
        if (calls[i].restarts)
            EXPECT_EQ(pthread_create(&helper, NULL, let_go, NULL), 0);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        errno = 0;
        result = calls[i].call();
        error = errno;
        if (calls[i].restarts) {
            EXPECT_THAT(result >= 0, "%s: %ld, errno %d after %d signals", calls[i].name, result,
                        error, handled);
            EXPECT_THAT(handled >= 5, "%s returned after %d signals", calls[i].name, handled);
            pthread_join(helper, NULL);
        } else {
            EXPECT_THAT(result == -1 && error == EINTR, "%s: %ld, errno %d", calls[i].name, result,
                        error);
        }
        flag_set(&sender.stop, 1);
        pthread_join(sender.thread, NULL);
        drop_things();
    }
}

/* ---- alarm ---- */

WORKER_TEST(SignalEintr, alarm_ends_a_sleep)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    long long begun = now_ms();

    handled = 0;
    EXPECT_EQ(sigaction(SIGALRM, &action, NULL), 0);
    EXPECT_EQ(alarm(1), 0);
    EXPECT_GE(sleep(20), 15);
    EXPECT_EQ(flag_get(&handled), 1);
    EXPECT_LT(elapsed_ms(begun), 10000);
    EXPECT_THAT(pthread_equal(handled_by, pthread_self()), "handled by another thread");
}

WORKER_TEST(SignalEintr, a_sleep_says_what_is_left_of_it)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct timespec time = {20, 0}, left = {0, 0};

    handled = 0;
    EXPECT_EQ(sigaction(SIGALRM, &action, NULL), 0);
    EXPECT_EQ(alarm(1), 0);
    EXPECT_ERRNO(nanosleep(&time, &left), EINTR);
    EXPECT_EQ(flag_get(&handled), 1);
    EXPECT_THAT(left.tv_sec >= 5 && left.tv_sec < 20, "%ld s left of 20", (long)left.tv_sec);
}
