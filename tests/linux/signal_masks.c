/* SPDX-License-Identifier: MIT
 *
 * signal_masks.c - every function that changes a thread's mask changes the worker's. Signals to the
 * process that the mask blocks stay pending, as with a thread's mask.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "signal_case.h"

#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static bool blocks(int number)
{
    sigset_t now;

    EXPECT_EQ(sigprocmask(SIG_BLOCK, NULL, &now), 0);
    return sigismember(&now, number) == 1;
}

static bool is_pending(int number)
{
    sigset_t now;

    EXPECT_EQ(sigpending(&now), 0);
    return sigismember(&now, number) == 1;
}

static void block(int number, int how)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, number);
    EXPECT_EQ(pthread_sigmask(how, &set, NULL), 0);
}

static void hold_and_release(struct block_case *c)
{
    EXPECT_EQ(sighold(SIGUSR1), 0);
    EXPECT_EQ(blocks(SIGUSR1), true);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(handled, 0);
    EXPECT_EQ(sigrelse(SIGUSR1), 0);
    EXPECT_EQ(handled, 1);
    EXPECT_THAT(sigset(SIGUSR1, SIG_HOLD) == on_signal, "the handler that was installed");
    EXPECT_EQ(blocks(SIGUSR1), true);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_ERRNO(sigpause(SIGUSR1), EINTR);
    EXPECT_EQ(handled, 2);
    EXPECT_EQ(blocks(SIGUSR1), true);
    EXPECT_THAT(sigset(SIGUSR1, on_signal) == SIG_HOLD, "it was held");
    EXPECT_EQ(blocks(SIGUSR1), false);
    EXPECT_ERRNO(sighold(1000), EINVAL);
}

TEST(SignalMasks, of_system_v)
{
    struct block_case c = {.number = 0};

    install(0);
    run_in_worker(hold_and_release, &c);
}

/* ---- calls that bring a mask along ---- */

struct wait {
    const char *name;
    int (*wait)(int fd, const sigset_t *mask, int ms);
};

static int by_pselect(int fd, const sigset_t *mask, int ms)
{
    struct timespec limit = {ms / 1000, ms % 1000 * 1000000L};
    fd_set set;

    FD_ZERO(&set);
    FD_SET(fd, &set);
    return pselect(fd + 1, &set, NULL, NULL, &limit, mask);
}

static int by_ppoll(int fd, const sigset_t *mask, int ms)
{
    struct timespec limit = {ms / 1000, ms % 1000 * 1000000L};
    struct pollfd set = {.fd = fd, .events = POLLIN};

    return ppoll(&set, 1, &limit, mask);
}

static int by_epoll(int fd, const sigset_t *mask, int ms)
{
    struct epoll_event event = {.events = EPOLLIN};
    int set = epoll_create1(EPOLL_CLOEXEC);
    int result;
    int error;

    EXPECT_EQ(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), 0);
    result = epoll_pwait(set, &event, 1, ms, mask);
    error = errno;
    close(set);
    errno = error;
    return result;
}

static const struct wait waits[] = {
    {"pselect", by_pselect}, {"ppoll", by_ppoll}, {"epoll_pwait", by_epoll}};

static void wait_with_masks(struct block_case *c)
{
    sigset_t none;
    sigset_t all;

    sigemptyset(&none);
    sigfillset(&all);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        char byte;

        tc_note("%s", waits[i].name);
        handled = 0;
        block(SIGUSR1, SIG_BLOCK);
        EXPECT_EQ(i % 2 ? raise(SIGUSR1) : kill(getpid(), SIGUSR1), 0);
        EXPECT_EQ(handled, 0);
        EXPECT_ERRNO(waits[i].wait(c->fd[0], &none, 10000), EINTR);
        EXPECT_EQ(handled, 1);
        EXPECT_EQ(blocks(SIGUSR1), true);

        /* What is ready comes before a signal. */
        EXPECT_EQ(raise(SIGUSR1), 0);
        EXPECT_EQ(write(c->fd[1], "x", 1), 1);
        EXPECT_EQ(waits[i].wait(c->fd[0], &none, 10000), 1);
        EXPECT_EQ(read(c->fd[0], &byte, 1), 1);
        EXPECT_EQ(blocks(SIGUSR1), true);
        EXPECT_EQ(handled, 1);
        block(SIGUSR1, SIG_UNBLOCK);
        EXPECT_EQ(handled, 2);

        EXPECT_EQ(waits[i].wait(c->fd[0], &all, 20), 0);
        EXPECT_EQ(blocks(SIGUSR1), false);
        if (waits[i].wait == by_epoll)
            continue; /* without time it does not look for signals */

        /* A look takes a signal that is pending. */
        block(SIGUSR1, SIG_BLOCK);
        EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
        EXPECT_ERRNO(waits[i].wait(c->fd[0], &none, 0), EINTR);
        EXPECT_EQ(handled, 3);
        block(SIGUSR1, SIG_UNBLOCK);
    }
}

TEST(SignalMasks, of_waits)
{
    struct block_case c = {.number = 0};

    install(0);
    make_pipe(c.fd);
    run_in_worker(wait_with_masks, &c);
    close_all(&c);
}

/* ---- threads and processes with a mask of their own ---- */

static void *look_at_mask(void *unused)
{
    return (void *)(long)((blocks(SIGUSR1) ? 1 : 0) + (blocks(SIGUSR2) ? 2 : 0));
}

static int status_of(short flags, const sigset_t *mask)
{
    static char *const arguments[] = {"sh", "-c", "kill -USR2 $$; exit 7", NULL};
    static char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    posix_spawnattr_t attributes;
    int status = 0;
    pid_t pid;

    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, flags);
    posix_spawnattr_setsigmask(&attributes, mask);
    EXPECT_EQ(posix_spawn(&pid, "/bin/sh", NULL, &attributes, arguments, environment), 0);
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    posix_spawnattr_destroy(&attributes);
    return status;
}

WORKER_TEST(SignalMasks, of_new_threads_and_processes)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t mask;
    void *result;

    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    block(SIGUSR1, SIG_BLOCK);
    pthread_attr_init(&attributes);
    EXPECT_EQ(pthread_attr_setsigmask_np(&attributes, &mask), 0);
    EXPECT_EQ(pthread_create(&thread, &attributes, look_at_mask, NULL), 0);
    pthread_join(thread, &result);
    EXPECT_EQ((long)result, 2);
    EXPECT_EQ(pthread_create(&thread, NULL, look_at_mask, NULL), 0);
    pthread_join(thread, &result);
    EXPECT_EQ((long)result, 1);
    pthread_attr_destroy(&attributes);

    EXPECT_EQ(WEXITSTATUS(status_of(POSIX_SPAWN_SETSIGMASK, &mask)), 7);
    EXPECT_EQ(WTERMSIG(status_of(0, &mask)), SIGUSR2);
    block(SIGUSR1, SIG_UNBLOCK);
}

/* ---- signals of the process ---- */

WORKER_TEST(SignalMasks, hold_back_signals_of_the_process)
{
    int number = SIGALRM;
    struct timespec moment = {0, 20000000};

    signal(number, on_signal);
    handled = 0;
    block(number, SIG_BLOCK);
    EXPECT_EQ(kill(getpid(), number), 0);
    EXPECT_EQ(nanosleep(&moment, NULL), 0);
    EXPECT_EQ(handled, 0);
    EXPECT_EQ(is_pending(number), true);
    block(number, SIG_UNBLOCK);
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(is_pending(number), false);

    /* It is held back even where it would end the process. */
    block(SIGTERM, SIG_BLOCK);
    EXPECT_EQ(kill(getpid(), SIGTERM), 0);
    EXPECT_EQ(nanosleep(&moment, NULL), 0);
    EXPECT_EQ(is_pending(SIGTERM), true);
    signal(SIGTERM, SIG_IGN);
    EXPECT_EQ(is_pending(SIGTERM), false);
    block(SIGTERM, SIG_UNBLOCK);
    signal(SIGTERM, SIG_DFL);
}

/* A plain thread waits for what everybody blocks, and gets it. */
static void *take_it(void *result)
{
    struct timespec limit = {10, 0};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    *(int *)result = sigtimedwait(&set, NULL, &limit);
    return NULL;
}

WORKER_TEST(SignalMasks, leave_a_signal_to_a_plain_thread)
{
    pthread_t thread;
    int result = 0;

    block(SIGUSR2, SIG_BLOCK);
    EXPECT_EQ(pthread_create(&thread, NULL, take_it, &result), 0);
    EXPECT_EQ(kill(getpid(), SIGUSR2), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(result, SIGUSR2);
    EXPECT_EQ(is_pending(SIGUSR2), false);
    block(SIGUSR2, SIG_UNBLOCK);
}

/* ---- another program in the place of this one ---- */

static void become_shell(struct block_case *c)
{
    block(SIGUSR2, SIG_BLOCK);
    c->number = execl("/bin/sh", "sh", "-c", "kill -USR2 $$; kill -USR1 $$; exit 3", NULL);
}

static int exec_in_worker(void *unused)
{
    struct block_case c = {.number = 0};

    run_in_worker(become_shell, &c);
    return 4;
}

/* SIGUSR2 stays blocked in the new program, SIGUSR1 ends it. */
TEST(SignalMasks, of_a_program_that_a_worker_becomes)
{
    struct child_result result = child_run(exec_in_worker, NULL, 10000);

    EXPECT_EQ(result.exited, false);
    EXPECT_EQ(result.signal, SIGUSR1);
}
