/* SPDX-License-Identifier: MIT
 *
 * Workers whose home runs their handlers (umsshim/aside.c), beside executions and ends that come
 * meanwhile. The model tests/models/aside.pml has every order; here are the ones it found to count.
 */
#include "umsshim/aside.c"

#include "gtest_c.h"

#include <stdlib.h>
#include <string.h>

static struct ums_context worker, scheduler;
static unsigned killed, completed;
static struct ums_list list;

void plat_worker_kill(struct plat_context *plat)
{
    EXPECT_EQ(plat, &worker.plat);
    killed++;
}

void ums__worker_completed(struct plat_context *plat)
{
    EXPECT_EQ(plat, &worker.plat);
    completed++;
}

void ums__worker_change_list(struct ums_context *who, struct ums_list *to)
{
    FAIL("it has one list");
}

_Noreturn void ums__run_entry_point(struct plat_context *who, uintptr_t reason, void *payload,
                                    void *param)
{
    FAIL("no scheduler is entered");
    abort();
}

bool ums__worker_must_stop(struct plat_context *plat)
{
    return atomic_load(&worker.stop) & UMS_HELD;
}

static void start(uint32_t state, uint32_t stop)
{
    memset(&worker, 0, sizeof worker);
    atomic_store(&worker.list, &list);
    atomic_store(&scheduler.list, &list);
    atomic_store(&worker.state, state);
    atomic_store(&worker.stop, stop);
    killed = completed = 0;
}

TEST(Aside, who_is_ready_or_queued_is_aside_once)
{
    start(UMS_READY, 0);
    EXPECT_EQ(ums__worker_aside(&worker.plat), true);
    EXPECT_EQ(ums__worker_aside(&worker.plat), false);
    EXPECT_EQ(ums__worker_aside_over(&worker.plat), ASIDE_OVER);
    start(UMS_QUEUED, UMS_SIGNALLED);
    EXPECT_EQ(ums__worker_aside(&worker.plat), true);
    start(UMS_RUNNING, 0);
    EXPECT_EQ(ums__worker_aside(&worker.plat), false);
    EXPECT_EQ(atomic_load(&worker.stop), 0u);
}

TEST(Aside, who_has_ended_is_not_ended_again)
{
    start(UMS_EXITING, UMS_TERMINATING | UMS_KILLED);
    EXPECT_EQ(ums__worker_aside(&worker.plat), false);
    EXPECT_EQ(killed, 0u);
    start(UMS_READY, 0);
    EXPECT_EQ(ums__worker_aside(&worker.plat), true);
    atomic_fetch_or(&worker.stop, UMS_KILLED); /* who ends it leaves the rest to its home */
    EXPECT_EQ(ums__worker_aside_over(&worker.plat), ASIDE_KILLED);
}

TEST(Aside, who_was_executed_meanwhile_arrives)
{
    start(UMS_READY, 0);
    EXPECT_EQ(ums__worker_aside(&worker.plat), true);
    atomic_fetch_or(&worker.stop, UMS_AWAITED);
    EXPECT_EQ(ums__worker_aside_over(&worker.plat), ASIDE_AWAITED);
    EXPECT_EQ(atomic_load(&worker.stop), 0u);
}

TEST(Aside, who_is_executed_behind_it_runs_or_stops)
{
    start(UMS_RUNNING, 0);
    EXPECT_EQ(ums__worker_await(&scheduler, &worker), true);
    EXPECT_EQ(atomic_load(&worker.state), (uint32_t)UMS_RUNNING);
    start(UMS_RUNNING, 1); /* suspended meanwhile */
    EXPECT_EQ(ums__worker_await(&scheduler, &worker), false);
    EXPECT_EQ(atomic_load(&worker.state), (uint32_t)UMS_READY);
}
