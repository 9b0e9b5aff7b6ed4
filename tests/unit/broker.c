/* SPDX-License-Identifier: MIT
 *
 * The broker (platform/linux/calls/broker.c): a worker that asks leaves its scheduler, and a request
 * that failed is made again.
 */
#include "platform/linux/calls/broker.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

static struct plat_context worker, scheduler;
static unsigned jobs, left, times_asked;
static bool can_be_had;

/* The worker has left; then the broker's turn comes. */
static int wait_in_core(struct plat_context *self, bool (*then)(void *), void *arg)
{
    EXPECT_EQ(self, &worker);
    EXPECT_EQ(then(arg), true);
    left++;
    serve_requests(&programs);
    return 0;
}

static void complete_in_core(struct plat_context *self)
{
    EXPECT_EQ(self, &worker);
    EXPECT_EQ(left, 1);
}

static const struct plat_core core = {.worker_wait = wait_in_core,
                                      .worker_completed = complete_in_core};
const struct plat_core *engine_core = &core;

struct signals_ran signals_run(struct plat_context *self, ucontext_t *interrupted)
{
    FAIL("no signal is due");
    return (struct signals_ran){0};
}

int kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main_function)(void *), void *arg)
{
    return EAGAIN;
}

/* What a broker's thread begins with. None is made here. */
void kthread_name(const char *name)
{
}

void signals_block(sigset_t *old)
{
}

void lane_bind(const struct lane *lane)
{
}

static void job(void *arg)
{
    EXPECT_EQ(arg, &jobs);
    jobs++;
}

/* What a thread that waits in place waits for: the broker's turn comes. */
static long kernel(long nr, const long args[6])
{
    if (nr == SYS_futex && (args[1] & FUTEX_CMD_MASK) != FUTEX_WAKE && programs.first)
        serve_requests(&programs);
    return 0;
}

static void fresh(struct plat_context *self)
{
    double_syscall = kernel;
    programs = (struct broker){.end = &programs.first};
    memset(&worker, 0, sizeof worker);
    worker.scheduler = &scheduler;
    scheduler.is_scheduler = true;
    plat_tls.current = self;
    jobs = left = 0;
}

TEST(Broker, a_worker_that_asks_leaves_its_scheduler)
{
    fresh(&worker);
    broker_run(job, &jobs);
    plat_tls.current = NULL;
    EXPECT_EQ(jobs, 1);
    EXPECT_EQ(left, 1);
}

TEST(Broker, a_scheduler_waits_in_place)
{
    fresh(&scheduler);
    broker_run(job, &jobs);
    plat_tls.current = NULL;
    EXPECT_EQ(jobs, 1);
    EXPECT_EQ(left, 0);
}

static bool make_it(void)
{
    times_asked++;
    return can_be_had;
}

TEST(Broker, what_could_not_be_had_is_asked_for_again)
{
    fresh(NULL);
    double_now = 1000;
    times_asked = 0;
    can_be_had = false;
    broker_post(POST_HANDLERS, make_it);
    uint64_t again = programs_turn();

    EXPECT_EQ(times_asked, 1);
    EXPECT_GT(again, double_now);
    EXPECT_NE(again, PLAT_FOREVER);
    can_be_had = true;
    EXPECT_EQ(programs_turn(), PLAT_FOREVER);
    EXPECT_EQ(times_asked, 2);
    EXPECT_EQ(programs_turn(), PLAT_FOREVER);
    EXPECT_EQ(times_asked, 2);
}
