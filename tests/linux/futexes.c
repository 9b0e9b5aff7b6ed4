/* SPDX-License-Identifier: MIT
 *
 * futexes.c - every operation of futexes, made by workers: which waiters it wakes, in which order,
 * and the number that it returns.
 *
 * Other ends of a wait, and bad arguments: futex_ends.c. When a worker is reported as blocked, the
 * kernel may not have its wait yet. So a plain thread makes its operation again until the operation
 * has found its waiter.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "child.h"
#include "futex_calls.h"
#include "is_set.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { MOST = 8 };

static unsigned word, other_word;
static int order[MOST], order_count; /* who was woken, by index */
static int entered;                  /* how many have come to their wait */
static long long first_entered_ns;   /* when the first one was about to */
static long long last_woken_ns;      /* when the last one had gone on */

static long long now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* ---- Nothing to wait for ---- */

UNBLOCKED_TEST(Futexes, whose_word_has_changed_are_not_waited_for, 5)
{
    enum { TIMES = 100 };

    word = 1;
    for (int i = 0; i < TIMES; i++)
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), EAGAIN);
    word = 0;
}

/* ---- Some wait, the last worker lets them go ---- */

struct wait_plan {
    unsigned bits; /* 0: a wait without bits */
    unsigned *at;
};

static void wait_once(struct worker *self)
{
    const struct wait_plan *plan = self->arg;
    unsigned *at = plan && plan->at ? plan->at : &word;

    if (!self->index)
        first_entered_ns = now_ns();
    flag_add(&entered, 1);
    if (plan && plan->bits)
        EXPECT_EQ(futex(at, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, plan->bits), 0);
    else
        EXPECT_EQ(futex(at, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), 0);
    order[flag_add(&order_count, 1) - 1] = self->index;
}

/* `last` runs on the same scheduler when `count` workers have come to their waits. */
static void run_waits(int count, const struct wait_plan *plans, worker_body last)
{
    struct fleet *fleet = fleet_create(1, count + 1, 0);

    ASSERT_NE(fleet, NULL);
    word = other_word = 0;
    order_count = entered = 0;
    for (int i = 0; i < count; i++)
        fleet_add(fleet, wait_once, (void *)(plans ? &plans[i] : NULL));
    fleet_add(fleet, last, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(order_count, count);
    fleet_destroy(fleet);
}

static void yield_until_woken(int count)
{
    long long started = now_ms();

    while (flag_get(&order_count) < count && elapsed_ms(started) < LIMIT_MS)
        UmsThreadYield(NULL);
    EXPECT_EQ(flag_get(&order_count), count);
}

static void wake_in_turn(struct worker *self)
{
    yield_until_entered(&entered, 4);
    for (int i = 0; i < 4; i++) {
        wake_all_of(&word, 1);
        yield_until_woken(i + 1);
    }
    last_woken_ns = now_ns();
    EXPECT_EQ(wake(&word, 1), 0);
}

static bool came_in_order(void)
{
    for (int i = 0; i < 4; i++)
        if (order[i] != i)
            return false;
    return true;
}

static void expect_in_order(void)
{
    EXPECT_THAT(came_in_order(), "order %d %d %d %d", order[0], order[1], order[2], order[3]);
}

/* A wait that has seen a whole tick pass is given to the kernel, and those that came after it are woken before it. So
 * the order is promised to waits that are over within a tick of the first. Where the machine is busy a worker can lose
 * its processor for longer: another order says nothing then, and new ones are made. */
TEST(Futexes, are_woken_in_the_order_they_came)
{
    enum { TICK_NS = 200000, ROUNDS = 100 };
    long long took = LLONG_MAX;

    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        run_waits(4, NULL, wake_in_turn);
        took = last_woken_ns - first_entered_ns;
        if (took < TICK_NS || came_in_order())
            break;
    }
    expect_in_order();
}

/* The ring takes them to the kernel one after the other. Helpers, each a thread with a wait of its own, come as they
 * may. */
static void wake_late_in_turn(struct worker *self)
{
    yield_until_entered(&entered, 4);
    usleep(WAIT_MS * 1000); /* the kernel has them by now */
    wake_in_turn(self);
    if (!is_set("UMSSHIM_RING", "0"))
        expect_in_order();
}

CALL_TEST(Futexes, that_the_kernel_has_are_woken_in_order_too,
          run_waits(4, NULL, wake_late_in_turn))

static void wake_at_once(struct worker *self)
{
    yield_until_entered(&entered, 5);
    wake_all_of(&word, 5);
    EXPECT_EQ(wake(&word, INT_MAX), 0);
}

CALL_TEST(Futexes, are_counted, run_waits(5, NULL, wake_at_once))

/* Less than one is one, as the kernel has it. */
static void wake_less_than_one(struct worker *self)
{
    long long started = now_ms();
    long woken = 0;

    yield_until_entered(&entered, 2);
    while (woken < 2 && elapsed_ms(started) < LIMIT_MS) {
        long n = wake(&word, woken ? -3 : 0);

        EXPECT_OK(n == 0 || n == 1);
        woken += n;
        UmsThreadYield(NULL);
    }
    EXPECT_EQ(woken, 2);
}

CALL_TEST(Futexes, wake_one_when_asked_for_none, run_waits(2, NULL, wake_less_than_one))

static void wake_by_bits(struct worker *self)
{
    long long started = now_ms();

    yield_until_entered(&entered, 3);
    EXPECT_EQ(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 9, NULL, NULL, 8), 0);
    while (flag_get(&order_count) < 1 && elapsed_ms(started) < LIMIT_MS) {
        futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 9, NULL, NULL, 2);
        UmsThreadYield(NULL);
    }
    EXPECT_EQ(order[0], 1);
    EXPECT_EQ(flag_get(&order_count), 1);
    wake_all_of(&word, 2);
}

TEST(Futexes, are_chosen_by_bits)
{
    static const struct wait_plan plans[] = {{.bits = 1}, {.bits = 2}, {.bits = 4}};

    run_waits(3, plans, wake_by_bits);
}

/* A private wait and a wake that is not are about two different futexes. */
static void wake_as_shared(struct worker *self)
{
    yield_until_entered(&entered, 1);
    usleep(WAIT_MS * 1000);
    EXPECT_EQ(futex(&word, FUTEX_WAKE, 9, NULL, NULL, 0), 0);
    wake_all_of(&word, 1);
}

CALL_TEST(Futexes, private_is_not_shared, run_waits(1, NULL, wake_as_shared))

static void wake_another_word(struct worker *self)
{
    yield_until_entered(&entered, 2);
    wake_all_of(&other_word, 1);
    yield_until_woken(1);
    EXPECT_EQ(order[0], 1);
    wake_all_of(&word, 1);
}

TEST(Futexes, are_told_apart_by_address)
{
    static const struct wait_plan plans[] = {{.at = &word}, {.at = &other_word}};

    run_waits(2, plans, wake_another_word);
}

/* ---- Operations on two words ---- */

/* Wakes one of three, and moves the other two to the other word. */
static void requeue(struct worker *self)
{
    long long started = now_ms();
    long seen = 0;

    yield_until_entered(&entered, 3);
    EXPECT_ERRNO(futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)9L, &other_word, 77), EAGAIN);
    while (seen < 3 && elapsed_ms(started) < LIMIT_MS) {
        long n = futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, seen ? 0 : 1, (void *)9L, &other_word, 0);

        EXPECT_GE(n, 0);
        seen += n;
        UmsThreadYield(NULL);
    }
    EXPECT_EQ(seen, 3);
    yield_until_woken(1);
    EXPECT_EQ(wake(&word, 9), 0);
    for (int i = 0; i < 100; i++)
        UmsThreadYield(NULL);
    EXPECT_EQ(flag_get(&order_count), 1);
    EXPECT_EQ(wake(&other_word, 9), 2);
}

CALL_TEST(Futexes, move_to_another_word, run_waits(3, NULL, requeue))

static void requeue_as_it_is(struct worker *self)
{
    long long started = now_ms();

    yield_until_entered(&entered, 1);
    while (futex(&word, FUTEX_REQUEUE_PRIVATE, 0, (void *)1L, &other_word, 0) == 0 &&
           elapsed_ms(started) < LIMIT_MS)
        UmsThreadYield(NULL);
    EXPECT_EQ(wake(&word, 1), 0);
    EXPECT_EQ(wake(&other_word, 1), 1);
}

CALL_TEST(Futexes, move_without_a_look_at_the_word, run_waits(1, NULL, requeue_as_it_is))

/* Adds nothing to the other word, so that no wait there is refused, and wakes there as well because it was 0. */
static void wake_by_operation(struct worker *self)
{
    int add = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0);
    int set = FUTEX_OP(FUTEX_OP_SET, 5, FUTEX_OP_CMP_EQ, 0);
    long long started = now_ms();
    long woken = 0;

    yield_until_entered(&entered, 2);
    while (woken < 2 && elapsed_ms(started) < LIMIT_MS) {
        long n = futex(&word, FUTEX_WAKE_OP_PRIVATE, 1, (void *)1L, &other_word, (unsigned)add);

        EXPECT_GE(n, 0);
        woken += n;
        UmsThreadYield(NULL);
    }
    EXPECT_EQ(woken, 2);
    EXPECT_EQ(futex(&word, FUTEX_WAKE_OP_PRIVATE, 1, (void *)1L, &other_word, (unsigned)set), 0);
    EXPECT_EQ(other_word, 5);
}

TEST(Futexes, wake_op_finds_both)
{
    static const struct wait_plan plans[] = {{.at = &word}, {.at = &other_word}};

    run_waits(2, plans, wake_by_operation);
}

/* ---- By others ---- */

static void *wake_from_outside(void *count)
{
    long long started = now_ms();
    int left = (int)(intptr_t)count;

    while (left && elapsed_ms(started) < LIMIT_MS) {
        left -= (int)wake(&word, left);
        usleep(100);
    }
    EXPECT_EQ(left, 0);
    return NULL;
}

static void wake_from_a_thread(struct worker *self)
{
    pthread_t thread;

    yield_until_entered(&entered, 3);
    EXPECT_EQ(pthread_create(&thread, NULL, wake_from_outside, (void *)(intptr_t)3), 0);
    yield_until_woken(3); /* the scheduler never sleeps meanwhile */
    EXPECT_EQ(pthread_join(thread, NULL), 0);
}

CALL_TEST(Futexes, are_woken_by_a_thread_while_the_scheduler_is_busy,
          run_waits(3, NULL, wake_from_a_thread))

static void wait_shared(struct block_case *c)
{
    EXPECT_EQ(futex(c->data, FUTEX_WAIT, 0, NULL, NULL, 0), 0);
}

static void wake_from_a_process(struct block_case *c)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        for (int i = 0; i < LIMIT_MS; i++) {
            if (futex(c->data, FUTEX_WAKE, 1, NULL, NULL, 0) == 1)
                _exit(0);
            usleep(1000);
        }
        _exit(1);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(Futexes, are_woken_by_another_process)
{
    struct block_case c = {.block = wait_shared, .complete = wake_from_a_process};

    c.data = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_OK(c.data != MAP_FAILED);
    run_block_case(&c);
    munmap(c.data, 4096);
}
