/* SPDX-License-Identifier: MIT
 *
 * The table of futex waits (platform/linux/calls/futex_table.c, futex_wake.c): each wait is in the
 * table, the kernel's or over, and no wake-up is lost or used twice. The doubles are the reactor,
 * the core and the kernel.
 */
#include "platform/linux/calls/futex_table.c"
#include "platform/linux/calls/futex_wake.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

struct engine_clock engine_clock;

enum { WAITERS = 4, WOKEN = 7, NOT_OVER = 1000 };

static struct plat_context waiters[WAITERS], caller, scheduler;
static struct lane lanes[2];
static uint32_t words[2];

static struct call *armed[WAITERS];
static unsigned armed_count, ticks_expected, kernel_wakes;
static bool settled_before_the_kernel;
static long refusal; /* the kernel's answer to a look at a word; 0: it looks */

void call_complete(struct call *call, long result)
{
    EXPECT_EQ(call->result, NOT_OVER);
    call->result = result;
}

uint64_t deadline_left(const struct call *call)
{
    return call->deadline;
}

void tick_expect(struct lane *lane)
{
    ticks_expected++;
}

/* The reactor has it, and has not looked at it yet. */
void lane_post(struct lane *lane, struct call *call, int how)
{
    EXPECT_EQ(how, CALL_ARM);
    EXPECT_EQ(call->lane, lane);
    EXPECT_EQ(atomic_load(&call->futex.tabled), false);
    armed[armed_count++] = call;
}

/* The kernel finds nobody. */
static long kernel(long nr, const long args[6])
{
    EXPECT_EQ(nr, SYS_futex);
    switch (args[1] & FUTEX_CMD_MASK) {
    case FUTEX_CMP_REQUEUE: /* moves nobody: it looks at a word */
        if (!args[2] && !args[3] && refusal)
            return refusal;
        if (!args[2] && !args[3])
            return *(uint32_t *)args[0] == (uint32_t)args[5] ? 0 : -EAGAIN;
        break;
    case FUTEX_WAKE_BITSET:
        kernel_wakes++;
        return 0;
    default:
        break;
    }
    settled_before_the_kernel = true;
    for (unsigned i = 0; i < armed_count; i++)
        settled_before_the_kernel &= armed[i]->settling == NULL;
    return 0;
}

/* The calling worker leaves; meanwhile the reactor arms what it was given. */
static int wait_as_worker(struct plat_context *which, bool (*left)(void *), void *arg)
{
    EXPECT_EQ(which, &caller);
    EXPECT_EQ(left(arg), true);
    for (unsigned i = 0; i < armed_count; i++) {
        struct settling *settling = armed[i]->settling;

        armed[i]->settling = NULL;
        if (settling)
            futex_settled(settling);
    }
    return 1;
}

static unsigned queued;

static void completed(struct plat_context *which)
{
    EXPECT_EQ(which, &caller);
    queued++;
}

static const struct plat_core core = {.worker_completed = completed, .worker_wait = wait_as_worker};
const struct plat_core *engine_core = &core;

static void start(void)
{
    futex_table_forget();
    memset(lanes, 0, sizeof lanes);
    memset(waiters, 0, sizeof waiters);
    memset(words, 0, sizeof words);
    armed_count = ticks_expected = kernel_wakes = queued = 0;
    refusal = 0;
    settled_before_the_kernel = false;
    scheduler.lane = &lanes[0];
    caller.scheduler = &scheduler;
    double_syscall = kernel;
}

/* A wait for the word to be no longer 0. */
static struct call *wait_at(unsigned which, struct lane *lane, uint32_t *word, long flags)
{
    struct call *call = &waiters[which].call;

    call->args[0] = (long)word;
    call->args[1] = FUTEX_WAIT | flags;
    call->args[2] = 0;
    call->lane = lane;
    call->deadline = PLAT_FOREVER;
    call->result = NOT_OVER;
    futex_word_is_good(call);
    EXPECT_EQ(futex_table_enter(lane, call), true);
    return call;
}

static long wake_at(uint32_t *word, long flags, long count)
{
    const long args[6] = {(long)word, FUTEX_WAKE | flags, count};
    long result = -1;

    EXPECT_EQ(futex_lets_go(&caller, args, &result), true);
    return result;
}

static void refuses_a_changed_word(long flags)
{
    start();
    words[0] = 1;
    struct call *call = wait_at(0, &lanes[0], &words[0], flags);

    EXPECT_EQ(call->result, -EAGAIN);
    EXPECT_EQ(atomic_load(&call->futex.tabled), false);
    EXPECT_EQ(ticks_expected, 0u);
    EXPECT_EQ(wake_at(&words[0], flags, 1), 0);
}

TEST(FutexTable, a_word_that_has_changed_is_not_waited_for)
{
    refuses_a_changed_word(FUTEX_PRIVATE_FLAG);
    refuses_a_changed_word(0);
}

/* The word goes, or is no word of this process's any more, between the attempt and the table. */
TEST(FutexTable, a_word_that_is_gone_is_told_as_by_the_kernel)
{
    static const long errors[] = {-EFAULT, -EINVAL, -EAGAIN};

    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        start();
        refusal = errors[i];
        struct call *call = wait_at(0, &lanes[0], &words[0], 0);

        EXPECT_EQ(call->result, errors[i]);
        EXPECT_EQ(atomic_load(&call->futex.tabled), false);
    }
}

TEST(FutexTable, a_wake_up_finds_the_first_and_one_only)
{
    start();
    struct call *first = wait_at(0, &lanes[0], &words[0], FUTEX_PRIVATE_FLAG),
                *second = wait_at(1, &lanes[1], &words[0], FUTEX_PRIVATE_FLAG);

    EXPECT_EQ(ticks_expected, 2u);
    EXPECT_EQ(wake_at(&words[0], FUTEX_PRIVATE_FLAG, 1), 1);
    EXPECT_EQ(first->result, 0);
    EXPECT_EQ(second->result, NOT_OVER);
    EXPECT_EQ(kernel_wakes, 0u);
    EXPECT_EQ(wake_at(&words[0], FUTEX_PRIVATE_FLAG, 5), 1);
    EXPECT_EQ(second->result, 0);
    EXPECT_EQ(kernel_wakes, 1u); /* it is asked for the other four */
}

/* As in the kernel, where they have keys of two kinds. */
TEST(FutexTable, private_and_shared_waits_at_one_address_are_different)
{
    start();
    struct call *of_its_own = wait_at(0, &lanes[0], &words[0], FUTEX_PRIVATE_FLAG),
                *shared = wait_at(1, &lanes[0], &words[0], 0);

    EXPECT_EQ(wake_at(&words[0], 0, WOKEN), 1);
    EXPECT_EQ(shared->result, 0);
    EXPECT_EQ(of_its_own->result, NOT_OVER);
    EXPECT_EQ(wake_at(&words[0], 0, WOKEN), 0);
    EXPECT_EQ(wake_at(&words[0], FUTEX_PRIVATE_FLAG, WOKEN), 1);
    EXPECT_EQ(of_its_own->result, 0);
}

/* Nobody on the lane would look after them while its scheduler sleeps, and the other lane's
 * scheduler is awake. */
TEST(FutexTable, a_lane_that_falls_asleep_leaves_its_waits_to_the_kernel)
{
    start();
    struct call *first = wait_at(0, &lanes[0], &words[0], FUTEX_PRIVATE_FLAG),
                *other = wait_at(1, &lanes[1], &words[0], FUTEX_PRIVATE_FLAG),
                *last = wait_at(2, &lanes[0], &words[1], FUTEX_PRIVATE_FLAG);

    futex_table_arm(&lanes[0]);
    ASSERT_EQ(armed_count, 2u);
    EXPECT_THAT((armed[0] == first && armed[1] == last) || (armed[0] == last && armed[1] == first),
                "%p and %p", (void *)armed[0], (void *)armed[1]);
    EXPECT_EQ(atomic_load(&other->futex.tabled), true);
    futex_table_arm(&lanes[0]);
    EXPECT_EQ(armed_count, 2u); /* each once */
    EXPECT_EQ(futex_table_cancel(first), false);
    EXPECT_EQ(futex_table_cancel(other), true);
}

TEST(FutexTable, a_wait_is_armed_when_it_has_seen_a_whole_tick)
{
    start();
    wait_at(0, &lanes[0], &words[0], FUTEX_PRIVATE_FLAG);
    EXPECT_EQ(futex_table_age(&lanes[0]), true);
    EXPECT_EQ(armed_count, 0u);
    EXPECT_EQ(futex_table_age(&lanes[0]), false);
    EXPECT_EQ(armed_count, 1u);
}

/* The kernel moves only those that are in its queues. */
TEST(FutexTable, a_requeue_comes_after_all_waits_on_its_words_are_armed)
{
    start();
    wait_at(0, &lanes[0], &words[0], FUTEX_PRIVATE_FLAG);
    wait_at(1, &lanes[1], &words[0], FUTEX_PRIVATE_FLAG);
    wait_at(2, &lanes[0], &words[1], FUTEX_PRIVATE_FLAG);
    const long args[6] = {
        (long)&words[0], FUTEX_REQUEUE | FUTEX_PRIVATE_FLAG, 1, 1, (long)&words[1], 0};
    long result = -1;

    EXPECT_EQ(futex_lets_go(&caller, args, &result), true);
    EXPECT_EQ(result, 0);
    EXPECT_EQ(armed_count, 3u);
    EXPECT_EQ(settled_before_the_kernel, true);
    EXPECT_EQ(queued, 1u); /* by the last that was armed */
}

/* libc's wake-ups that find nobody are owed from a point on. The scheduler may sleep for long. */
TEST(FutexTable, a_wake_up_that_is_owed_is_made_before_the_lane_sleeps)
{
    const long args[6] = {(long)&words[0], FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1};
    long result;

    start();
    for (unsigned i = 0; i < FUTILE; i++)
        EXPECT_EQ(futex_lets_go_for_libc(&caller, args, &result), true);
    EXPECT_EQ(kernel_wakes, (unsigned)FUTILE);
    EXPECT_EQ(futex_lets_go_for_libc(&caller, args, &result), true);
    EXPECT_EQ(kernel_wakes, (unsigned)FUTILE);
    futex_table_arm(&lanes[0]);
    EXPECT_EQ(kernel_wakes, FUTILE + 1u);
    futex_table_arm(&lanes[0]);
    EXPECT_EQ(kernel_wakes, FUTILE + 1u);
}

TEST(FutexTable, a_child_has_no_waits)
{
    start();
    wait_at(0, &lanes[0], &words[0], FUTEX_PRIVATE_FLAG);
    futex_table_forget();
    EXPECT_EQ(wake_at(&words[0], FUTEX_PRIVATE_FLAG, WOKEN), 0);
}
