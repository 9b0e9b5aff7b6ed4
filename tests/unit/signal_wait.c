/* SPDX-License-Identifier: MIT
 *
 * Waits for signals (platform/linux/calls/signal_wait.c): each is decided once, by a signal, by its
 * time or by its worker's end, and none of them is missed that comes between the attempt and the
 * wait.
 */
#include "platform/linux/calls/signal_wait.c"
#include "platform/linux/switch/lane.h"

#include "doubles.h"
#include "gtest_c.h"

#include <signal.h>
#include <string.h>

const struct plat_core *engine_core;
struct engine_clock engine_clock;
PLAT_LOCK(SIGNALS) signals_lock;
_Atomic uint64_t signals_active = UINT64_MAX;

enum { NOT_OVER = 1000 };

static struct plat_context worker;
static struct lane lane;
static int pending; /* a signal of the worker's; 0: none */
static int waits;   /* counted by waiting_change */
static struct plat_timer *armed;
static bool firing; /* the timer is too late to be cancelled */
static unsigned completions;

void signals_enter(void)
{
    plat_lock(&signals_lock);
}

uint64_t signals_wanted(void)
{
    return 0;
}

void signals_poke(void)
{
}

bool signal_dequeue(struct plat_context *context, uint64_t set, siginfo_t *info,
                    bool *sent_to_itself)
{
    EXPECT_EQ(context, &worker);
    if (!pending || !(set & SIGNAL_BIT(pending)))
        return false;
    memset(info, 0, sizeof *info);
    info->si_signo = pending;
    pending = 0;
    return true;
}

void waiting_change(uint64_t set, int by)
{
    EXPECT_EQ(set, SIGNAL_BIT(SIGUSR1));
    waits += by;
}

void timer_add_in(struct lane *in, struct plat_timer *timer)
{
    EXPECT_EQ(in, &lane);
    EXPECT_EQ(armed, NULL);
    armed = timer;
}

bool timer_cancel(struct plat_timer *timer)
{
    EXPECT_EQ(timer, armed);
    if (firing)
        return false;
    armed = NULL;
    return true;
}

int copy_in(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return 0;
}

static uint64_t next_deadline;

int deadline_after(struct call *call, const void *timespec)
{
    call->deadline = next_deadline;
    return 0;
}

static int of_process; /* pending for the process, in the kernel; 0: none */

static long kernel(long nr, const long args[6])
{
    EXPECT_EQ(nr, SYS_rt_sigtimedwait);
    if (!of_process)
        return -EAGAIN;
    memset((void *)args[1], 0, sizeof(siginfo_t));
    ((siginfo_t *)args[1])->si_signo = of_process;
    return of_process;
}

int copy_out(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return 0;
}

void call_complete(struct call *call, long result)
{
    EXPECT_EQ(call->signal.waits || call->signal.handed, false);
    call->result = result;
    completions++;
}

static siginfo_t told;

/* The worker is about to wait for SIGUSR1, until then. */
static struct call *start(uint64_t deadline)
{
    struct call *call = &worker.call;

    memset(&worker, 0, sizeof worker);
    memset(&told, 0, sizeof told);
    call->args[1] = (long)&told;
    call->lane = &lane;
    call->signal.set = SIGNAL_BIT(SIGUSR1);
    call->deadline = deadline;
    call->result = NOT_OVER;
    pending = waits = 0;
    armed = NULL;
    firing = false;
    completions = 0;
    of_process = 0;
    double_syscall = kernel;
    double_now = 1000;
    return call;
}

static void fire(void)
{
    struct plat_timer *timer = armed;

    armed = NULL;
    timer->fire(timer);
}

static void expect_over(const struct call *call, long result)
{
    EXPECT_EQ(completions, 1u);
    EXPECT_EQ(call->result, result);
    EXPECT_EQ(waits, 0);
    EXPECT_EQ(armed, NULL);
}

/* The attempt of a sigtimedwait until then: what becomes of the call. */
static enum outcome attempt(uint64_t deadline)
{
    static uint64_t set = SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(SIGKILL);
    struct call *call = &worker.call;

    call->args[0] = (long)&set;
    call->args[3] = sizeof set;
    next_deadline = deadline;
    enum outcome outcome = ops_sigtimedwait.attempt(call);
    EXPECT_EQ(call->signal.set, SIGNAL_BIT(SIGUSR1));
    return outcome;
}

TEST(SignalWait, the_attempt_takes_a_signal_of_the_workers_or_the_process)
{
    struct call *call = start(PLAT_FOREVER);

    pending = SIGUSR1;
    EXPECT_EQ(attempt(PLAT_FOREVER), CALL_DONE);
    EXPECT_EQ(call->result, SIGUSR1);
    EXPECT_EQ(told.si_signo, SIGUSR1);
    call = start(PLAT_FOREVER);
    of_process = SIGUSR1;
    EXPECT_EQ(attempt(PLAT_FOREVER), CALL_DONE);
    EXPECT_EQ(call->result, SIGUSR1);
    call = start(PLAT_FOREVER);
    EXPECT_EQ(attempt(PLAT_FOREVER), CALL_SIGNAL);
    EXPECT_EQ(attempt(double_now), CALL_DONE); /* it does not wait at all */
    EXPECT_EQ(call->result, -EAGAIN);
}

TEST(SignalWait, a_signal_that_came_before_the_wait_ends_it)
{
    const uint64_t deadlines[] = {PLAT_FOREVER, 5000};

    for (unsigned i = 0; i < 2; i++) {
        struct call *call = start(deadlines[i]);

        pending = SIGUSR1;
        signal_wait_start(call);
        expect_over(call, SIGUSR1);
        EXPECT_EQ(told.si_signo, SIGUSR1);
        EXPECT_EQ(pending, 0);
    }
}

/* One that it does not wait for, and that has a handler, too. */
TEST(SignalWait, a_handler_that_is_due_before_the_wait_interrupts_it)
{
    struct call *call = start(PLAT_FOREVER);

    pending = SIGUSR2;
    atomic_store(&worker.signals.due, true);
    signal_wait_start(call);
    expect_over(call, -EINTR);
    EXPECT_EQ(call->interrupted, true);
    EXPECT_EQ(pending, SIGUSR2);
}

TEST(SignalWait, without_one_it_waits_until_it_is_decided_once)
{
    struct call *call = start(PLAT_FOREVER);

    signal_wait_start(call);
    EXPECT_EQ(completions, 0u);
    EXPECT_EQ(waits, 1);
    EXPECT_EQ(signal_wait_cancel(call), true);
    expect_over(call, -EINTR);
    EXPECT_EQ(signal_wait_cancel(call), false);
    EXPECT_EQ(completions, 1u);
}

TEST(SignalWait, its_time_ends_it)
{
    struct call *call = start(5000);

    signal_wait_start(call);
    ASSERT_NE(armed, NULL);
    EXPECT_EQ(armed->deadline, 5000u);
    fire();
    expect_over(call, -EAGAIN);
    EXPECT_EQ(signal_wait_cancel(call), false);
}

/* The timer still looks at the record. */
TEST(SignalWait, a_timer_that_fires_just_now_completes_what_another_has_decided)
{
    struct call *call = start(5000);

    signal_wait_start(call);
    firing = true;
    EXPECT_EQ(signal_wait_cancel(call), false);
    EXPECT_EQ(completions, 0u);
    fire();
    expect_over(call, -EINTR);
}
