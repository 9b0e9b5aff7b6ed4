/* SPDX-License-Identifier: MIT
 *
 * led_sites.c - system calls that are redirected to the library at the instruction (module_sites.c)
 * keep all that a system call keeps.
 *
 * modes: default, UMSSHIM_DETECT=traps
 * with: own_sites.c
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "own_sites.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- Calls that wait ------------------------------------------------------------------------- */

static void read_a_byte(struct block_case *c)
{
    char byte = 0;

    EXPECT_EQ(read_here(c->fd[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
}

static void write_a_byte(struct block_case *c)
{
    EXPECT_EQ(write_here(c->fd[1], "x", 1), 1);
}

TEST(LedSites, leave_the_scheduler_when_they_wait)
{
    in_worker(use_both);
    for (int i = 0; i < 10; i++) {
        struct block_case c = {.block = read_a_byte, .complete = write_a_byte};

        make_pipe(c.fd);
        run_block_case(&c);
        close_all(&c);
    }
}

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
    handled++;
}

static void read_interrupted(struct block_case *c)
{
    char byte = 0;

    EXPECT_EQ(read_here(c->fd[0], &byte, 1), -EINTR);
    EXPECT_EQ(handled, 1);
}

static void send_a_signal(struct block_case *c)
{
    EXPECT_EQ(pthread_kill(c->blocked_pthread, SIGUSR1), 0);
}

TEST(LedSites, are_interrupted_by_signals)
{
    struct block_case c = {.block = read_interrupted, .complete = send_a_signal};
    struct sigaction action = {.sa_handler = on_signal};

    in_worker(use_both);
    make_pipe(c.fd);
    ASSERT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    run_block_case(&c);
    close_all(&c);
}

/* ---- Unwinding ------------------------------------------------------------------------------- */

static volatile int cleaned;

static void clean(void *unused)
{
    cleaned++;
}

static void read_cancelled(struct block_case *c)
{
    char byte;
    int old;

    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    pthread_cleanup_push(clean, NULL);
    c->entered = 1;
    read_here(c->fd[0], &byte, 1);
    FAIL("the call has returned");
    pthread_cleanup_pop(0);
}

static void read_until_cancelled(struct worker *self)
{
    read_cancelled(self->arg);
}

static void cancel(struct worker *self)
{
    struct block_case *c = self->arg;

    ASSERT_NE(yield_until(&c->entered), 0);
    EXPECT_EQ(pthread_cancel(c->blocked_pthread), 0);
}

static void note_thread(struct worker *self)
{
    struct block_case *c = self->arg;

    c->blocked_pthread = pthread_self();
    read_until_cancelled(self);
}

TEST(LedSites, pass_a_cancellation)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}};
    struct fleet *fleet;

    in_worker(use_both);
    make_pipe(c.fd);
    fleet = fleet_create(1, 2, 0);
    ASSERT_NE(fleet_add(fleet, note_thread, &c) && fleet_add(fleet, cancel, &c), 0);
    EXPECT_NE(fleet_run(fleet), 0);
    EXPECT_EQ(cleaned, 1);
    close_all(&c);
}

static volatile long steps, lost, elsewhere;
static volatile bool stepping;
static void step_through(void);

static void on_step(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uintptr_t at = (uintptr_t)registers[REG_RIP];
    void *frames[64];
    int count, found = 0;

    if (!stepping) {
        registers[REG_EFL] &= ~0x100;
        return;
    }
    count = backtrace(frames, 64);
    for (int i = 0; i < count; i++)
        found |= (uintptr_t)frames[i] - (uintptr_t)step_through < 1024;
    steps++;
    lost += !found;
    elsewhere += at - (uintptr_t)write_here > 64 && at - (uintptr_t)step_through > 1024;
}

static __attribute__((noinline)) void step_through(void)
{
    steps = lost = elsewhere = 0;
    stepping = true;
    __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "memory", "cc");
    long result = write_here(null_device, "x", 1);
    stepping = false;
    __asm__ volatile("nop");
    EXPECT_EQ(result, 1);
    EXPECT_EQ(lost, 0);
    EXPECT_GT(elsewhere, 2); /* the slot's instructions */
}

static void step_in_worker(struct block_case *c)
{
    EXPECT_EQ(use(write_here, 1, write_call), 1);
    step_through();
    EXPECT_GT(steps, 100);
}

TEST(LedSites, are_unwound_at_every_instruction)
{
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    void *one;

    backtrace(&one, 1); /* loads what it needs */
    ASSERT_EQ(sigaction(SIGTRAP, &action, NULL), 0);
    in_worker(step_in_worker);
    null_device = open("/dev/null", O_RDWR | O_CLOEXEC);
    step_through();
    close(null_device);
}

/* ---- Processes ------------------------------------------------------------------------------- */

static void fork_here(struct block_case *c)
{
    int status = -1;
    pid_t child;

    use_both(c);
    child = fork();
    if (child == 0) {
        for (int i = 0; i < 100; i++)
            if (write_here(null_device, "x", 1) != 1 || read_here(null_device, "x", 1) != 0)
                _exit(1);
        _exit(0);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(LedSites, are_a_childs_as_well)
{
    in_worker(fork_here);
}

static int use_in_child(void *unused)
{
    in_worker(of_all_shapes);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

/* A child of a plain thread may use UMS: what its parent has rewritten stands. */
TEST(LedSites, go_on_in_a_childs_own_workers)
{
    in_worker(use_both);
    EXPECT_IN_CHILD(use_in_child, NULL, 20000);
}
