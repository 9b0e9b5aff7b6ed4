/* SPDX-License-Identifier: MIT
 *
 * futexes.c - every operation of futexes, made by workers: whom it wakes, in which order, how many it says it woke,
 * and what it says of bad arguments.
 *
 * A wait is on its way when its worker is reported as blocked: the kernel may not know it yet. So an operation of
 * a plain thread is made again until it has found whom it is for.
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 8, LIMIT_MS = 5000, WAIT_MS = 30, LONG_MS = 20000 };

static unsigned word, other_word;
static int order[MOST], order_count; /* who was woken, by index */
static int entered;                  /* how many have come to their wait */

static long futex(unsigned *at, int operation, unsigned value, const void *time_or_count,
                  unsigned *second, unsigned third)
{
    return syscall(SYS_futex, at, operation, value, time_or_count, second, third);
}

static long wake(unsigned *at, int count)
{
    return futex(at, FUTEX_WAKE_PRIVATE, (unsigned)count, NULL, NULL, 0);
}

static struct timespec from_now(int clock, long ms)
{
    struct timespec at = {0};

    if (clock >= 0)
        clock_gettime(clock, &at);
    at.tv_nsec += ms * 1000000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
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

static void yield_until_entered(int count)
{
    long long started = now_ms();

    while (flag_get(&entered) < count && elapsed_ms(started) < LIMIT_MS)
        UmsThreadYield(NULL);
    EXPECT_EQ(flag_get(&entered), count);
}

static void yield_until_woken(int count)
{
    long long started = now_ms();

    while (flag_get(&order_count) < count && elapsed_ms(started) < LIMIT_MS)
        UmsThreadYield(NULL);
    EXPECT_EQ(flag_get(&order_count), count);
}

/* Until it was woken so many: the kernel may not have all of the waits yet. */
static void wake_all_of(unsigned *at, int count)
{
    long long started = now_ms();
    int woken = 0;

    while (woken < count && elapsed_ms(started) < LIMIT_MS) {
        long n = wake(at, count - woken);

        EXPECT_GE(n, 0);
        woken += (int)n;
        if (woken < count)
            UmsThreadYield(NULL);
    }
    EXPECT_EQ(woken, count);
}

static void wake_in_turn(struct worker *self)
{
    (void)self;
    yield_until_entered(4);
    for (int i = 0; i < 4; i++) {
        wake_all_of(&word, 1);
        yield_until_woken(i + 1);
    }
    EXPECT_EQ(wake(&word, 1), 0);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(order[i], i);
}

TEST(Futexes, are_woken_in_the_order_they_came)
{
    run_waits(4, NULL, wake_in_turn);
}

static void wake_late_in_turn(struct worker *self)
{
    yield_until_entered(4);
    usleep(WAIT_MS * 1000); /* the kernel has them by now */
    wake_in_turn(self);
}

TEST(Futexes, that_the_kernel_has_are_woken_in_order_too)
{
    run_waits(4, NULL, wake_late_in_turn);
}

static void wake_at_once(struct worker *self)
{
    (void)self;
    yield_until_entered(5);
    wake_all_of(&word, 5);
    EXPECT_EQ(wake(&word, INT_MAX), 0);
}

TEST(Futexes, are_counted)
{
    run_waits(5, NULL, wake_at_once);
}

/* Less than one is one, as the kernel has it. */
static void wake_less_than_one(struct worker *self)
{
    long long started = now_ms();
    long woken = 0;

    (void)self;
    yield_until_entered(2);
    while (woken < 2 && elapsed_ms(started) < LIMIT_MS) {
        long n = wake(&word, woken ? -3 : 0);

        EXPECT_OK(n == 0 || n == 1);
        woken += n;
        UmsThreadYield(NULL);
    }
    EXPECT_EQ(woken, 2);
}

TEST(Futexes, wake_one_when_asked_for_none)
{
    run_waits(2, NULL, wake_less_than_one);
}

static void wake_by_bits(struct worker *self)
{
    long long started = now_ms();

    (void)self;
    yield_until_entered(3);
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
    (void)self;
    yield_until_entered(1);
    usleep(WAIT_MS * 1000);
    EXPECT_EQ(futex(&word, FUTEX_WAKE, 9, NULL, NULL, 0), 0);
    wake_all_of(&word, 1);
}

TEST(Futexes, private_is_not_shared)
{
    run_waits(1, NULL, wake_as_shared);
}

static void wake_another_word(struct worker *self)
{
    (void)self;
    yield_until_entered(2);
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

    (void)self;
    yield_until_entered(3);
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

TEST(Futexes, move_to_another_word)
{
    run_waits(3, NULL, requeue);
}

static void requeue_as_it_is(struct worker *self)
{
    long long started = now_ms();

    (void)self;
    yield_until_entered(1);
    while (futex(&word, FUTEX_REQUEUE_PRIVATE, 0, (void *)1L, &other_word, 0) == 0 &&
           elapsed_ms(started) < LIMIT_MS)
        UmsThreadYield(NULL);
    EXPECT_EQ(wake(&word, 1), 0);
    EXPECT_EQ(wake(&other_word, 1), 1);
}

TEST(Futexes, move_without_a_look_at_the_word)
{
    run_waits(1, NULL, requeue_as_it_is);
}

/* Adds nothing to the other word, so that no wait there is refused, and wakes there as well because it was 0. */
static void wake_by_operation(struct worker *self)
{
    int add = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0);
    int set = FUTEX_OP(FUTEX_OP_SET, 5, FUTEX_OP_CMP_EQ, 0);
    long long started = now_ms();
    long woken = 0;

    (void)self;
    yield_until_entered(2);
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

    (void)self;
    yield_until_entered(3);
    EXPECT_EQ(pthread_create(&thread, NULL, wake_from_outside, (void *)(intptr_t)3), 0);
    yield_until_woken(3); /* the scheduler never sleeps meanwhile */
    EXPECT_EQ(pthread_join(thread, NULL), 0);
}

TEST(Futexes, are_woken_by_a_thread_while_the_scheduler_is_busy)
{
    run_waits(3, NULL, wake_from_a_thread);
}

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

/* ---- Time ---- */

static void give_up(struct block_case *c)
{
    int clock = (int)c->number;
    struct timespec at = from_now(clock, WAIT_MS);
    int operation = clock < 0                 ? FUTEX_WAIT_PRIVATE
                    : clock == CLOCK_REALTIME ? FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME
                                              : FUTEX_WAIT_BITSET_PRIVATE;
    long long started = now_ms();

    EXPECT_ERRNO(futex(&word, operation, 0, &at, NULL, FUTEX_BITSET_MATCH_ANY), ETIMEDOUT);
    EXPECT_GE(elapsed_ms(started), WAIT_MS - 1);
    EXPECT_LT(elapsed_ms(started), LIMIT_MS);
}

TEST(Futexes, give_up_after_a_time)
{
    struct block_case c = {.block = give_up, .number = -1};

    word = 0;
    run_block_case(&c);
}

TEST(Futexes, give_up_at_a_time)
{
    struct block_case c = {.block = give_up, .number = CLOCK_MONOTONIC};

    word = 0;
    run_block_case(&c);
}

TEST(Futexes, give_up_at_a_time_of_day)
{
    struct block_case c = {.block = give_up, .number = CLOCK_REALTIME};

    word = 0;
    run_block_case(&c);
}

static void give_up_at_once(struct block_case *c)
{
    struct timespec past = {1, 0}, none = {0, 0};

    (void)c;
    EXPECT_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, &none, NULL, 0), ETIMEDOUT);
    EXPECT_ERRNO(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, &past, NULL, 1), ETIMEDOUT);
}

TEST(Futexes, give_up_when_the_time_is_over_already)
{
    struct block_case c = {.block = give_up_at_once};

    word = 0;
    run_unblocked(give_up_at_once, &c, 2);
}

/* ---- Bad arguments ---- */

static void refuse(struct block_case *c)
{
    struct timespec bad = {0, 1000000000}, before = {-1, 0};
    unsigned *forbidden = c->data;

    for (int i = 0; i < 2; i++) { /* the second time a page has been seen */
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0), EAGAIN);
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0), EAGAIN);
        EXPECT_ERRNO(futex((unsigned *)8, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), EFAULT);
        EXPECT_ERRNO(futex(forbidden, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), EFAULT);
        EXPECT_ERRNO(futex(forbidden, FUTEX_WAIT, 0, NULL, NULL, 0), EFAULT);
        EXPECT_ERRNO(futex((unsigned *)((char *)&word + 1), FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0),
                     EINVAL);
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 0), EINVAL);
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, &bad, NULL, 0), EINVAL);
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, &before, NULL, 0), EINVAL);
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, (void *)8L, NULL, 0), EFAULT);
        EXPECT_ERRNO(futex((unsigned *)((char *)&word + 2), FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0),
                     EINVAL);
        EXPECT_ERRNO(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 0), EINVAL);
        EXPECT_ERRNO(futex(&word, 99 | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0), ENOSYS);
    }
}

TEST(Futexes, refuse_what_the_kernel_refuses)
{
    struct block_case c = {0};

    word = 0;
    c.data = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_OK(c.data != MAP_FAILED);
    run_unblocked(refuse, &c, 2);
    munmap(c.data, 4096);
}

/* ---- Signals and ends ---- */

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
    (void)number;
    handled++;
}

static void wait_for_signal(struct block_case *c)
{
    struct timespec limit = from_now(-1, LONG_MS);

    if (c->number) /* a wait without a time is made again after the handler */
        EXPECT_EQ(futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), 0);
    else
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0), EINTR);
    EXPECT_EQ(handled, 1);
}

static void send_signal(struct block_case *c)
{
    long long started = now_ms();

    EXPECT_EQ(pthread_kill((pthread_t)c->blocked_pthread, SIGUSR1), 0);
    while (!handled && elapsed_ms(started) < LIMIT_MS)
        UmsThreadYield(NULL);
    if (c->number)
        wake_all_of(&word, 1);
}

static void run_signal(int flags, long restarts)
{
    struct block_case c = {.block = wait_for_signal, .complete = send_signal, .number = restarts};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags}, before;

    word = 0;
    handled = 0;
    ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
    run_block_case(&c);
    sigaction(SIGUSR1, &before, NULL);
}

TEST(Futexes, end_by_a_signal)
{
    run_signal(0, 0);
}

TEST(Futexes, go_on_after_a_signal)
{
    run_signal(SA_RESTART, 1);
}

static void wait_for_ever(struct worker *self)
{
    (void)self;
    flag_add(&entered, 1);
    futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    FAIL("it was to end in its wait");
}

/* At once, while it is young, and after a while. */
static void end_the_others(struct worker *self)
{
    for (int i = 0; i < 2; i++) {
        struct worker *victim = fleet_worker(self->fleet, i);

        yield_until_entered(2);
        EXPECT_OK(TerminateThread(victim->thread, 7));
        while (WaitForSingleObject(victim->thread, 0) != WAIT_OBJECT_0)
            UmsThreadYield(NULL);
        usleep(WAIT_MS * 1000);
    }
    EXPECT_EQ(wake(&word, 9), 0);
}

TEST(Futexes, end_with_their_worker)
{
    struct fleet *fleet = fleet_create(1, 3, 0);

    ASSERT_NE(fleet, NULL);
    word = 0;
    entered = 0;
    fleet_add(fleet, wait_for_ever, NULL);
    fleet_add(fleet, wait_for_ever, NULL);
    fleet_add(fleet, end_the_others, NULL);
    ASSERT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
}

/* ---- Mutexes that the kernel helps with ---- */

static pthread_mutex_t mutex;
static long inside;

static void lock_in_turn(struct worker *self)
{
    for (int i = 0; i < 50; i++) {
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
        inside++;
        UmsThreadYield(self); /* the other finds it taken */
        EXPECT_EQ(--inside, 0);
        EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
        if (tc_failures() > 3)
            return;
    }
}

static void lock_and_end(struct worker *self)
{
    (void)self;
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    flag_set(&entered, 1);
    UmsThreadYield(self);
}

static void lock_after_the_dead(struct worker *self)
{
    yield_until_entered(1);
    (void)self;
    EXPECT_EQ(pthread_mutex_lock(&mutex), EOWNERDEAD);
    EXPECT_EQ(pthread_mutex_consistent(&mutex), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
}

static void run_mutex(int protocol, int robust, worker_body first, worker_body second)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    pthread_mutexattr_t attributes;

    ASSERT_NE(fleet, NULL);
    entered = 0;
    inside = 0;
    pthread_mutexattr_init(&attributes);
    EXPECT_EQ(pthread_mutexattr_setprotocol(&attributes, protocol), 0);
    EXPECT_EQ(pthread_mutexattr_setrobust(&attributes, robust), 0);
    EXPECT_EQ(pthread_mutex_init(&mutex, &attributes), 0);
    fleet_add(fleet, first, NULL);
    fleet_add(fleet, second, NULL);
    ASSERT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
    EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
    pthread_mutexattr_destroy(&attributes);
}

TEST(Futexes, two_workers_contend_for_a_priority_inheriting_mutex)
{
    run_mutex(PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED, lock_in_turn, lock_in_turn);
}

TEST(Futexes, two_workers_contend_for_a_robust_mutex)
{
    run_mutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST, lock_in_turn, lock_in_turn);
}

TEST(Futexes, a_robust_mutex_outlives_its_owner)
{
    run_mutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST, lock_and_end, lock_after_the_dead);
}
