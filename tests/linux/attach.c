/* SPDX-License-Identifier: MIT
 *
 * attach.c - a debugger or a freezer comes while workers are blocked. It can stop every kernel
 * thread at once, because none waits in the kernel for a worker, and the process goes on afterwards
 * as before.
 *
 * Each test runs that process as a child, whose workers sleep, read an empty pipe, and wait for a
 * mutex. The test ends the child by the pipe.
 *
 * modes: default
 * options: SERIAL
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 100, MOST_THREADS = 512, LIMIT_MS = 5000 };

static struct {
    int go_on[2], blocked[2];
    pthread_mutex_t mutex;
} shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void block(struct worker *self)
{
    struct timespec moment = {0, 200000000};
    struct pollfd end = {shared.go_on[0], POLLIN, 0};
    char byte;

    if (self->index % 3 == 0) {
        while (poll(&end, 1, 0) == 0)
            EXPECT_EQ(nanosleep(&moment, NULL), 0);
    } else if (self->index % 3 == 1) {
        EXPECT_EQ(syscall(SYS_read, shared.go_on[0], &byte, 1), 0); /* its end */
    } else {
        pthread_mutex_lock(&shared.mutex);
        pthread_mutex_unlock(&shared.mutex);
    }
}

/* The first worker locks the mutex, so that others wait for it. */
static void take(struct worker *self)
{
    char byte;

    pthread_mutex_lock(&shared.mutex);
    EXPECT_EQ(write(shared.blocked[1], "x", 1), 1);
    EXPECT_EQ(read(shared.go_on[0], &byte, 1), 0);
    pthread_mutex_unlock(&shared.mutex);
}

static int many_blocked(void *unused)
{
    struct fleet *fleet = fleet_create(1, WORKERS + 1, 0);

    /* Lets gdb attach, which is not this process's parent. Kernels that let anybody attach say
     * EINVAL. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    close(shared.go_on[1]);
    for (int i = 0; i <= WORKERS; i++)
        if (!fleet_add(fleet, i ? block : take, NULL))
            return 1;
    return fleet_run(fleet) && !tc_failures() ? 0 : CHILD_CHECKS_FAILED;
}

static struct child start(void)
{
    struct timespec moment = {0, 50000000};
    char byte;

    make_pipe(shared.go_on);
    make_pipe(shared.blocked);
    struct child child = child_start(many_blocked, NULL);
    close(shared.go_on[0]);
    EXPECT_EQ(read(shared.blocked[0], &byte, 1), 1);
    nanosleep(&moment, NULL); /* until the other workers have blocked, too */
    return child;
}

static void finish(struct child child)
{
    close(shared.go_on[1]);
    struct child_result result = child_wait(child, 20000);
    EXPECT_CHILD_OK(result);
}

/* Lists the process's threads. The test leaves alone a thread that comes while it attaches to
 * others. */
static int threads_of(int pid, pid_t *threads)
{
    char path[64];
    int count = 0;

    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    for (struct dirent *entry; tasks && (entry = readdir(tasks)) && count < MOST_THREADS;)
        if (entry->d_name[0] != '.')
            threads[count++] = atoi(entry->d_name);
    if (tasks)
        closedir(tasks);
    return count;
}

/* True: the thread has stopped. Or it has ended, as it was about to when it was attached to: then
 * it holds nobody up either. */
static bool stops(pid_t *thread, long long until)
{
    struct timespec moment = {0, 100000};
    int status;

    while (now_ms() < until) {
        if (waitpid(*thread, &status, __WALL | WNOHANG) == *thread) {
            if (!WIFSTOPPED(status))
                *thread = 0;
            return true;
        }
        nanosleep(&moment, NULL);
    }
    return false;
}

TEST(Attach, stops_every_thread)
{
    struct child child = start();
    pid_t threads[MOST_THREADS];
    int count = threads_of(child.pid, threads), refused = 0;
    long long until = now_ms() + LIMIT_MS;

    EXPECT_GT(count, WORKERS);
    for (int i = 0; i < count; i++)
        if (ptrace(PTRACE_ATTACH, threads[i], NULL, NULL)) {
            threads[i] = 0; /* it has ended */
            refused++;
        }
    for (int i = 0; i < count; i++) {
        if (!threads[i])
            continue;
        if (!stops(&threads[i], until)) {
            FAIL("thread %d of %d cannot be stopped within %d ms", i, count, LIMIT_MS);
            kill(child.pid, SIGKILL);
            break;
        }
    }
    for (int i = 0; i < count; i++)
        if (threads[i])
            ptrace(PTRACE_DETACH, threads[i], NULL, NULL);
    EXPECT_LT(refused, 8);
    finish(child);
}

TEST(Attach, stop_and_continue)
{
    struct child child = start();
    int status = 0;

    ASSERT_EQ(kill(child.pid, SIGSTOP), 0);
    long long until = now_ms() + LIMIT_MS;
    struct timespec moment = {0, 100000};
    while (now_ms() < until && waitpid(child.pid, &status, WUNTRACED | WNOHANG) == 0)
        nanosleep(&moment, NULL);
    EXPECT_NE(WIFSTOPPED(status), 0);
    EXPECT_EQ(kill(child.pid, SIGCONT), 0);
    finish(child);
}

TEST(Attach, gdb_in_batch_mode)
{
    struct child child = start();
    char command[256], line[256];
    int threads = 0, status;

    if (system("gdb --version >/dev/null 2>&1") != 0) {
        finish(child);
        SKIP("gdb is not installed");
    }
    snprintf(
        command, sizeof command,
        "timeout -s KILL 20 gdb -nx -batch -iex 'set auto-solib-add off' -p %d -ex 'info threads' "
        "-ex detach 2>&1",
        child.pid);
    FILE *gdb = popen(command, "r");
    ASSERT_NE((intptr_t)gdb, 0);
    while (fgets(line, sizeof line, gdb))
        threads += strstr(line, "Thread 0x") != NULL && strstr(line, "LWP") != NULL;
    status = pclose(gdb);
    EXPECT_EQ(status, 0);
    EXPECT_GT(threads, WORKERS);
    finish(child);
}
