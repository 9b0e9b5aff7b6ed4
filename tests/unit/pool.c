/* SPDX-License-Identifier: MIT
 *
 * Pools (platform/linux/pool): how many threads a pool is to have, when it is gone, and that no callback, no waiter and no
 * thread that is about to sleep is forgotten. A pool's threads are this one, which takes callbacks as they do.
 */
#include <stdlib.h>

static void free_counted(void *memory);
#define free free_counted
#include "platform/linux/pool/pool.c"
#undef free
#include "platform/linux/pool/pool_item.c"
#include "platform/linux/pool/pool_threads.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

const struct plat_core *engine_core;

enum { PROCESSORS = 2, MANY = 30 }; /* not a number that a pool grows to by itself */

static struct pool *pool, *freed;
static struct pool_item items[3];
static unsigned posted, destroyed, waits, sleeps;
static void (*meanwhile)(void);

static void free_counted(void *memory)
{
    EXPECT_EQ(freed, NULL);
    freed = memory;
}

static int started(void)
{
    return 0;
}

struct dispatch_hooks dispatch_hooks = {.start = started};

unsigned processors_at_start(void)
{
    return PROCESSORS;
}

void affinity_reset(void)
{
}

void kthread_name(const char *name)
{
}

void broker_post(enum post who, bool (*fn)(void))
{
    EXPECT_EQ(who, POST_POOL);
    EXPECT_EQ(fn, create_threads);
    posted++;
}

void timer_add(struct plat_timer *timer)
{
    EXPECT_EQ(timer->armed, false);
    timer->armed = true;
}

static void tick(void)
{
    EXPECT_EQ(pool->tick.armed, true);
    pool->tick.armed = false;
    double_now = pool->tick.deadline;
    pool->tick.fire(&pool->tick);
}

int kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main)(void *), void *arg)
{
    EXPECT_EQ(main, pool_main);
    plat_lock(&((struct pool *)arg)->lock); /* the thread begins */
    ((struct pool *)arg)->coming--;
    ((struct pool *)arg)->threads++;
    plat_unlock(&((struct pool *)arg)->lock);
    return 0;
}

const char *kthread_failure(int error)
{
    return "no reason";
}

void plat_log(const char *format, ...)
{
    FAIL("%s", format);
}

void object_signal(struct object *object)
{
    object->signal = 1;
}

void object_drop(struct object *object)
{
    object->refs--;
}

static void once(void)
{
    void (*now)(void) = meanwhile;

    meanwhile = NULL;
    if (now)
        now();
}

uint32_t address_wait(const volatile void *address, bool (*still)(void *), void (*queued)(void *),
                      void *arg, uint64_t deadline)
{
    if (waits++ > 3)
        UMS_FATAL("nobody goes on", address, waits);
    once();
    return 0;
}

void address_wake(const volatile void *address, unsigned most,
                  void (*woken)(void *arg, unsigned count, bool more), void *arg)
{
    EXPECT_EQ(most, UINT32_MAX);
}

static void destroy(struct pool_item *item)
{
    EXPECT_EQ(item->refs, 0u);
    destroyed++;
}

static void start(unsigned maximum)
{
    pools = &process_pool;
    freed = NULL;
    pool = pool_create();
    ASSERT_NE(pool, NULL);
    pool_set_maximum(pool, maximum);
    memset(items, 0, sizeof items);
    posted = destroyed = waits = sleeps = 0;
    double_now = 1;
    double_syscall = NULL;
}

static struct pool_item *new_item(struct pool_group *group)
{
    struct pool_item *item = items;

    while (item->pool)
        item++;
    item->destroy = destroy;
    EXPECT_EQ(pool_item_init(item, pool, group), 0);
    return item;
}

static void submit(struct pool_item *item, unsigned times)
{
    while (times--)
        pool_submit(item);
}

/* ---- How many threads ------------------------------------------------------------------------ */

TEST(Pool, few_threads_are_made_at_once_and_more_where_nothing_goes_on)
{
    struct pool_item *item;
    uint32_t before;

    start(MANY);
    item = new_item(NULL);
    submit(item, MANY);
    EXPECT_GE(posted, 1u);
    EXPECT_EQ(create_threads(), true);
    EXPECT_EQ(pool->threads, (uint32_t)AT_ONCE);
    pool->begun++; /* a callback has begun since */
    tick();
    EXPECT_EQ(create_threads(), true);
    EXPECT_EQ(pool->threads, (uint32_t)AT_ONCE);
    for (before = pool->threads; before < MANY; before = pool->threads) {
        posted = 0;
        tick();
        EXPECT_EQ(posted, 1u);
        EXPECT_EQ(create_threads(), true);
        ASSERT_EQ(pool->threads > before, true);
    }
    EXPECT_EQ(pool->threads, (uint32_t)MANY);
    tick();
    EXPECT_EQ(create_threads(), true);
    EXPECT_EQ(pool->threads, (uint32_t)MANY);
}

TEST(Pool, callbacks_that_run_long_leave_their_threads_to_others)
{
    struct pool_call call = {NULL};

    start(MANY);
    call.item = new_item(NULL);
    submit(call.item, MANY);
    EXPECT_EQ(create_threads(), true);
    EXPECT_EQ(take(pool, &call), true);
    EXPECT_EQ(pool_call_runs_long(&call), true);
    EXPECT_EQ(pool_call_runs_long(&call), true); /* once is enough */
    EXPECT_EQ(create_threads(), true);
    EXPECT_EQ(pool->threads, (uint32_t)AT_ONCE + 1);
    finish(pool, &call);
    EXPECT_EQ(allowed(pool), (uint32_t)AT_ONCE);
}

/* ---- A thread that is about to sleep --------------------------------------------------------- */

static void submit_one(void)
{
    submit(&items[0], 1);
}

/* What the kernel does: it compares as it is called. */
static long sleep_or_not(long nr, const long args[6])
{
    const _Atomic uint32_t *word = (const void *)args[0];

    if (nr != SYS_futex || (args[1] & FUTEX_CMD_MASK) == FUTEX_WAKE)
        return 0;
    EXPECT_EQ(pool->idle, 1u);
    EXPECT_EQ(plat_lock_taken(&pool->lock), false);
    once();
    if (atomic_load(word) == (uint32_t)args[2] && sleeps++ == 3)
        UMS_FATAL("it sleeps, and there is something to do", pool, sleeps);
    return 0;
}

TEST(Pool, a_thread_that_is_about_to_sleep_sees_what_is_submitted)
{
    struct pool_call call;

    start(1);
    new_item(NULL);
    pool->threads = 1;
    double_syscall = sleep_or_not;
    meanwhile = submit_one;
    EXPECT_EQ(take(pool, &call), true);
    EXPECT_EQ(call.item, &items[0]);
    EXPECT_EQ(sleeps, 0u);
    EXPECT_EQ(pool->idle, 0u);
    finish(pool, &call);
    EXPECT_EQ(items[0].refs, 1u);
}

static void close_pool(void)
{
    pool_close(pool);
}

TEST(Pool, the_last_thread_of_a_closed_pool_goes_with_it)
{
    struct pool_call call;

    start(2);
    pool->threads = 1;
    double_syscall = sleep_or_not;
    meanwhile = close_pool;
    EXPECT_EQ(take(pool, &call), false);
    EXPECT_EQ(sleeps, 0u);
    EXPECT_EQ(freed, pool);
    EXPECT_EQ(pools, &process_pool);
}

/* A tick that is set has the pool, and frees it. */
TEST(Pool, a_pool_with_a_tick_is_not_gone)
{
    struct pool_item *item;

    start(MANY);
    item = new_item(NULL);
    submit(item, 1);
    EXPECT_EQ(pool->tick.armed, true);
    EXPECT_EQ(pool_cancel(item), 1u);
    EXPECT_EQ(pool_item_close(item, NULL), true);
    EXPECT_EQ(destroyed, 1u);
    pool_close(pool);
    EXPECT_EQ(freed, NULL);
    tick();
    EXPECT_EQ(freed, pool);
}

/* ---- Items ----------------------------------------------------------------------------------- */

static struct pool_call running;

static void finish_and_submit(void)
{
    finish(pool, &running);
    EXPECT_EQ(pool_item_busy(&items[0]), false);
    submit(&items[0], 1); /* it was at rest in between, and that is what was waited for */
}

TEST(Pool, who_waits_for_callbacks_goes_on_when_all_were_over_once)
{
    start(1);
    new_item(NULL);
    submit(&items[0], 2);
    EXPECT_EQ(take(pool, &running), true);
    finish(pool, &running);
    EXPECT_EQ(atomic_load(&items[0].idles), 0u); /* one is to be made still */
    EXPECT_EQ(take(pool, &running), true);
    meanwhile = finish_and_submit;
    pool_wait_idle(&items[0]);
    EXPECT_EQ(waits, 1u);
    EXPECT_EQ(items[0].waiters, 0u);
    EXPECT_EQ(items[0].refs, 2u);
}

TEST(Pool, callbacks_are_taken_back_from_anywhere_in_the_line)
{
    struct pool_call call;

    for (unsigned which = 0; which < 3; which++) {
        start(1);
        for (unsigned i = 0; i < 3; i++)
            submit(new_item(NULL), 2);
        EXPECT_EQ(pool_cancel(&items[which]), 2u);
        EXPECT_EQ(items[which].refs, 1u);
        EXPECT_EQ(pool->queued, 4u);
        submit(&items[which], 1); /* at the end again */
        for (unsigned left = 5; left; left--) {
            EXPECT_EQ(take(pool, &call), true);
            finish(pool, &call);
        }
        EXPECT_EQ(call.item == &items[which] || items[which].pending == 0, true);
        EXPECT_EQ(pool->items.first, NULL);
        EXPECT_EQ(pool->queued, 0u);
        for (unsigned i = 0; i < 3; i++)
            EXPECT_EQ(items[i].refs, 1u);
    }
}

/* ---- Groups ---------------------------------------------------------------------------------- */

TEST(Pool, a_member_that_is_gone_has_left_its_group)
{
    for (unsigned which = 0; which < 3; which++) {
        struct pool_group group = {0};

        start(1);
        for (unsigned i = 0; i < 3; i++)
            new_item(&group);
        EXPECT_EQ(pool_item_close(&items[which], NULL), true);
        EXPECT_EQ(destroyed, 1u);
        memset(&items[which], 0xee, sizeof items[which]); /* its memory is another's */
        EXPECT_EQ(pool_group_close(&group, 0, NULL, NULL), true);
        EXPECT_EQ(destroyed, 3u);
        EXPECT_EQ(group.members.first, NULL);
    }
}

static void finish_running(void)
{
    finish(pool, &running);
}

TEST(Pool, a_group_waits_for_a_callback_that_left_its_thread)
{
    struct pool_group group = {0};

    start(1);
    submit(new_item(&group), 1);
    EXPECT_EQ(take(pool, &running), true);
    pool_call_dissociate(&running);
    pool_wait_idle(&items[0]);
    EXPECT_EQ(waits, 0u);
    meanwhile = finish_running;
    EXPECT_EQ(pool_group_close(&group, GROUP_WAIT, NULL, NULL), true);
    EXPECT_EQ(waits, 1u);
    EXPECT_EQ(destroyed, 1u);
}

/* ---- After fork ------------------------------------------------------------------------------ */

TEST(Pool, a_child_has_none_of_its_parents_threads_and_callbacks)
{
    start(MANY);
    submit(new_item(NULL), 2);
    EXPECT_EQ(create_threads(), true);
    pool->idle = pool->threads;
    plat_lock(&pool->lock);
    plat_lock(&list_lock);
    unsigned generation = pool_generation;
    pools_forget();
    EXPECT_NE(pool_generation, generation);
    EXPECT_EQ(pool->items.first, NULL);
    posted = 0;
    pool->tick.armed = false; /* the parent's */
    submit(&items[0], 1);
    EXPECT_EQ(posted, 1u); /* it wants a thread */
    EXPECT_EQ(pool->items.first, &items[0]);
    EXPECT_EQ(items[0].pending, 1u);
}
