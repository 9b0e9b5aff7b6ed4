/* SPDX-License-Identifier: MIT
 *
 * The processor time of workers and schedulers (platform/linux/switch/cpu_time.c), on clocks of the test's own: each
 * nanosecond of a kernel thread belongs to what it ran then, also where the reader is overtaken by a switch.
 */
#include "platform/linux/switch/cpu_time.c"

#include "doubles.h"
#include "gtest_c.h"
#include "silent_trace.h"

#include <string.h>

struct engine_clock engine_clock;
struct trace_state trace_state;
const struct plat_core *engine_core;

enum { HOME = 100, OTHER_HOME, SCHEDULERS_HOME, CARRIER, KERNEL_THREADS };

static uint64_t clocks[KERNEL_THREADS]; /* two thirds of it in user mode */
static pid_t here;
static struct plat_thread threads[3];
static struct plat_context worker, other, scheduler;
static struct carrier carrier;
static void (*as_clock_is_read)(void), (*as_caller_yields)(void);
static unsigned yields;
static jmp_buf loaded;

pid_t own_tid(void)
{
    return here;
}

void trace_leave(struct plat_context *on, const struct plat_context *who)
{
    FAIL("nobody listens");
}

_Noreturn void ctx_load(void *sp, uintptr_t fs)
{
    longjmp(loaded, 1);
}

int ctx_leave(void *fn, void *a, void *b, void *sp, uintptr_t fs, void **save)
{
    EXPECT_EQ(a, &scheduler);
    return 1;
}

static void once(void (**act)(void))
{
    void (*now)(void) = *act;

    *act = NULL;
    if (now)
        now();
}

static long kernel(long nr, const long args[6])
{
    struct timespec *time = (void *)args[1];
    pid_t tid = (pid_t) ~((unsigned long)args[0] >> 3) & 0x1fff;

    if (nr == SYS_sched_yield) {
        if (yields++ == 3)
            UMS_FATAL("it looks again and again", &worker, 0);
        once(&as_caller_yields);
        return 0;
    }
    EXPECT_EQ(nr, SYS_clock_gettime);
    EXPECT_NE(args[0] & PER_THREAD, 0);
    once(&as_clock_is_read);
    tid = tid ? tid : here;
    if (tid < HOME || tid >= KERNEL_THREADS)
        return -22; /* EINVAL */
    uint64_t ns = clocks[tid];
    ns = (args[0] & 3) == OF_USER ? ns / 3 * 2 : ns;
    *time = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    return 0;
}

static void start(bool hosted)
{
    cpu_time_forget();
    memset(clocks, 0, sizeof clocks);
    memset(threads, 0, sizeof threads);
    worker = (struct plat_context){.thread = &threads[0], .scheduler = &scheduler, .tid = HOME};
    other =
        (struct plat_context){.thread = &threads[1], .scheduler = &scheduler, .tid = OTHER_HOME};
    scheduler = (struct plat_context){.thread = &threads[2], .tid = SCHEDULERS_HOME};
    scheduler.scheduler = &scheduler;
    scheduler.is_scheduler = true;
    carrier = (struct carrier){.tid = CARRIER, .scheduler = &scheduler};
    as_clock_is_read = as_caller_yields = NULL;
    yields = 0;
    double_syscall = kernel;
    plat_tls.current = NULL;
    here = hosted ? CARRIER : SCHEDULERS_HOME;
    cpu_time_scheduler_enters(&scheduler);
    if (hosted)
        cpu_time_carry(&scheduler, &carrier);
}

static void runs_for(uint64_t ns)
{
    clocks[here] += ns;
}

static void execute(struct plat_context *which)
{
    if (!setjmp(loaded))
        plat_execute_counted(&scheduler, which);
}

static void leave(struct plat_context *which)
{
    EXPECT_EQ(plat_leave_counted(which, &scheduler, NULL, NULL), 1);
}

static uint64_t time_of(struct plat_context *context)
{
    struct cpu_time used = {0};

    EXPECT_EQ(cpu_time_of(context, &used), true);
    EXPECT_EQ(used.user, used.total / 3 * 2);
    return used.total;
}

/* Whichever thread the worker runs on, and whichever the reader is. */
static void take_turns(bool hosted)
{
    start(hosted);
    clocks[HOME] = 900; /* before it was a worker, and its errands */
    cpu_time_begin();
    EXPECT_EQ(scheduler.loaded, NULL); /* each switch comes here */
    runs_for(3000);
    execute(&worker);
    runs_for(30);
    EXPECT_EQ(time_of(&worker), 930u);
    leave(&worker);
    runs_for(6000);
    execute(&other);
    runs_for(300);
    EXPECT_EQ(time_of(&other), 300u);
    EXPECT_EQ(time_of(&worker), 930u);
    leave(&other);
    execute(&worker);
    runs_for(60);
    EXPECT_EQ(time_of(&worker), 990u);
    leave(&worker);
    runs_for(3);
    /* From its first switch on, where a carrier runs it; its own thread's clock was always its. */
    EXPECT_EQ(time_of(&scheduler), hosted ? 6003u : 9003u);
}

CALL_TEST(CpuTime, each_has_its_own_on_a_carrier, take_turns(true))
CALL_TEST(CpuTime, each_has_its_own_on_the_schedulers_thread, take_turns(false))

static void is_left_and_another_runs(void)
{
    runs_for(30);
    leave(&worker);
    execute(&other);
    runs_for(6000);
}

TEST(CpuTime, who_reads_during_a_switch_looks_again)
{
    start(true);
    cpu_time_begin();
    execute(&worker);
    runs_for(300);
    as_clock_is_read = is_left_and_another_runs;
    EXPECT_EQ(time_of(&worker), 330u);
    EXPECT_EQ(time_of(&other), 6000u);
}

static struct cpu_account whole;

static void finish(void)
{
    atomic_store(&worker.cpu.total, atomic_load(&whole.total));
    atomic_store(&worker.cpu.sequence, atomic_load(&whole.sequence) + 2);
}

TEST(CpuTime, who_reads_in_the_midst_of_a_change_waits_for_its_end)
{
    start(true);
    cpu_time_begin();
    execute(&worker);
    runs_for(300);
    leave(&worker);
    atomic_store(&whole.total, atomic_load(&worker.cpu.total));
    atomic_store(&whole.sequence, atomic_load(&worker.cpu.sequence));
    atomic_store(&worker.cpu.sequence, atomic_load(&whole.sequence) + 1);
    atomic_store(&worker.cpu.total, 77);
    as_caller_yields = finish;
    EXPECT_EQ(time_of(&worker), 300u);
}

/* ---- Who is counted -------------------------------------------------------------------------- */

static unsigned seen;

static void count_it(struct plat_context *which, void *arg)
{
    EXPECT_EQ(which, arg);
    seen++;
}

TEST(CpuTime, schedulers_of_before_and_after_the_question_are_counted)
{
    struct plat_context late = {.thread = &threads[1], .is_scheduler = true};

    start(true);
    EXPECT_EQ(scheduler.loaded, &carrier.context); /* a switch has no more to do */
    cpu_time_begin();
    EXPECT_EQ(scheduler.loaded, NULL);
    cpu_time_scheduler_enters(&late);
    EXPECT_EQ(late.loaded, NULL);
    cpu_time_carry(&late, &carrier);
    EXPECT_EQ(late.loaded, NULL);
    cpu_time_scheduler_left(&late);
    seen = 0;
    schedulers_each(count_it, &scheduler);
    EXPECT_EQ(seen, 1u);
}

TEST(CpuTime, a_thread_keeps_what_it_used_as_a_scheduler)
{
    struct cpu_time used;

    start(true);
    cpu_time_begin();
    execute(&worker);
    runs_for(30);
    leave(&worker);
    runs_for(6000);
    stop_at(&scheduler, &(struct cpu_time){clocks[CARRIER], clocks[CARRIER] / 3 * 2});
    cpu_time_scheduler_left(&scheduler);
    here = SCHEDULERS_HOME;
    runs_for(3);
    plat_tls.thread = &threads[2];
    EXPECT_EQ(cpu_time_of_self(&used), true);
    EXPECT_EQ(used.total, 6003u);
    cpu_time_scheduler_enters(&scheduler); /* once more */
    EXPECT_EQ(time_of(&scheduler), 6003u);
}

/* Its threads are the parent's; a scheduler that forked leaves its entry point there all the same. */
TEST(CpuTime, in_a_child_nothing_is_counted)
{
    start(true);
    cpu_time_begin();
    plat_lock(&schedulers_lock);
    cpu_time_forget();
    EXPECT_EQ(is_counting(), false);
    cpu_time_scheduler_left(&scheduler);
    cpu_time_scheduler_enters(&scheduler);
    EXPECT_EQ(scheduler.loaded, &scheduler.runs.worker);
}
