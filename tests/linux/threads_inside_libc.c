/* SPDX-License-Identifier: MIT
 *
 * threads_inside_libc.c - threads and processes that libc makes inside one of its functions when a
 * worker calls it: they have no filter and every processor, and a child has no signal blocked.
 *
 * modes: ways
 */
#include "block_case.h"
#include "fleet.h"
#include "gtest_c.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>

static struct {
    int seccomp;
    int processors;
    sem_t done;
} seen;

static void look(union sigval unused)
{
    char line[128];
    cpu_set_t set;

    FILE *file = fopen("/proc/thread-self/status", "re");
    seen.seccomp = -1;
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "Seccomp: %d", &seen.seccomp);
    if (file)
        fclose(file);
    sched_getaffinity(0, sizeof set, &set);
    seen.processors = CPU_COUNT(&set);
    sem_post(&seen.done);
}

static struct sigevent event_by_thread(void)
{
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = look;
    return event;
}

static void check_event_thread(void)
{
    cpu_set_t set;
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 10;
    EXPECT_EQ(sem_timedwait(&seen.done, &limit), 0);
    EXPECT_EQ(seen.seccomp, 0);
    sched_getaffinity(getpid(), sizeof set, &set);
    EXPECT_EQ(seen.processors, CPU_COUNT(&set));
}

static void set_timer(struct block_case *c)
{
    struct sigevent event = event_by_thread();
    struct itimerspec soon = {{0, 0}, {0, 5000000}};
    timer_t timer;

    EXPECT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    EXPECT_EQ(timer_settime(timer, 0, &soon, NULL), 0);
    check_event_thread();
    EXPECT_EQ(timer_delete(timer), 0);
    errno = 0;
    EXPECT_EQ(timer_create(12345, &event, &timer), -1);
    EXPECT_EQ(errno, EINVAL);
}

TEST(ThreadsInsideLibc, of_a_timer)
{
    struct block_case c = {.number = 0};

    sem_init(&seen.done, 0, 0);
    run_in_worker(set_timer, &c);
}

static void read_aside(struct block_case *c)
{
    char byte = 0;
    struct aiocb request;
    const struct aiocb *list[] = {&request};

    memset(&request, 0, sizeof request);
    request.aio_fildes = c->fd[0];
    request.aio_buf = &byte;
    request.aio_nbytes = 1;
    request.aio_sigevent = event_by_thread();
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
    EXPECT_EQ(aio_read(&request), 0);
    while (aio_error(&request) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    EXPECT_EQ(aio_return(&request), 1);
    EXPECT_EQ(byte, 'x');
    check_event_thread();
}

TEST(ThreadsInsideLibc, of_asynchronous_io)
{
    struct block_case c = {.number = 0};

    sem_init(&seen.done, 0, 0);
    make_pipe(c.fd);
    run_in_worker(read_aside, &c);
    close_all(&c);
}

static void look_up(struct block_case *c)
{
    struct gaicb request = {.ar_name = "127.0.0.1"};
    struct gaicb *list[] = {&request};
    struct sigevent event = event_by_thread();

    EXPECT_EQ(getaddrinfo_a(GAI_NOWAIT, list, 1, &event), 0);
    check_event_thread();
    EXPECT_EQ(gai_error(&request), 0);
    if (request.ar_result)
        freeaddrinfo(request.ar_result);
}

TEST(ThreadsInsideLibc, of_a_name_looked_up)
{
    struct block_case c = {.number = 0};

    sem_init(&seen.done, 0, 0);
    run_in_worker(look_up, &c);
}

static void expand(struct block_case *c)
{
    wordexp_t words;

    EXPECT_EQ(wordexp("$(sleep 0.05; grep -c 'SigBlk:.0000000000000000' /proc/self/status) "
                      "$(grep Seccomp: /proc/self/status)",
                      &words, 0),
              0);
    EXPECT_EQ(words.we_wordc, 3);
    if (words.we_wordc == 3) {
        EXPECT_STREQ(words.we_wordv[0], "1");
        EXPECT_STREQ(words.we_wordv[2], "0");
    }
    wordfree(&words);
    EXPECT_EQ(wordexp("(", &words, 0), WRDE_BADCHAR);
}

BLOCK_TEST(ThreadsInsideLibc, children_of_wordexp, .block = expand)

/* The child goes on as a plain thread, with the worker's mask. */
WORKER_TEST(ThreadsInsideLibc, fork_without_handlers)
{
    int status = 0;
    sigset_t mask;

    pid_t pid = _Fork();
    if (pid == 0) {
        sigprocmask(SIG_BLOCK, NULL, &mask);
        alarm(10);
        _exit(sigismember(&mask, SIGTERM) || GetCurrentUmsThread() ? 1 : 7);
    }
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_THAT(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %x", (unsigned)status);
}
