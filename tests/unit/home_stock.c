/* SPDX-License-Identifier: MIT
 *
 * Homes that are ready before their workers (platform/linux/threads/home_stock.c): each is given
 * once, to a worker that wants its size; an idle lane keeps a few; and a system that has no more
 * threads is not asked again and again.
 */
#include "platform/linux/threads/home_stock.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

const struct plat_core *engine_core;
struct engine_clock engine_clock;

enum { SIZE = 64 << 10, OTHER_SIZE = 128 << 10, MOST_MADE = 64 };

static struct lane lane;
static struct plat_context scheduler;
static struct home homes[MOST_MADE];
static unsigned made, refused, restocks;
static bool no_threads;

void broker_post_lane(struct lane *of, uint64_t (*fn)(struct lane *lane))
{
    EXPECT_EQ(of, &lane);
    EXPECT_EQ(fn, restock);
    restocks++;
}

/* The new thread arrives at once. */
int program_kthread_create(pthread_t *thread, size_t stack_bytes, void *(*main_function)(void *),
                           void *arg)
{
    struct spare_home *spare = arg;
    struct home *home = &homes[made % MOST_MADE];

    if (no_threads) {
        refused++;
        return EAGAIN;
    }
    made++;
    EXPECT_EQ(stack_bytes, spare->stack_bytes);
    *home = (struct home){.stack_bytes = stack_bytes};
    home_stock_enter(home, spare);
    return 0;
}

static unsigned kept_by_an_idle_lane(void);

static void *never_run(void *arg)
{
    return arg;
}

static void begin_lane(void)
{
    memset(&lane, 0, sizeof lane);
    memset(&scheduler, 0, sizeof scheduler);
    scheduler.is_scheduler = true;
    scheduler.lane = &lane;
    plat_tls.current = &scheduler;
}

static void start(void)
{
    begin_lane();
    home_stock_forget();
    made = refused = restocks = 0;
    no_threads = false;
    double_now = 1000000000000;
}

static struct home *birth(size_t size)
{
    return home_stock_take(size, never_run);
}

/* The broker, until it has nothing more to do now. At most so often. */
static unsigned serve(unsigned most)
{
    unsigned turns = 0;

    do
        turns++;
    while (restock(&lane) <= double_now && turns < most);
    return turns;
}

/* Births of this size, soon one after another, until the stock has some. */
static void fill(size_t size)
{
    for (unsigned i = 0; i < 8 && lane.homes.count < 2; i++) {
        birth(size);
        serve(MOST_MADE);
        let_in(&lane.homes);
    }
    ASSERT_GE(lane.homes.count, 2u);
}

TEST(HomeStock, a_home_is_given_once)
{
    start();
    fill(SIZE);
    struct home *first = birth(SIZE), *second = birth(SIZE);

    EXPECT_NE(first, NULL);
    EXPECT_NE(second, NULL);
    EXPECT_NE(first, second);
}

/* Its worker would run over the end of its stack. */
TEST(HomeStock, no_worker_gets_a_home_of_another_size)
{
    start();
    fill(SIZE);
    /* The stock takes the new size before the broker has dismissed what is there. */
    for (unsigned i = 0; i < 2 * STRANGERS; i++) {
        struct home *home = birth(OTHER_SIZE);

        EXPECT_THAT(!home || home->stack_bytes == OTHER_SIZE, "a stack of %zu",
                    home ? home->stack_bytes : 0);
    }
    serve(MOST_MADE);
    let_in(&lane.homes);
    for (struct home *home = lane.homes.first; home; home = home->next)
        EXPECT_EQ(home->stack_bytes, OTHER_SIZE);
    EXPECT_EQ(atomic_load(&homes[made - 1].word), (uint32_t)HOME_PARKED);
    EXPECT_EQ(atomic_load(&homes[0].word), (uint32_t)HOME_DISMISSED);
}

TEST(HomeStock, where_threads_run_out_it_goes_on_when_there_are_some_again)
{
    start();
    no_threads = true;
    for (unsigned i = 0; i < 3; i++) {
        birth(SIZE);
        EXPECT_LT(serve(MOST_MADE), 4u); /* one that is refused waits for the next birth */
    }
    EXPECT_GE(refused, 1u);
    EXPECT_EQ(lane.homes.coming, 0u);
    no_threads = false;
    for (unsigned i = 0; i < 3; i++) {
        birth(SIZE);
        serve(MOST_MADE);
    }
    EXPECT_NE(birth(SIZE), NULL);
}

/* ---- Homes that come back -------------------------------------------------------------------- */

static bool is_back(struct home *home)
{
    bool room = home_stock_has_room(&lane, home);
    home_stock_return(&lane, home);
    EXPECT_EQ(atomic_load(&home->word), (uint32_t)(room ? HOME_PARKED : HOME_DISMISSED));
    return room;
}

TEST(HomeStock, one_that_comes_back_is_given_again)
{
    start();
    fill(SIZE);
    struct home *first = birth(SIZE), *other = birth(SIZE);

    EXPECT_THAT(is_back(first), "no room");
    EXPECT_EQ(birth(SIZE), first);
    EXPECT_THAT(is_back(other), "no room");
    EXPECT_THAT(is_back(first), "no room");
    EXPECT_EQ(birth(SIZE), first); /* the warm one */
    EXPECT_EQ(birth(SIZE), other);
}

TEST(HomeStock, none_of_another_size_comes_back)
{
    static struct home stranger = {.stack_bytes = OTHER_SIZE};

    start();
    fill(SIZE);
    EXPECT_THAT(!is_back(&stranger), "a stack of another size");
}

/* They are threads of the system's. */
TEST(HomeStock, no_more_come_back_than_a_stock_may_have)
{
    static struct home used[2 * MOST_SPARE_HOMES];
    unsigned back = 0;

    start();
    fill(SIZE);
    for (unsigned i = 0; i < 2 * MOST_SPARE_HOMES; i++) {
        used[i].stack_bytes = SIZE;
        back += is_back(&used[i]);
        serve(MOST_MADE);
    }
    EXPECT_LE(lane.homes.count, (unsigned)MOST_SPARE_HOMES);
    EXPECT_LT(back, 2u * MOST_SPARE_HOMES);
}

/* Nobody else would tell the broker of an only one. */
TEST(HomeStock, one_that_comes_back_to_an_empty_stock_is_given_back_when_the_lane_is_idle)
{
    static struct home used = {.stack_bytes = SIZE};

    start();
    birth(SIZE);
    EXPECT_EQ(lane.homes.wanted, 0u);
    restocks = 0;
    EXPECT_THAT(is_back(&used), "no room");
    EXPECT_EQ(restocks, 1u);
    serve(MOST_MADE);
    EXPECT_EQ(atomic_load(&used.word), (uint32_t)HOME_PARKED);
    double_now += 2 * (uint64_t)IDLE_AFTER;
    serve(MOST_MADE);
    EXPECT_LE(lane.homes.count, (unsigned)KEPT_BY_IDLE);
}

/* The others have found all places taken. */
TEST(HomeStock, an_idle_lane_takes_back_no_more_than_it_may_keep)
{
    static struct home used[MOST_SPARE_HOMES];

    start();
    EXPECT_EQ(kept_by_an_idle_lane(), (unsigned)KEPT_BY_IDLE);
    for (unsigned i = 0; i < MOST_SPARE_HOMES; i++) {
        used[i].stack_bytes = SIZE;
        EXPECT_THAT(!is_back(&used[i]), "home %u", i);
    }
    EXPECT_EQ(lane.homes.count, (unsigned)KEPT_BY_IDLE);
}

/* ---- Idle lanes ------------------------------------------------------------------------------ */

static unsigned kept_by_an_idle_lane(void)
{
    begin_lane();
    for (unsigned i = 0; i < MOST_MADE && lane.homes.count <= KEPT_BY_IDLE; i++) {
        while (birth(SIZE)) /* more than the broker has made */
            continue;
        serve(MOST_MADE);
        let_in(&lane.homes);
    }
    double_now += 2 * (uint64_t)IDLE_AFTER;
    serve(MOST_MADE);
    return lane.homes.count;
}

/* In the whole process; and a child has none of its parent's. */
TEST(HomeStock, idle_lanes_keep_a_few)
{
    start();
    EXPECT_EQ(kept_by_an_idle_lane(), (unsigned)KEPT_BY_IDLE);
    EXPECT_EQ(kept_by_an_idle_lane(), 0u);
    home_stock_forget();
    EXPECT_EQ(kept_by_an_idle_lane(), (unsigned)KEPT_BY_IDLE);
}
