/* SPDX-License-Identifier: MIT
 *
 * lent_calls.c - a worker that sleeps in a system call which the filter does not stop, and whose sleep a signal may end,
 * gives its processor back if UMSSHIM_FAULTS=1 asks for that (platform/linux/traps/lent_call.h).
 * The call is neither cut short nor made twice; signals to the worker, its suspension and its end
 * come as in a plain thread.
 *
 * The calls are ioctl on a seccomp listener, which waits for a child's call; close of a lingering
 * socket; and io_uring_enter. With UMSSHIM_FRONT=0 no call site is rewritten, so such a call keeps
 * its worker's scheduler.
 *
 * modes: UMSSHIM_FAULTS=1, UMSSHIM_FAULTS=1 UMSSHIM_RING=0
 * with: asking_child.c, seen_faults.c, ../support/passed_descriptor.c, ../support/short_ring.c
 * options: SERIAL
 */
#include "asking_child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "seen_faults.h"
#include "short_ring.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LIMIT_MS = 8000, ROUNDS = 12, LINGER_S = 1 };

/* ---- Two workers: one is in a call, and the other sees it ------------------------------------------------------ */

static struct worker *caller;
static int in_call, over, calls;

static void enter_call(void)
{
    atomic_store(&fault_since, now_us());
    flag_set(&in_call, 1);
}

static void leave_call(void)
{
    flag_set(&in_call, 0);
    atomic_store(&fault_since, 0);
}

/* If the scheduler is not taken from the caller nobody else runs, and the call would last for ever. */
static void *rescue(void *unused)
{
    if (!wait_until(&over, LIMIT_MS)) {
        asking_child_asks();
        flag_set(&over, 1);
        wait_until(&over, LIMIT_MS);
    }
    return NULL;
}

static struct fleet_totals run_pair(worker_body call, worker_body see)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    struct fleet_totals totals;

    in_call = over = calls = 0;
    atomic_store(&faults_over, false);
    atomic_store(&fault_since, 0);
    atomic_store(&faults_seen, 0);
    caller = fleet_add(fleet, call, NULL);
    fleet_add(fleet, see, NULL);
    EXPECT_OK(fleet_run(fleet));
    totals = fleet_counts(fleet);
    EXPECT_EQ(totals.traps, 0);
    fleet_destroy(fleet);
    return totals;
}

/* Runs the pair. A thread watches it, and ends the wait if nobody else does. */
static void run_with_asker(worker_body call, worker_body see, long least)
{
    pthread_t rescuer;

    ASSERT_OK(asking_child_start());
    ASSERT_EQ(pthread_create(&rescuer, NULL, rescue, NULL), 0);
    EXPECT_GE(run_pair(call, see).blocked, least);
    EXPECT_THAT(flag_get(&over) == 0, "the other worker did not run during the call");
    flag_set(&over, 1);
    EXPECT_EQ(pthread_join(rescuer, NULL), 0);
    asking_child_end();
}

static bool yield_in_call(void)
{
    while (!flag_get(&in_call) && flag_get(&calls) < ROUNDS)
        UmsThreadYield(NULL);
    return flag_get(&in_call);
}

/* ---- ioctl ---------------------------------------------------------------------------------------------------------- */

static void answer_all(struct worker *self)
{
    for (int i = 0; i < ROUNDS; i++) {
        enter_call();
        EXPECT_EQ(asking_child_answer(), 0);
        leave_call();
        flag_add(&calls, 1);
    }
}

static void let_ask_in_call(struct worker *self)
{
    for (int i = 0; i < ROUNDS && yield_in_call(); i++) {
        asking_child_asks();
        while (flag_get(&calls) == i)
            UmsThreadYield(NULL);
    }
}

TEST(LentCalls, ioctl_that_waits)
{
    run_with_asker(answer_all, let_ask_in_call, ROUNDS);
}

static int handled, seen_error;

static void on_user_signal(int number)
{
    EXPECT_EQ(number, SIGUSR1);
    flag_add(&handled, 1);
}

static void handle_with(int flags)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_user_signal;
    action.sa_flags = flags;
    handled = seen_error = 0;
    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
}

static pthread_t caller_thread;

static void answer_once(struct worker *self)
{
    caller_thread = pthread_self();
    enter_call();
    seen_error = asking_child_answer();
    leave_call();
    flag_set(&calls, ROUNDS);
}

static void interrupt(struct worker *self)
{
    if (!yield_in_call())
        return;
    EXPECT_EQ(pthread_kill(caller_thread, SIGUSR1), 0);
    EXPECT_OK(yield_until(&handled));
    if (!seen_error)
        asking_child_asks();
    EXPECT_OK(yield_until(&calls));
}

TEST(LentCalls, ioctl_that_a_handler_interrupts)
{
    handle_with(0);
    run_with_asker(answer_once, interrupt, 1);
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(seen_error, EINTR);
}

TEST(LentCalls, ioctl_that_goes_on_after_a_handler)
{
    handle_with(SA_RESTART);
    run_with_asker(answer_once, interrupt, 1);
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(seen_error, 0);
}

static void suspend(struct worker *self)
{
    if (!yield_in_call())
        return;
    EXPECT_EQ(SuspendThread(caller->thread), 0u);
    asking_child_asks();
    for (long began = now_us(); now_us() - began < 50000;)
        UmsThreadYield(NULL);
    EXPECT_EQ(flag_get(&calls), 0);
    EXPECT_EQ(ResumeThread(caller->thread), 1u);
    EXPECT_OK(yield_until(&calls));
}

TEST(LentCalls, ioctl_of_a_suspended_worker)
{
    seen_error = -1;
    run_with_asker(answer_once, suspend, 1);
    EXPECT_EQ(seen_error, 0);
}

static void terminate(struct worker *self)
{
    DWORD code = 0;

    if (!yield_in_call())
        return;
    EXPECT_OK(TerminateThread(caller->thread, 7));
    EXPECT_EQ(WaitForSingleObject(caller->thread, LIMIT_MS), (DWORD)WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(caller->thread, &code));
    EXPECT_EQ(code, 7u);
    EXPECT_EQ(flag_get(&calls), 0);
}

TEST(LentCalls, ioctl_of_a_worker_that_is_ended)
{
    run_with_asker(answer_once, terminate, 1);
}

/* ---- close ---------------------------------------------------------------------------------------------------------- */

static int lingering, peer;

/* Makes a socket that lingers when it is closed: its peer does not read, so something is left to be
 * sent. */
static void make_lingering(void)
{
    struct linger linger = {1, LINGER_S};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    static char much[65536];

    lingering = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(bind(listening, (struct sockaddr *)&address, sizeof address), 0);
    ASSERT_EQ(listen(listening, 1), 0);
    ASSERT_EQ(getsockname(listening, (struct sockaddr *)&address, &length), 0);
    ASSERT_EQ(connect(lingering, (struct sockaddr *)&address, sizeof address), 0);
    peer = accept(listening, NULL, NULL);
    ASSERT_GE(peer, 0);
    close(listening);
    while (send(lingering, much, sizeof much, MSG_DONTWAIT) > 0)
        continue;
    ASSERT_EQ(setsockopt(lingering, SOL_SOCKET, SO_LINGER, &linger, sizeof linger), 0);
}

static void close_lingering(struct worker *self)
{
    long began = now_us();

    atomic_store(&fault_since, began);
    EXPECT_EQ(close(lingering), 0);
    atomic_store(&fault_since, 0);
    EXPECT_GE(now_us() - began, LINGER_S * 1000000l - 20000);
    atomic_store(&faults_over, true);
}

TEST(LentCalls, close_of_a_lingering_socket)
{
    make_lingering();
    EXPECT_GE(run_pair(close_lingering, see_faults).blocked, 1);
    EXPECT_GE(atomic_load(&faults_seen), 1);
    printf("another worker ran %ld us after the beginning of a call\n",
           atomic_load(&soonest_seen_us));
    close(peer);
}

/* ---- io_uring_enter ------------------------------------------------------------------------------------------------ */

static int ring_pipe[2];

static bool bare;

static void read_by_ring(struct worker *self)
{
    struct short_ring ring;
    char byte = 0;

    EXPECT_OK(short_ring_open(&ring));
    ring.bare = bare;
    for (int i = 0; i < ROUNDS; i++) {
        enter_call();
        EXPECT_EQ(short_ring_read(&ring, ring_pipe[0], &byte, 1), 1);
        leave_call();
        EXPECT_EQ(byte, 'a' + i);
        flag_add(&calls, 1);
    }
    short_ring_close(&ring);
}

static void write_in_call(struct worker *self)
{
    for (int i = 0; i < ROUNDS && yield_in_call(); i++) {
        char byte = (char)('a' + i);

        EXPECT_EQ(write(ring_pipe[1], &byte, 1), 1);
        while (flag_get(&calls) == i)
            UmsThreadYield(NULL);
    }
}

static void run_ring(bool by_instruction)
{
    struct short_ring ring;

    bare = by_instruction;
    if (!short_ring_open(&ring))
        SKIP("io_uring is not to be had: %s", strerror(errno));
    short_ring_close(&ring);
    ASSERT_EQ(pipe(ring_pipe), 0);
    EXPECT_GE(run_pair(read_by_ring, write_in_call).blocked, ROUNDS);
    close(ring_pipe[0]);
    close(ring_pipe[1]);
}

TEST(LentCalls, io_uring_enter_that_waits)
{
    run_ring(false);
}

/* The filter stops it, until its site is rewritten. */
TEST(LentCalls, io_uring_enter_by_an_instruction_of_the_programs)
{
    run_ring(true);
}
