/* SPDX-License-Identifier: MIT
 *
 * call_sites.c - system calls within libc that are redirected to the library at the instruction. An
 * unwinder gets past every instruction of the way. Threads that run in libc while it is rewritten
 * notice nothing. A child has the redirected calls, too.
 *
 * modes: default, UMSSHIM_DETECT=0, UMSSHIM_DETECT=traps UMSSHIM_FRONT=functions
 * with: libc_syscall.c
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"
#include "libc_syscall.h"

#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- Unwinding at every instruction ---------------------------------------------------------- */

static volatile long steps, lost, inside;
static volatile bool stepping;
static void step_through(int fd);

static void on_step(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    void *frames[64];
    int count, found = 0;

    if (!stepping) {
        registers[REG_EFL] &= ~0x100;
        return;
    }
    count = backtrace(frames, 64);
    for (int i = 0; i < count; i++)
        found |= (uintptr_t)frames[i] - (uintptr_t)make_call < 1024;
    steps++;
    inside += (uintptr_t)registers[REG_RIP] - (uintptr_t)libcs_syscall < 64;
    if (!found && (uintptr_t)registers[REG_RIP] - (uintptr_t)step_through > 1024)
        lost++;
}

static __attribute__((noinline)) void step_through(int fd)
{
    struct machine machine;
    char byte;

    machine_fill(&machine, 1);
    long call[7] = {SYS_read, fd, (long)&byte, 1, 4, 5, 6};
    memcpy(machine.call, call, sizeof call);
    steps = lost = inside = 0;
    stepping = true;
    __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "memory", "cc");
    make_call(&machine);
    stepping = false;
    __asm__ volatile("nop");
    EXPECT_EQ(machine.result, 1);
    EXPECT_EQ(lost, 0);
    machine_check(&machine);
}

static void expect_steps(void)
{
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    void *one;

    backtrace(&one, 1); /* loads what it needs */
    ASSERT_EQ(sigaction(SIGTRAP, &action, NULL), 0);
}

static void step_in_worker(struct block_case *c)
{
    step_through(c->fd[0]);
    EXPECT_GT(inside, 5);
    if (!calls_are_trapped()) /* a handler is not stepped through */
        EXPECT_GT(steps, 300);
}

TEST(CallSites, unwind_in_a_thread)
{
    int fd[2];

    rewrite();
    make_pipe(fd);
    EXPECT_EQ(write(fd[1], "x", 1), 1);
    expect_steps();
    step_through(fd[0]);
    EXPECT_NE(inside > 5, 0);
}

TEST(CallSites, unwind_in_a_worker)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    rewrite();
    make_pipe(c.fd);
    EXPECT_EQ(write(c.fd[1], "x", 1), 1);
    expect_steps();
    run_in_worker(step_in_worker, &c);
    close_all(&c);
}

/* ---- Rewritten while others run there -------------------------------------------------------- */

enum { RUNNERS = 3 };
static volatile bool run_on;
static sem_t turn;

static void *run_in_libc(void *arg)
{
    volatile long *rounds = arg;
    int fd[2];
    char byte = 0;
    struct timespec now = {0, 1};

    make_pipe(fd);
    while (run_on) {
        if (syscall(SYS_write, fd[1], "x", 1) != 1 || syscall(SYS_read, fd[0], &byte, 1) != 1 ||
            byte != 'x')
            abort();
        if (write(fd[1], "y", 1) != 1 || read(fd[0], &byte, 1) != 1 || byte != 'y')
            abort();
        if (sem_post(&turn) || sem_wait(&turn) || nanosleep(&now, NULL))
            abort();
        ++*rounds;
    }
    close(fd[0]);
    close(fd[1]);
    return NULL;
}

/* All of them have gone round since. */
static void wait_for_rounds(const volatile long *rounds)
{
    struct timespec moment = {0, 200000};
    long long begun = now_ms();

    for (int i = 0; i < RUNNERS; i++) {
        long before = rounds[i];

        while (rounds[i] < before + 2 && now_ms() - begun < 10000)
            nanosleep(&moment, NULL);
        EXPECT_GE(rounds[i], before + 2);
    }
}

static int rewrite_under_load(void *arg)
{
    pthread_t threads[RUNNERS];
    volatile long rounds[RUNNERS] = {0};

    run_on = true;
    sem_init(&turn, 0, 0);
    for (int i = 0; i < RUNNERS; i++)
        if (pthread_create(&threads[i], NULL, run_in_libc, (void *)&rounds[i]))
            return 1;
    wait_for_rounds(rounds);
    rewrite();
    wait_for_rounds(rounds);
    run_on = false;
    for (int i = 0; i < RUNNERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

TEST(CallSites, are_rewritten_while_threads_run_there)
{
    for (int i = 0; i < 8; i++)
        EXPECT_IN_CHILD(rewrite_under_load, NULL, 20000);
}

/* ---- Processes ------------------------------------------------------------------------------- */

static void fork_here(struct block_case *c)
{
    struct machine machine;
    char byte;
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        read_one(&machine, c->fd[0], &byte, 3);
        _exit(tc_failures() ? 1 : 0);
    }
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(CallSites, are_a_childs_as_well)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    rewrite();
    make_pipe(c.fd);
    run_in_worker(fork_here, &c);
    fork_here(&c);
    close_all(&c);
}

enum { CANNOT_TRACE = 77 };

/* ---- Calls that are not led anywhere --------------------------------------------------------- */

static void odd_calls(struct block_case *c)
{
    int status = -1;

    EXPECT_NE(syscall(SYS_getppid) == getppid(), 0);
    EXPECT_NE(syscall(-1L) == -1 && errno == ENOSYS, 0);
    EXPECT_NE(syscall(511L) == -1 && errno == ENOSYS, 0);
    EXPECT_NE(syscall(1L << 40 | SYS_getpid) == getpid(), 0); /* the kernel reads 32 bits */
    EXPECT_NE(syscall(SYS_read, -1, NULL, 0) == -1 && errno == EBADF, 0);
    EXPECT_NE(syscall(SYS_read, 0, (void *)1, -1L) == -1, 0);
    long child = syscall(SYS_fork);
    if (child == 0)
        syscall(SYS_exit_group, 7);
    EXPECT_EQ(waitpid((pid_t)child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(CallSites, of_other_numbers_are_the_kernels)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    rewrite();
    run_in_worker(odd_calls, &c);
}

static void nothing(struct block_case *c)
{
}

static int led_at_once(void)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    run_in_worker(nothing, &c);
    expect_rewritten();
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

/* What holds a thread that it traces lets it go on here whatever it stops for. */
static int traced(void *arg)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
            _exit(CANNOT_TRACE);
        _exit(led_at_once());
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status))
        ptrace(PTRACE_CONT, child, NULL, (void *)(long)WSTOPSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : CHILD_CHECKS_FAILED;
}

TEST(CallSites, are_rewritten_at_once_under_a_debugger)
{
    struct child_result result = child_run(traced, NULL, 10000);

    if (result.exited && result.code == CANNOT_TRACE)
        SKIP("the system refuses ptrace");
    EXPECT_CHILD_OK(result);
}

static int left_alone(void *arg)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    setenv("UMSSHIM_FRONT", arg, 1);
    run_in_worker(odd_calls, &c);
    EXPECT_EQ(syscall_rewritten(), 0);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

TEST(CallSites, are_left_alone_when_told_so)
{
    char functions[] = "functions", none[] = "0";
    char *values[] = {functions, none};

    for (int i = 0; i < 2; i++)
        EXPECT_IN_CHILD(left_alone, values[i], 10000);
}
