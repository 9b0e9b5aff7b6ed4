/* SPDX-License-Identifier: MIT
 *
 * calls.c - the thread package's calls mean the same on every ground.
 */
#include "fastthreads.h"
#include "gtest_c.h"

enum { MANY = 200, ROUNDS = 2000 };

static const enum ft_ground shared_memory[] = {FT_UMS, FT_KERNEL, FT_SPIN, FT_USER};
static const enum ft_ground every[] = {FT_UMS, FT_KERNEL, FT_SPIN, FT_USER, FT_PROCESSES};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct ft_statistics counts;

static void run(enum ft_ground ground, int processors, void (*first)(void *), void *arg)
{
    struct ft_options options = {.ground = ground, .processors = processors};
    DWORD error = ft_run(&options, first, arg, &counts);

    EXPECT_THAT(error == 0, "ft_run on %s, %d processors: error %lu", ft_ground_name(ground),
                processors, (unsigned long)error);
}

/* ---- Forks ----------------------------------------------------------------------------------- */

struct sum {
    struct ft_lock lock;
    long total;
};

struct part {
    struct sum *sum;
    long number;
};

static void add(void *arg)
{
    struct part *part = arg;
    long before;

    ft_acquire(&part->sum->lock);
    before = part->sum->total;
    if (part->number % 7 == 0)
        ft_yield(); /* with the lock held: nobody may come in meanwhile */
    part->sum->total = before + part->number;
    ft_release(&part->sum->lock);
}

static void add_many(void *arg)
{
    struct sum *sum = ft_allocate(sizeof(*sum));
    struct part parts[MANY];
    struct ft_thread *threads[MANY];

    ft_lock_init(&sum->lock);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++) {
            parts[i] = (struct part){sum, i};
            threads[i] = ft_fork(add, &parts[i]);
            ASSERT_THAT(threads[i], "fork %d, last error %lu", i, (unsigned long)GetLastError());
        }
        for (int i = 0; i < MANY; i++)
            ft_join(threads[i]);
    }
    *(long *)arg = sum->total;
    ft_free(sum, sizeof(*sum));
}

static void all_run_once_and_locks_exclude(enum ft_ground ground)
{
    for (int processors = 1; processors <= 3; processors++) {
        long total = 0;

        run(ground, processors, add_many, &total);
        EXPECT_EQ(total, 3L * MANY * (MANY - 1) / 2);
        EXPECT_GE(counts.forks, 3 * MANY);
    }
}

CALL_TEST(forks, all_run_once_and_locks_exclude_ums, all_run_once_and_locks_exclude(FT_UMS))
CALL_TEST(forks, all_run_once_and_locks_exclude_kernel, all_run_once_and_locks_exclude(FT_KERNEL))
CALL_TEST(forks, all_run_once_and_locks_exclude_spin, all_run_once_and_locks_exclude(FT_SPIN))
CALL_TEST(forks, all_run_once_and_locks_exclude_user, all_run_once_and_locks_exclude(FT_USER))

TEST(forks, all_run_once_and_locks_exclude_processes)
{
    if (!ft_ground_here(FT_PROCESSES)) {
        struct ft_options options = {.ground = FT_PROCESSES, .processors = 1};

        EXPECT_EQ(ft_run(&options, add_many, NULL, NULL), ERROR_NOT_SUPPORTED);
        return;
    }
    all_run_once_and_locks_exclude(FT_PROCESSES);
}

TEST(forks, finished_threads_are_used_again)
{
    long total = 0;

    run(FT_UMS, 1, add_many, &total);
    EXPECT_LE(counts.created, MANY + 1);
    run(FT_USER, 1, add_many, &total);
    EXPECT_LE(counts.created, MANY + 1);
}

static void fork_tree(void *arg)
{
    int depth = *(int *)arg;
    int below = depth - 1;
    struct ft_thread *left;
    struct ft_thread *right;

    if (depth == 0)
        return;
    left = ft_fork(fork_tree, &below);
    right = ft_fork(fork_tree, &below);
    ASSERT_THAT(left && right, "fork at depth %d", depth);
    ft_join(left);
    ft_join(right);
}

TEST(forks, threads_fork_and_join_threads)
{
    for (size_t g = 0; g < COUNT(shared_memory); g++) {
        int depth = 7;

        run(shared_memory[g], 2, fork_tree, &depth);
        EXPECT_GE(counts.forks, 254);
    }
}

/* ---- Conditions ------------------------------------------------------------------------------ */

struct court {
    struct ft_lock lock;
    struct ft_condition serve[2];
    int turn;
    int hits;
    int faults;
};

struct player {
    struct court *court;
    int side;
};

static void play(void *arg)
{
    struct player *player = arg;
    struct court *court = player->court;

    ft_acquire(&court->lock);
    for (int i = 0; i < ROUNDS; i++) {
        while (court->turn != player->side)
            ft_wait(&court->serve[player->side], &court->lock);
        court->faults += court->turn != player->side;
        court->hits++;
        court->turn = !player->side;
        ft_signal(&court->serve[court->turn]);
    }
    ft_release(&court->lock);
}

static void play_match(void *arg)
{
    struct court *court = ft_allocate(sizeof(*court));
    struct player players[2] = {{court, 0}, {court, 1}};
    struct ft_thread *other;

    ft_lock_init(&court->lock);
    ft_condition_init(&court->serve[0]);
    ft_condition_init(&court->serve[1]);
    other = ft_fork(play, &players[1]);
    ASSERT_THAT(other, "fork");
    play(&players[0]);
    ft_join(other);
    ((int *)arg)[0] = court->hits;
    ((int *)arg)[1] = court->faults;
    ft_free(court, sizeof(*court));
}

TEST(conditions, two_threads_take_turns)
{
    for (size_t g = 0; g < COUNT(every) && ft_ground_here(every[g]); g++) {
        for (int processors = 1; processors <= 2; processors++) {
            int score[2] = {0, 0};

            run(every[g], processors, play_match, score);
            EXPECT_EQ(score[0], 2 * ROUNDS);
            EXPECT_EQ(score[1], 0);
        }
    }
}

struct gate {
    struct ft_lock lock;
    struct ft_condition opened;
    struct ft_condition filled;
    int waiting;
    int open;
    int passed;
};

static void pass(void *arg)
{
    struct gate *gate = arg;

    ft_acquire(&gate->lock);
    if (++gate->waiting == MANY)
        ft_signal(&gate->filled);
    while (!gate->open)
        ft_wait(&gate->opened, &gate->lock);
    gate->passed++;
    ft_release(&gate->lock);
}

static void open_gate(void *arg)
{
    static struct gate gate;
    struct ft_thread *threads[MANY];

    gate = (struct gate){.open = 0};
    ft_lock_init(&gate.lock);
    ft_condition_init(&gate.opened);
    ft_condition_init(&gate.filled);
    for (int i = 0; i < MANY; i++) {
        threads[i] = ft_fork(pass, &gate);
        ASSERT_THAT(threads[i], "fork %d", i);
    }
    ft_acquire(&gate.lock);
    while (gate.waiting < MANY)
        ft_wait(&gate.filled, &gate.lock);
    EXPECT_EQ(gate.passed, 0);
    gate.open = 1;
    ft_broadcast(&gate.opened);
    ft_release(&gate.lock);
    for (int i = 0; i < MANY; i++)
        ft_join(threads[i]);
    *(int *)arg = gate.passed;
}

TEST(conditions, a_broadcast_lets_all_go)
{
    for (size_t g = 0; g < COUNT(shared_memory); g++) {
        int passed = 0;

        run(shared_memory[g], 2, open_gate, &passed);
        EXPECT_EQ(passed, MANY);
    }
}

/* ---- Blocking -------------------------------------------------------------------------------- */

static HANDLE door;

static void wait_at_door(void *arg)
{
    *(DWORD *)arg = WaitForSingleObject(door, 2000);
}

static void open_door(void *arg)
{
    SetEvent(door);
}

static void block_and_release(void *arg)
{
    DWORD *result = arg;
    struct ft_thread *waiter;
    struct ft_thread *opener;

    waiter = ft_fork(wait_at_door, result);
    ft_yield(); /* on one processor it now waits in the kernel */
    opener = ft_fork(open_door, NULL);
    ASSERT_THAT(waiter && opener, "fork");
    ft_join(opener);
    ft_join(waiter);
}

/* The point of scheduler activations, and what a package without them cannot do. */
TEST(blocking, a_blocked_thread_gives_its_processor_back)
{
    DWORD result = WAIT_FAILED;

    door = CreateEventA(NULL, FALSE, FALSE, NULL);
    ASSERT_THAT(door, "an event");
    run(FT_UMS, 1, block_and_release, &result);
    EXPECT_EQ(result, WAIT_OBJECT_0);
    EXPECT_GE(counts.blocked, 1);
    EXPECT_EQ(WaitForSingleObject(door, 0), WAIT_TIMEOUT);
    run(FT_USER, 1, block_and_release, &result);
    EXPECT_EQ(result, WAIT_TIMEOUT); /* it took the only processor with it */
    CloseHandle(door);
}

static volatile LONG napping, most_napping;

static void nap(void *arg)
{
    LONG now = InterlockedIncrement(&napping);

    if (now > most_napping)
        InterlockedExchange(&most_napping, now);
    Sleep(20);
    InterlockedDecrement(&napping);
}

static void many_naps(void *arg)
{
    struct ft_thread *threads[20];

    InterlockedExchange(&most_napping, 0);
    for (int i = 0; i < 20; i++)
        threads[i] = ft_fork(nap, NULL);
    for (int i = 0; i < 20; i++) {
        ASSERT_THAT(threads[i], "fork %d", i);
        ft_join(threads[i]);
    }
    *(LONG *)arg = most_napping;
}

TEST(blocking, naps_overlap_on_one_processor)
{
    LONG ums = 0, user = 0;

    run(FT_UMS, 1, many_naps, &ums);
    run(FT_USER, 1, many_naps, &user);
    EXPECT_GT(ums, 1);
    EXPECT_EQ(user, 1);
}

/* ---- Bad arguments --------------------------------------------------------------------------- */

static void nested(void *arg)
{
    struct ft_options options = {.ground = FT_KERNEL, .processors = 1};

    *(DWORD *)arg = ft_run(&options, nap, NULL, NULL);
}

TEST(options, bad_ones_are_refused)
{
    struct ft_options good = {.ground = FT_KERNEL, .processors = 1};
    struct ft_options options = good;
    enum ft_ground ground = FT_USER;
    DWORD inner = 0;

    EXPECT_EQ(ft_run(NULL, nap, NULL, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(ft_run(&good, NULL, NULL, NULL), ERROR_INVALID_PARAMETER);
    options.processors = 0;
    EXPECT_EQ(ft_run(&options, nap, NULL, NULL), ERROR_INVALID_PARAMETER);
    options.processors = FT_MAX_PROCESSORS + 1;
    EXPECT_EQ(ft_run(&options, nap, NULL, NULL), ERROR_INVALID_PARAMETER);
    options = good;
    options.ground = (enum ft_ground)99;
    EXPECT_EQ(ft_run(&options, nap, NULL, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(ft_run(&good, nested, &inner, NULL), 0);
    EXPECT_EQ(inner, ERROR_BUSY);
    EXPECT_EQ(ft_ground_named("rock", &ground), FALSE);
    EXPECT_EQ(ground, FT_USER);
    EXPECT_EQ(ft_ground_named("kernel", &ground), TRUE);
    EXPECT_EQ(ground, FT_KERNEL);
}
