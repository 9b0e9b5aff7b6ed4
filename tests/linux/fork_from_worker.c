/* SPDX-License-Identifier: MIT
 *
 * fork_from_worker.c - children made by fork in a worker: they inherit the filter, not the engine.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A worker's child makes calls that are trapped in a worker. Returns 0 if all did what they should.
 * */
static int use_blocking_calls(void)
{
    struct timespec duration = {0, 5000000};
    struct pollfd set = {.events = POLLIN};
    int fd[2];
    char byte = 0;

    if (pipe(fd) != 0 || write(fd[1], "x", 1) != 1 || read(fd[0], &byte, 1) != 1 || byte != 'x')
        return 10;
    set.fd = fd[0];
    if (poll(&set, 1, 5) != 0)
        return 11;
    if (nanosleep(&duration, NULL) != 0)
        return 12;
    close(fd[1]);
    if (read(fd[0], &byte, 1) != 0)
        return 13;
    close(fd[0]);
    return 0;
}

static int end_of(pid_t pid)
{
    int status = -1;

    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* A child goes on when its parent is seen to wait for it. */
static void wait_for_parent(const struct block_case *c)
{
    char byte;

    alarm(20); /* no child outlives a failed test for long */
    if (read(c->fd[0], &byte, 1) != 1)
        _exit(30);
}

static void let_children_go(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "go", 2), 2);
}

static void run_with_children(block_step block)
{
    struct block_case c = {.block = block, .complete = let_children_go};

    make_pipe(c.fd);
    run_block_case(&c);
    close_all(&c);
}

static void fork_and_wait(struct block_case *c)
{
    pid_t pid = fork();

    if (pid == 0) {
        wait_for_parent(c);
        _exit(use_blocking_calls());
    }
    EXPECT_GT(pid, 0);
    EXPECT_EQ(end_of(pid), 0);
}

CALL_TEST(ForkFromWorker, child_makes_blocking_calls, run_with_children(fork_and_wait))

/* Forks by bare system calls, as programs do that want nothing else of what libc's fork does. */
static void fork_bare_and_wait(struct block_case *c)
{
    const long ways[][2] = {{SYS_fork, 0}, {SYS_clone, SIGCHLD}};

    for (int i = 0; i < 2; i++) {
        pid_t pid = (pid_t)syscall(ways[i][0], ways[i][1], 0, 0, 0, 0);

        if (pid == 0) {
            wait_for_parent(c);
            _exit(use_blocking_calls());
        }
        EXPECT_GT(pid, 0);
        EXPECT_EQ(end_of(pid), 0);
    }
}

CALL_TEST(ForkFromWorker, child_of_a_bare_call_makes_blocking_calls,
          run_with_children(fork_bare_and_wait))

static void fork_several(struct worker *self)
{
    for (int i = 0; i < 5; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            alarm(20);
            _exit(use_blocking_calls() ? 1 : 20 + self->index);
        }
        EXPECT_GT(pid, 0);
        EXPECT_OK(UmsThreadYield(NULL));
        EXPECT_EQ(end_of(pid), 20 + self->index);
    }
}

TEST(ForkFromWorker, several_workers_at_once)
{
    ASSERT_OK(FLEET_RUN(2, FLEET_SHARED_READY, {6, fork_several, NULL}));
}

WORKER_TEST(ForkFromWorker, childs_signal_mask_is_the_programs)
{
    pid_t pid;

    pid = fork();
    if (pid == 0) {
        sigset_t mask;
        int blocked = 0;

        pthread_sigmask(SIG_SETMASK, NULL, &mask);
        for (int number = 1; number < 32; number++)
            blocked += sigismember(&mask, number) == 1;
        _exit(blocked);
    }
    EXPECT_EQ(end_of(pid), 0); /* the program blocks none */
}

/* A child that can be ended by a signal sent to it. */
WORKER_TEST(ForkFromWorker, child_can_be_terminated)
{
    struct timespec long_time = {60, 0};
    pid_t pid = fork();

    if (pid == 0) {
        nanosleep(&long_time, NULL);
        _exit(1);
    }
    EXPECT_EQ(kill(pid, SIGTERM), 0);
    EXPECT_EQ(end_of(pid), 1000 + SIGTERM);
}

/* ---- the library again, in the child ---- */

static void yield_and_sleep(struct worker *self)
{
    for (int i = 0; i < 10; i++)
        EXPECT_OK(UmsThreadYield(NULL));
    Sleep(2);
    usleep(2000);
}

static int run_fleet_here(void)
{
    struct fleet *fleet = fleet_create(2, 6, FLEET_SHARED_READY);
    bool ok;

    if (!fleet)
        return 20;
    for (int i = 0; i < 6; i++)
        fleet_add(fleet, yield_and_sleep, NULL);
    ok = fleet_run(fleet);
    fleet_destroy(fleet);
    return ok && !tc_failures() ? 0 : 21;
}

static void fork_and_use_library(struct block_case *c)
{
    pid_t pid = fork();

    if (pid == 0) {
        wait_for_parent(c);
        tc_reset();
        _exit(run_fleet_here());
    }
    EXPECT_EQ(end_of(pid), 0);
}

CALL_TEST(ForkFromWorker, child_uses_the_library_again, run_with_children(fork_and_use_library))

TEST(ForkFromWorker, plain_thread_forks_after_use)
{
    struct block_case c = {.number = 0};

    EXPECT_EQ(run_fleet_here(), 0);
    make_pipe(c.fd);
    let_children_go(&c);
    fork_and_use_library(&c);
    close_all(&c);
    EXPECT_EQ(run_fleet_here(), 0);
}

/* ---- a child that outlives its parent ---- */

static void fork_and_leave(struct block_case *c)
{
    if (fork() == 0) {
        char byte;
        int code;

        alarm(20);
        /* Returns when the parent process is gone, and with it the other end. */
        close(c->fd[1]);
        if (read(c->fd[0], &byte, 1) != 0)
            _exit(1);
        usleep(50000);
        code = use_blocking_calls();
        byte = (char)code;
        _exit(write(c->fd[3], &byte, 1) == 1 ? 0 : 1);
    }
}

static int parent_that_leaves(void *arg)
{
    struct block_case *c = arg;

    run_in_worker(fork_and_leave, c);
    return 0;
}

TEST(ForkFromWorker, child_that_outlives_its_parent)
{
    struct block_case c = {.number = 0};
    struct child_result result;
    struct pollfd set = {.events = POLLIN};
    char code = 99;

    make_pipe(c.fd);     /* tells the end of the parent */
    make_pipe(c.fd + 2); /* tells the result */
    result = child_run(parent_that_leaves, &c, 10000);
    EXPECT_CHILD_OK(result);
    close(c.fd[1]);
    c.fd[1] = 0;
    set.fd = c.fd[2];
    EXPECT_EQ(poll(&set, 1, 10000), 1);
    EXPECT_EQ(read(c.fd[2], &code, 1), 1);
    EXPECT_EQ(code, 0);
    close_all(&c);
}

/* A reader of the program's output must see its end when the program ends: nothing that the
 * library leaves behind may hold the descriptor. */
static int write_and_use_library(void *arg)
{
    struct block_case *c = arg;

    close(c->fd[0]);
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
    return run_fleet_here();
}

TEST(ForkFromWorker, nothing_left_behind_holds_descriptors)
{
    struct block_case c = {.number = 0};
    struct pollfd set = {.events = POLLIN};
    int fd[2];
    char byte;

    EXPECT_EQ(pipe(fd), 0); /* inheritable */
    c.fd[0] = fd[0];
    c.fd[1] = fd[1];
    EXPECT_IN_CHILD(write_and_use_library, &c, 10000);
    close(c.fd[1]);
    c.fd[1] = 0;
    set.fd = c.fd[0];
    EXPECT_EQ(read(c.fd[0], &byte, 1), 1);
    EXPECT_EQ(poll(&set, 1, 5000), 1);
    EXPECT_EQ(set.revents & POLLHUP, POLLHUP);
    close_all(&c);
}

/* ---- a handler without SA_RESTART does not end what a file answers at once ---- */

static int storm_handled;

static void count_storm(int number)
{
    flag_add(&storm_handled, 1);
}

static int use_file_in_storm(void)
{
    struct sigaction action = {.sa_handler = count_storm};
    struct itimerval often = {{0, 100}, {0, 100}};
    char name[] = "/tmp/umsshim_child_XXXXXX";
    char block[512] = {0};
    int fd = mkstemp(name);
    long long begun = now_ms();

    if (fd < 0 || unlink(name) != 0)
        return 20;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (elapsed_ms(begun) < 400) {
        if (pwrite(fd, block, sizeof block, 0) != sizeof block)
            return 21;
        if (pread(fd, block, sizeof block, 0) != sizeof block)
            return 22;
        if (lseek(fd, 0, SEEK_SET) != 0 || write(fd, block, sizeof block) != sizeof block)
            return 23;
        if (lseek(fd, 0, SEEK_SET) != 0 || read(fd, block, sizeof block) != sizeof block)
            return 24;
    }
    return flag_get(&storm_handled) > 10 ? 0 : 25;
}

WORKER_TEST(ForkFromWorker, files_of_a_child_in_a_signal_storm)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(use_file_in_storm());
    EXPECT_EQ(end_of(pid), 0);
}
