/* SPDX-License-Identifier: MIT
 *
 * A child after fork (platform/linux/fork.c): every part of the engine has forgotten the parent's
 * threads, once, before the core or the program's code runs there. Rewritten call sites stay shut
 * until then.
 */
#include "platform/linux/fork.c"

#include "doubles.h"
#include "gtest_c.h"

struct engine_clock engine_clock;
struct engine_caps engine_caps;

/* ---- Those who forget ------------------------------------------------------------------------ */

enum { SHUT = 1, OPEN };
static int sites;
static bool cancellable, core_was_told;

static void forgets(unsigned *times)
{
    ++*times;
    EXPECT_EQ(sites, SHUT);
    EXPECT_EQ(core_was_told, false);
    EXPECT_EQ(cancellable, false);
}

/* clang-format off */
#define FORGETTING(PART)                                                                           \
    PART(tid_map) PART(home_stock) PART(lanes) PART(own_files) PART(helpers) PART(policies)   \
    PART(give_way) PART(futex_table) PART(bare_threads) PART(copy) PART(credentials)               \
    PART(handler_thread) PART(home_signals) PART(home_run) PART(handles) PART(waiters) PART(pools)                \
    PART(pool_groups) PART(cpu_time) PART(fault_watch) PART(trace) PART(threads) PART(engine)      \
    PART(async) PART(shared_bell) PART(proxies)
/* clang-format on */

#define AS_DOUBLE(part)                                                                            \
    static unsigned part##_forgot;                                                                 \
    void part##_forget(void)                                                                       \
    {                                                                                              \
        forgets(&part##_forgot);                                                                   \
    }
FORGETTING(AS_DOUBLE)

static unsigned signals_forgot, modules_forgot, names_forgot, locks_prepared, memory_noted;

void own_memory_forked(void)
{
    forgets(&memory_noted);
}

void signals_forget(struct plat_context *self)
{
    EXPECT_EQ(self, plat_tls.current);
    forgets(&signals_forgot);
}

void sites_forget(void)
{
}

void site_modules_forget(void)
{
    modules_forgot++;
    EXPECT_EQ(sites, SHUT);
}

/* It takes numbers of the library's own, so own_files has its lock back before. */
void shared_names_forget(void)
{
    EXPECT_EQ(own_files_forgot, 1u);
    names_forgot++;
    EXPECT_EQ(sites, SHUT);
}

void locks_prepare(void)
{
    EXPECT_EQ(helpers_forgot, 0u); /* those who forget take none, but the rest does */
    locks_prepared++;
}

/* ---- The rest -------------------------------------------------------------------------------- */

static int set_cancel_state(int state, int *before)
{
    if (before)
        *before = cancellable ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE;
    cancellable = state == PTHREAD_CANCEL_ENABLE;
    return 0;
}

_Atomic(void *) front_behind[FRONTS];

void *front_find_behind(enum front which)
{
    EXPECT_EQ(which, FRONT_pthread_setcancelstate);
    return (void *)set_cancel_state;
}

void site_calls_shut(void)
{
    sites = SHUT;
}

void site_calls_open(void)
{
    sites = OPEN;
}

static unsigned pools_held;

void site_pools_fork(void)
{
    EXPECT_EQ(sites, OPEN);
    pools_held++;
}

void site_pools_forked(void)
{
    pools_held--;
}

static uint64_t mask_restored;

void inherit_from(pid_t home, bool affinity, bool scheduling)
{
    EXPECT_EQ(home, 4321);
}

void kthread_name_reset(void)
{
}

void rseq_join(void)
{
}

bool trap_process_mask(uint64_t *mask)
{
    return false;
}

void signals_restore(const sigset_t *mask)
{
    memcpy(&mask_restored, mask, sizeof mask_restored);
}

static void told(void)
{
    EXPECT_EQ(engine_forgot, 1u);
    core_was_told = true;
}

static const struct plat_core core = {.forked = told};
const struct plat_core *engine_core = &core;

static void start(void)
{
#define AS_ZERO(part) part##_forgot = 0;
    FORGETTING(AS_ZERO)
    signals_forgot = modules_forgot = names_forgot = locks_prepared = memory_noted = 0;
    core_was_told = false;
    cancellable = true;
    sites = OPEN;
    mask_restored = 0;
    pools_held = 0;
    plat_tls.current = NULL;
}

static void expect_all_forgotten(void)
{
#define AS_CHECK(part) EXPECT_EQ(part##_forgot, 1u);
    FORGETTING(AS_CHECK)
    EXPECT_EQ(signals_forgot, 1u);
    EXPECT_EQ(modules_forgot, 1u);
    EXPECT_EQ(names_forgot, 1u);
    EXPECT_EQ(memory_noted, 1u);
    EXPECT_EQ(locks_prepared, 1u);
    EXPECT_EQ(core_was_told, true);
    EXPECT_EQ(cancellable, true);
    EXPECT_EQ(sites, OPEN);
}

TEST(Forked, a_child_of_a_plain_thread_has_forgotten_all)
{
    start();
    before_fork();
    EXPECT_EQ(sites, SHUT);
    in_child();
    expect_all_forgotten();
    EXPECT_EQ(mask_restored, 0u); /* its mask is the kernel's */
}

/* Its home has made it, with a mask of the engine's. */
TEST(Forked, a_child_of_a_worker_has_the_workers_mask)
{
    static struct plat_context scheduler, worker;
    static const uint64_t mask = 0x1200;

    start();
    scheduler.is_scheduler = true;
    worker.scheduler = &scheduler;
    worker.tid = 4321;
    plat_tls.current = &worker;
    memcpy(&plat_tls.sigmask, &mask, sizeof mask);
    engine_caps.detect = true;
    before_fork();
    in_child();
    expect_all_forgotten();
    EXPECT_EQ(mask_restored, mask);
    plat_tls.current = NULL;
}

TEST(Forked, the_parent_goes_on)
{
    start();
    before_fork();
    in_parent();
    EXPECT_EQ(sites, OPEN);
    EXPECT_EQ(pools_held, 0u);
    EXPECT_EQ(lanes_forgot, 0u);
    EXPECT_EQ(core_was_told, false);
}
