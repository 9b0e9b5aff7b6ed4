/* SPDX-License-Identifier: MIT
 *
 * A carrier that is given a scheduler (platform/linux/switch/carrier.c): it has that one's
 * processors and priority before it loads it, and wakes the homes of those that leave.
 */
#include "platform/linux/switch/carrier.c"

#include "doubles.h"
#include "gtest_c.h"

struct engine_clock engine_clock;
const struct plat_core *engine_core;

enum { PROCESSOR = 3, OTHER = 5, STEPS = -2, TID = 700 };

static struct lane lane;
static struct carrier carrier;
static struct plat_context scheduler;
static struct home home;
static cpu_set_t processors; /* the kernel thread's */
static unsigned moved, home_woken;
static int steps;
static jmp_buf at_jump;
static void *jumped_to;

void cpu_time_carry(struct plat_context *which, struct carrier *on)
{
    EXPECT_EQ(which, &scheduler);
    EXPECT_EQ(on, &carrier);
}

void cpu_time_start(struct plat_context *which)
{
    FAIL("the scheduler is not entered here");
}

void niceness_take(struct niceness *of, int to)
{
    EXPECT_EQ(of, &carrier.niceness);
    steps = to;
}

void lane_show(const struct plat_context *which)
{
    EXPECT_EQ(which, &scheduler);
}

_Noreturn void ctx_jump(void *fn, void *a, void *b, void *sp, uintptr_t fs)
{
    EXPECT_EQ(a, &scheduler);
    EXPECT_EQ(b, NULL);
    EXPECT_EQ(sp, scheduler.sp);
    EXPECT_EQ(fs, scheduler.fs_base);
    jumped_to = fn;
    longjmp(at_jump, 1);
}

static long kernel(long nr, const long args[6])
{
    if (nr == SYS_sched_setaffinity) {
        EXPECT_EQ(args[0], TID);
        EXPECT_EQ(args[1], (long)sizeof processors);
        memcpy(&processors, (const void *)args[2], sizeof processors);
        moved++;
        return 0;
    }
    EXPECT_EQ(nr, SYS_futex);
    home_woken += args[0] == (long)&home.word;
    return 0;
}

static void start(void)
{
    memset(&lane, 0, sizeof lane);
    memset(&carrier, 0, sizeof carrier);
    memset(&scheduler, 0, sizeof scheduler);
    memset(&home, 0, sizeof home);
    lane.cpu = PROCESSOR;
    lane.hosting.starving_end = &lane.hosting.starving;
    carrier.lane = &lane;
    carrier.tid = TID;
    carrier.seen = true;
    scheduler.lane = &lane;
    scheduler.runs.steps = STEPS;
    scheduler.home = &home;
    scheduler.sp = &scheduler;
    CPU_ZERO(&scheduler.runs.allowed);
    CPU_SET(PROCESSOR, &scheduler.runs.allowed);
    CPU_SET(OTHER, &scheduler.runs.allowed);
    moved = home_woken = 0;
    steps = 0;
    jumped_to = NULL;
    double_syscall = kernel;
}

/* An idle carrier looks for a scheduler in the line, and finds this one. */
static void load(void)
{
    scheduler.runs.next = NULL;
    lane.hosting.starving = &scheduler;
    lane.hosting.starving_end = &scheduler.runs.next;
    lane.hosting.starving_count = 1;
    if (!setjmp(at_jump))
        carrier_idle(&carrier, NULL);
    EXPECT_EQ(jumped_to, (void *)enter_scheduler);
    EXPECT_EQ(carrier.scheduler, &scheduler);
    EXPECT_EQ(lane.hosting.starving, NULL);
    EXPECT_EQ(lane.hosting.starving_count, 0u);
    EXPECT_EQ(lane.hosting.starving_end, &lane.hosting.starving);
}

TEST(Carrier, it_follows_its_scheduler)
{
    start();
    load();
    EXPECT_EQ(moved, 1u);
    EXPECT_EQ(CPU_COUNT(&processors), 1);
    EXPECT_EQ(!!CPU_ISSET(PROCESSOR, &processors), true);
    load();
    EXPECT_EQ(moved, 1u); /* it is there already */
    CPU_CLR(PROCESSOR, &scheduler.runs.allowed);
    load();
    EXPECT_EQ(moved, 2u);
    EXPECT_EQ(!!CPU_EQUAL(&processors, &scheduler.runs.allowed), true);
}

TEST(Carrier, it_has_the_priority_of_its_scheduler)
{
    start();
    load();
    EXPECT_EQ(steps, STEPS);
    scheduler.runs.steps = 0;
    load();
    EXPECT_EQ(steps, 0);
}

TEST(Carrier, the_home_of_a_worker_that_ends_returns)
{
    struct plat_context worker = {.home = &home};

    start();
    worker_go_home(&worker);
    EXPECT_EQ(atomic_load(&home.word), (uint32_t)HOME_RETURN);
    EXPECT_EQ(home_woken, 1u);
}

TEST(Carrier, the_home_of_a_scheduler_that_was_left_does_what_it_was_told)
{
    start();
    scheduler.runs.last_word = HOME_EXIT;
    lane.hosting.starving = &scheduler;
    lane.hosting.starving_count = 1;
    if (!setjmp(at_jump))
        leave_scheduler(&carrier, &scheduler);
    EXPECT_EQ(atomic_load(&home.word), (uint32_t)HOME_EXIT);
    EXPECT_EQ(home_woken, 1u);
}
