/* SPDX-License-Identifier: MIT
 *
 * traps_and_children.c - if calls are trapped, no child, thread or program that a worker makes has
 * the filter.
 *
 * Runs with UMSSHIM_DETECT=traps.
 *
 * modes: UMSSHIM_DETECT=traps, UMSSHIM_DETECT=notify
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"
#include "kinds.h"
#include "trapped_read.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 65536 };

static int filters_of(const char *path)
{
    char text[8192];
    int fd = open(path, O_RDONLY | O_CLOEXEC), filters = -1;
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

    text[n > 0 ? n : 0] = 0;
    const char *line = strstr(text, "\nSeccomp_filters:");
    if (line)
        sscanf(line, "\nSeccomp_filters: %d", &filters);
    if (fd >= 0)
        close(fd);
    return filters;
}

static int filters_before;

static int ends_well(pid_t child)
{
    int status = -1;

    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status == 0;
}

/* The child reads, and becomes a program that reads. A filter that was left over would trap both
 * reads. */
static void child_runs_true(void)
{
    char *argv[] = {(char *)"sh", (char *)"-c", (char *)"cat /dev/null && exec true", NULL};
    char byte;

    if (filters_of("/proc/thread-self/status") != filters_before)
        _exit(2);
    if (read(open("/dev/null", O_RDONLY), &byte, 1) != 0)
        _exit(3);
    execv("/bin/sh", argv);
    _exit(4);
}

static void make_children(void *unused)
{
    char *argv[] = {(char *)"cat", (char *)"/dev/null", NULL};
    pid_t child;

    if ((child = fork()) == 0)
        child_runs_true();
    EXPECT_NE(ends_well(child), 0);
    if ((child = vfork()) == 0) {
        execv("/bin/cat", argv);
        _exit(5);
    }
    EXPECT_NE(ends_well(child), 0);
    if ((child = (pid_t)bare_call(SYS_fork, 0, NULL, 0)) == 0)
        child_runs_true();
    EXPECT_NE(ends_well(child), 0);
    if ((child = (pid_t)bare_call(SYS_clone, SIGCHLD, NULL, 0)) == 0)
        child_runs_true();
    EXPECT_NE(ends_well(child), 0);
    EXPECT_EQ(posix_spawn(&child, "/bin/cat", NULL, NULL, argv, environ), 0);
    EXPECT_NE(ends_well(child), 0);
    EXPECT_EQ(system("cat /dev/null"), 0);
    EXPECT_EQ(bare_call(SYS_execve, 0, NULL, 0), -EFAULT);
    EXPECT_EQ(bare_call_5(SYS_execve, (long)"/nonexistent", (long)argv, 0, 0, 0), -ENOENT);
}

static int children_of_each(void *unused)
{
    filters_before = filters_of("/proc/thread-self/status");
    in_each_kind(make_children, NULL);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

CALL_TEST(TrapsAndChildren, children_have_no_filter,
          EXPECT_IN_CHILD(children_of_each, NULL, LIMIT_MS))

static int begin_clone(void *arg)
{
    *(volatile int *)arg = 1;
    return filters_of("/proc/self/status") == filters_before ? 0 : 2;
}

/* clone() with a stack of its own: a copy of the process, and one that shares its memory, as vfork. */
static void clone_with_a_stack(struct block_case *c)
{
    static char stack[STACK] __attribute__((aligned(64)));
    volatile int *seen = c->data;
    pid_t child;

    child = clone(begin_clone, stack + STACK, SIGCHLD, c->data);
    EXPECT_NE(child > 0 && ends_well(child), 0);
    EXPECT_EQ(*seen, 0);
    child = clone(begin_clone, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, c->data);
    EXPECT_NE(child > 0 && ends_well(child), 0);
    EXPECT_EQ(*seen, 1);
}

/* A thread that has neither a control block nor the filter: it reads, says so, and ends. */
static struct {
    int fd;
    long read;
    volatile int ended;
} raw;
void raw_thread(void);
__asm__(".text\n"
        ".type raw_thread, @function\n"
        "raw_thread:\n"
        "    mov $0, %eax\n mov 0(%rbx), %edi\n lea 8(%rbx), %rsi\n mov $1, %edx\n syscall\n"
        "    mov %rax, 8(%rbx)\n"
        "    movl $1, 16(%rbx)\n"
        "    lea 16(%rbx), %rdi\n mov $1, %esi\n mov $1, %edx\n mov $202, %eax\n syscall\n"
        "    mov $60, %eax\n xor %edi, %edi\n syscall\n"
        "    hlt\n"
        ".size raw_thread, . - raw_thread\n");

static void clone_a_thread(struct block_case *c)
{
    static char stack[STACK] __attribute__((aligned(64)));
    long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    register long fourth __asm__("r10") = 0;
    long tid;

    raw.fd = c->fd[0];
    __asm__ volatile("push %%rbx\n"
                     "lea %3, %%rbx\n"
                     "syscall\n"
                     "test %%rax, %%rax\n"
                     "jnz 1f\n"
                     "jmp raw_thread\n"
                     "1: pop %%rbx\n"
                     : "=a"(tid)
                     : "0"((long)SYS_clone), "D"(flags), "m"(raw), "S"(stack + STACK), "d"(0L),
                       "r"(fourth)
                     : "rcx", "r8", "r11", "memory");
    EXPECT_GT(tid, 0);
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
    for (int i = 0; i < 5000 && !raw.ended; i++)
        usleep(1000);
    EXPECT_EQ(raw.ended, 1);
    EXPECT_EQ(raw.read, 1);
}

static int clones(void *unused)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    c.data = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    filters_before = filters_of("/proc/thread-self/status");
    run_in_worker(clone_with_a_stack, &c);
    make_pipe(c.fd);
    run_in_worker(clone_a_thread, &c);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

CALL_TEST(TrapsAndChildren, bare_clones_have_no_filter, EXPECT_IN_CHILD(clones, NULL, LIMIT_MS))

/* The program that the process becomes has the worker's mask, and nothing of ours. */
static void become(struct block_case *c)
{
    char *argv[] = {(char *)"grep", (char *)"-q", c->data, (char *)"/proc/self/status", NULL};
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    execvp("grep", argv);
    _exit(7);
}

static int exec_in_worker(void *wanted)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}, .data = wanted};

    run_in_worker(become, &c);
    return 6;
}

TEST(TrapsAndChildren, exec_leaves_the_filter_behind)
{
    char mask[] = "SigBlk:.*0000000000000200$", filters[64];

    EXPECT_IN_CHILD(exec_in_worker, mask, LIMIT_MS);
    snprintf(filters, sizeof filters, "Seccomp_filters:[^0-9]*%d$",
             filters_of("/proc/thread-self/status"));
    EXPECT_IN_CHILD(exec_in_worker, filters, LIMIT_MS);
}

/* A child of a worker has UMS anew, by traps of its own. */
WORKER_TEST(TrapsAndChildren, a_workers_child_has_traps_again)
{
    pid_t child = fork();
    if (child == 0) {
        with_a_pipe(read_bare);
        _exit(tc_failures() ? 1 : 0);
    }
    EXPECT_NE(ends_well(child), 0);
}
