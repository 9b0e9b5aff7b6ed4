/* SPDX-License-Identifier: MIT
 *
 * cloned_processes.c - processes that a worker's own clone makes, with more than fork asks for, are plain ones.
 *
 * modes: ways
 */
#include "bare_call.h"
#include "block_case.h"
#include "gtest_c.h"
#include "kinds.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 65536, GOOD = 20 };

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

static void *nothing(void *arg)
{
    return arg;
}

static bool blocks_a_signal(void)
{
    unsigned long mask = 0;

    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, 8);
    return mask != 0;
}

/* A worker's call that its home would make, one that would go to the engine's threads, and those that ask a broker. */
static int use_calls(void)
{
    char name[16] = "";
    int fd[2], status = 0;
    pthread_t thread;

    alarm(20); /* no child outlives a failed test for long */
    if (blocks_a_signal())
        return 10;
    if (prctl(PR_SET_NAME, "cloned") != 0 || prctl(PR_GET_NAME, name) != 0 ||
        strcmp(name, "cloned") != 0)
        return 11;
    struct pollfd set = {.events = POLLIN};
    if (pipe(fd) != 0)
        return 12;
    set.fd = fd[0];
    if (poll(&set, 1, 2) != 0)
        return 13;
    close(fd[0]);
    close(fd[1]);
    pid_t pid = fork();
    if (pid == 0)
        _exit(3);
    if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3)
        return 14;
    if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 15;
    return GOOD;
}

static char name_space[2][64];

static void look_at_name_space(int which)
{
    ssize_t n = readlink("/proc/self/ns/uts", name_space[which], sizeof name_space[which] - 1);

    name_space[which][n > 0 ? n : 0] = 0;
}

static int in_child(long flags, pid_t told)
{
    int result = use_calls();

    look_at_name_space(1);
    if (flags & CLONE_NEWUTS && strcmp(name_space[0], name_space[1]) == 0)
        return 16;
    if (flags & CLONE_CHILD_SETTID && told != (pid_t)syscall(SYS_gettid))
        return 17;
    return result;
}

static void make_process(long flags, bool bare)
{
    volatile pid_t told = 0;
    volatile int parents = 0;
    int status = -1;

    pid_t pid = (pid_t)(bare ? bare_call_5(SYS_clone, flags, 0, (long)&parents, (long)&told, 0)
                             : syscall(SYS_clone, flags, 0L, &parents, &told, 0L));
    if (pid == 0)
        _exit(in_child(flags, told));
    if (flags & CLONE_NEWUTS && (pid == -EPERM || (pid < 0 && errno == EPERM)))
        return; /* an ordinary user's may not */
    EXPECT_GT(pid, 0);
    if (flags & CLONE_PARENT_SETTID)
        EXPECT_EQ(parents, pid);
    if (flags & CLONE_PIDFD) {
        siginfo_t info = {0};
        EXPECT_EQ(waitid((idtype_t)P_PIDFD, (id_t)parents, &info, WEXITED | WNOWAIT), 0);
        EXPECT_EQ(info.si_pid, pid);
        close(parents);
    }
    EXPECT_EQ(waitpid(pid, &status, (flags & 0xff) == SIGCHLD ? 0 : __WCLONE), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != GOOD)
        FAIL("clone(%#lx)%s: the child's status is %#x", (unsigned long)flags, bare ? ", bare" : "",
             status);
}

static const long kinds[] = {0,
                             SIGUSR2,
                             SIGCHLD | CLONE_NEWUTS,
                             SIGCHLD | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID,
                             SIGCHLD | CLONE_PIDFD,
                             SIGCHLD | CLONE_FILES,
                             SIGCHLD | CLONE_FS | CLONE_SYSVSEM | CLONE_UNTRACED};

static void make_processes(void *bare)
{
    signal(SIGUSR2, SIG_IGN);
    look_at_name_space(0);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        make_process(kinds[i], bare != NULL);
}

TEST(ClonedProcesses, by_syscall)
{
    in_each_kind(make_processes, NULL);
}

/* By an instruction of the program's own, which only detection sees. */
TEST(ClonedProcesses, by_a_bare_call)
{
    static int bare;

    in_each_kind(make_processes, &bare);
}

static int begin(void *arg)
{
    return blocks_a_signal() ? 1 : *(int *)arg;
}

WORKER_TEST(ClonedProcesses, on_a_stack_have_the_workers_mask)
{
    static char stack[STACK] __attribute__((aligned(64)));
    int end = GOOD, status = -1;

    pid_t pid = clone(begin, stack + STACK, SIGCHLD, &end);
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(WEXITSTATUS(status), GOOD);
}
