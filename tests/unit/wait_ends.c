/* SPDX-License-Identifier: MIT
 *
 * How a thread stands still, and how its wait is ended from outside (platform/linux/dispatch/wait.c): by its time, by
 * procedures, by its end, by a signal. Each ends a wait of the right kind once, and whoever still reads the wait is
 * waited for. The kernel's calls are where other threads take their turn.
 */
#include "platform/linux/dispatch/wait.c"
#include "platform/linux/dispatch/waiters.c"
#include "platform/linux/dispatch/bucket.c"
#include "platform/linux/dispatch/offer.c"
#include "platform/linux/dispatch/ready.c"
#include "platform/linux/dispatch/seat.c"

#include "doubles.h"
#include "gtest_c.h"
#include "no_proxies.h"
#include "plain_objects.h"
#include "silent_trace.h"

#include <string.h>

struct engine_clock engine_clock;
struct trace_state trace_state;

enum kind { FOR_ONE, AT_ADDRESS, FOR_TIME, FOR_ANY, FOR_ALL, KINDS };

static struct plat_thread rooms[2], thread, other; /* a thread is the largest of objects */
static struct object *const objects[2] = {&rooms[0].object, &rooms[1].object};
static struct plat_context worker, scheduler;
static struct wait wait, others_wait;
static struct wait_block blocks[2], others_block;
static uint32_t word;
static struct apc *const a_procedure = (struct apc *)&word;
static unsigned queued, fired, sleeps;

bool object_lock_to_signal(struct object *object)
{
    bool all = object->all_waits != 0;

    if (all)
        plat_lock(&all_lock);
    plat_lock(&object->lock);
    return all;
}

void timer_add(struct plat_timer *timer)
{
    timer->armed = true;
}

bool timer_cancel(struct plat_timer *timer) /* false: it runs, or has run */
{
    bool armed = timer->armed;

    timer->armed = false;
    return armed;
}

void wait_trace(struct plat_context *which)
{
    FAIL("nobody listens");
}

static void completed(struct plat_context *which)
{
    EXPECT_EQ(which, &worker);
    queued++;
}

static int (*during_wait)(bool (*left)(void *arg), void *arg);

static int leave(struct plat_context *which, bool (*left)(void *arg), void *arg)
{
    EXPECT_EQ(which, &worker);
    return during_wait(left, arg);
}

static const struct plat_core core = {.worker_completed = completed, .worker_wait = leave};
const struct plat_core *engine_core = &core;

static void nothing(struct plat_thread *self)
{
    EXPECT_EQ(self, &thread);
}

struct dispatch_hooks dispatch_hooks = {.after_wait = nothing};

static void start(void)
{
    memset(rooms, 0, sizeof rooms);
    thread = other = (struct plat_thread){.object = {.type = OBJECT_THREAD, .refs = 1}};
    worker = (struct plat_context){.thread = &thread, .scheduler = &scheduler};
    for (unsigned i = 0; i < 2; i++)
        *objects[i] = (struct object){.type = OBJECT_AUTO_EVENT, .refs = 1};
    queued = fired = sleeps = 0;
    double_syscall = NULL;
    plat_tls.thread = &thread;
    plat_tls.current = &worker;
    ASSERT_NE(sitter_of(&thread), NULL);
}

/* The worker waits, and its stack was left; somebody else waits before it. */
static void begin(enum kind kind, bool alertable)
{
    wait_init(&others_wait, &others_block, &other);
    wait_init(&wait, blocks, &thread);
    wait.worker = &worker;
    wait.alertable = alertable;
    wait.all = kind == FOR_ALL;
    if (kind == FOR_ONE || kind == FOR_ALL)
        wait_enqueue(&others_wait, objects[0]);
    if (kind == AT_ADDRESS) {
        address_enqueue(&others_wait, bucket_of(&word), &word);
        address_enqueue(&wait, bucket_of(&word), &word);
    } else if (kind == FOR_TIME) {
        thread.sleep = &wait;
        atomic_store(&thread.waits_at, WAITS_FOR_TIME);
    } else if (kind == FOR_ANY) {
        wait.any = true;
        wait.sitter = thread.sitter;
        thread.sitter->wait = &wait;
        atomic_store(&thread.sitter->word, SEAT_NUMBER(atomic_load(&thread.sitter->word)) |
                                               SEAT_PARKED | (alertable ? SEAT_ALERTABLE : 0));
        atomic_store(&thread.waits_at, WAITS_FOR_ANY);
    } else {
        wait_enqueue(&wait, objects[0]);
        if (kind == FOR_ALL)
            wait_enqueue(&wait, objects[1]);
    }
}

/* Nothing is locked any more, nobody but the other waits, and the worker was queued once. */
static void expect_ended(enum kind kind, uint32_t result)
{
    EXPECT_EQ(wait.decided, true);
    EXPECT_EQ(wait.result, result);
    EXPECT_EQ(queued, 1u);
    EXPECT_EQ(atomic_load(&thread.waits_at), 0u);
    EXPECT_EQ(thread.sleep, NULL);
    EXPECT_EQ(others_wait.decided, false);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_EQ(plat_lock_taken(&objects[i]->lock), false);
        EXPECT_EQ(objects[i]->all_waits, 0u);
    }
    EXPECT_EQ(plat_lock_taken(&all_lock), false);
    EXPECT_EQ(plat_lock_taken(&bucket_of(&word)->lock), false);
    EXPECT_EQ(objects[0]->first, kind == FOR_ONE || kind == FOR_ALL ? &others_block : NULL);
    EXPECT_EQ(bucket_of(&word)->first, kind == AT_ADDRESS ? &others_wait : NULL);
    if (kind == AT_ADDRESS)
        address_remove(&others_wait);
}

/* ---- From outside ---------------------------------------------------------------------------- */

TEST(WaitEnds, a_wait_of_each_kind_is_cancelled_once)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        start();
        EXPECT_EQ(wait_cancel(&thread), false);
        begin(kind, false);
        EXPECT_EQ(wait_cancel(&thread), true);
        EXPECT_EQ(wait_cancel(&thread), false);
        expect_ended(kind, WAITED_CANCELLED);
    }
}

TEST(WaitEnds, procedures_end_waits_that_may_be_alerted_and_no_others)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        start();
        begin(kind, false);
        atomic_store(&thread.first_apc, a_procedure);
        wait_alert(&thread);
        EXPECT_EQ(wait.decided, false);
        EXPECT_EQ(wait_cancel(&thread), true);
        expect_ended(kind, WAITED_CANCELLED);

        start();
        begin(kind, true);
        wait_alert(&thread); /* it has called them already */
        EXPECT_EQ(wait.decided, false);
        atomic_store(&thread.first_apc, a_procedure);
        wait_alert(&thread);
        expect_ended(kind, WAITED_APC);
    }
}

/* Its handlers may close the handle, and the wait begins again. */
TEST(WaitEnds, a_signal_leaves_the_waiter_a_reference_to_its_object)
{
    start();
    begin(FOR_ONE, false);
    EXPECT_EQ(objects[0]->refs, 3u);
    EXPECT_EQ(wait_interrupt(&thread), true);
    EXPECT_EQ(objects[0]->refs, 3u); /* the waiter's, instead of the wait's */
    expect_ended(FOR_ONE, WAITED_SIGNAL);
    start();
    begin(FOR_ONE, false);
    EXPECT_EQ(wait_cancel(&thread), true);
    EXPECT_EQ(objects[0]->refs, 2u);
}

/* ---- Time ------------------------------------------------------------------------------------ */

TEST(WaitEnds, time_ends_a_wait_of_each_kind)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        start();
        begin(kind, false);
        wait_arm(&wait, 1);
        wait.timer.fire(&wait.timer);
        expect_ended(kind, WAITED_TIMEOUT);
        wait_disarm_timer(&wait); /* the timer has woken the worker: nobody reads the wait */
    }
}

/* The kernel lets the timer's thread go on. */
static long timer_goes_on(long nr, const long args[6])
{
    if (nr == SYS_futex && (args[1] & FUTEX_CMD_MASK) == FUTEX_WAKE)
        return 0;
    EXPECT_EQ(args[0], (long)(uintptr_t)&wait.timer_done);
    if (fired++)
        UMS_FATAL("the timer's thread is waited for again", &wait, fired);
    wait.timer.fire(&wait.timer);
    return 0;
}

TEST(WaitEnds, a_timer_that_comes_too_late_is_waited_for)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        start();
        begin(kind, false);
        wait_arm(&wait, 1);
        EXPECT_EQ(wait_cancel(&thread), true);
        wait.timer.armed = false; /* it is about to call `fire` */
        double_syscall = timer_goes_on;
        wait_disarm_timer(&wait);
        EXPECT_EQ(fired, 1u);
        expect_ended(kind, WAITED_CANCELLED);
    }
}

/* ---- A worker -------------------------------------------------------------------------------- */

static int leave_and_be_cancelled(bool (*left)(void *arg), void *arg)
{
    EXPECT_EQ(plat_lock_taken(&objects[0]->lock),
              true); /* nobody decides before the stack was left */
    EXPECT_EQ(thread.armed, &wait);
    EXPECT_EQ(wait.timer.armed, true);
    EXPECT_EQ(left(arg), true);
    EXPECT_EQ(plat_lock_taken(&objects[0]->lock), false);
    EXPECT_EQ(wait_cancel(&thread), true);
    return 1;
}

TEST(WaitEnds, a_worker_keeps_the_lock_until_its_stack_was_left)
{
    struct wait_then then = {.lock = &objects[0]->lock.lock};

    start();
    begin(FOR_ONE, false);
    during_wait = leave_and_be_cancelled;
    plat_lock(&objects[0]->lock);
    EXPECT_EQ(wait_unlocked(&wait, 1, &then), (uint32_t)WAITED_CANCELLED);
    expect_ended(FOR_ONE, WAITED_CANCELLED);
    EXPECT_EQ(thread.armed, NULL); /* its wait is on a stack that it uses again */
    EXPECT_EQ(wait.timer.armed, false);
}

/* Decided before: it takes its block back, for nobody queues it. */
static int be_decided_and_leave(bool (*left)(void *arg), void *arg)
{
    EXPECT_EQ(thread.armed, &wait);
    EXPECT_EQ(wait_cancel(&thread), true);
    EXPECT_EQ(queued, 0u);
    EXPECT_EQ(left(arg), false);
    queued++; /* it goes on */
    return 1;
}

TEST(WaitEnds, a_worker_that_is_let_go_before_it_has_left_does_not_leave)
{
    struct wait_then then = {.lock = NULL};

    start();
    begin(FOR_ANY, false);
    atomic_fetch_and(&thread.sitter->word, ~(uint64_t)SEAT_PARKED);
    during_wait = be_decided_and_leave;
    EXPECT_EQ(wait_unlocked(&wait, PLAT_FOREVER, &then), (uint32_t)WAITED_CANCELLED);
    expect_ended(FOR_ANY, WAITED_CANCELLED);
    EXPECT_EQ(thread.armed, NULL);
}

/* A worker that was ended in its wait: no list and no timer has it. */
TEST(WaitEnds, of_a_worker_that_does_not_run_again_nothing_is_left)
{
    start();
    begin(FOR_ONE, false);
    wait_arm(&wait, 1);
    thread.armed = &wait;
    EXPECT_EQ(wait_cancel(&thread), true);
    wait_disarm(&thread);
    EXPECT_EQ(wait.timer.armed, false);
    EXPECT_EQ(thread.armed, NULL);
    wait_disarm(&thread); /* it waits for nothing */
}

/* ---- A thread -------------------------------------------------------------------------------- */

/* Its time is over, as another thread has decided the wait, and is about to let it go. */
static long decided_as_time_is_over(long nr, const long args[6])
{
    struct wait *chain = NULL;

    if (nr != SYS_futex || (args[1] & FUTEX_CMD_MASK) == FUTEX_WAKE)
        return 0;
    EXPECT_EQ(args[0], (long)(uintptr_t)&wait.go);
    if (sleeps++ == 0) {
        EXPECT_NE(args[3], 0);
        plat_lock(&objects[0]->lock);
        wait_decide(&wait, 0, &chain);
        object_unlock(objects[0]);
        return -110; /* ETIMEDOUT */
    }
    if (sleeps > 2)
        UMS_FATAL("it was let go, and sleeps", &wait, sleeps);
    EXPECT_EQ(args[3], 0); /* without a time */
    waits_open(&wait);
    return 0;
}

TEST(WaitEnds, a_thread_whose_wait_was_decided_stays_until_it_is_let_go)
{
    struct wait_then then = {.lock = &objects[0]->lock.lock};

    start();
    plat_tls.current = NULL;
    begin(FOR_ONE, false);
    wait.worker = NULL;
    wait.to_open = NULL;
    double_syscall = decided_as_time_is_over;
    plat_lock(&objects[0]->lock);
    EXPECT_EQ(wait_unlocked(&wait, 1, &then), 0u);
    EXPECT_EQ(sleeps, 2u);
    EXPECT_EQ(atomic_load(&wait.go), (uint32_t)GO);
}

static long time_is_over(long nr, const long args[6])
{
    if (sleeps++)
        UMS_FATAL("its time is over, and it sleeps", &wait, sleeps);
    return -110;
}

TEST(WaitEnds, a_thread_whose_time_is_over_decides_itself)
{
    struct wait_then then = {.lock = &objects[0]->lock.lock};

    start();
    plat_tls.current = NULL;
    begin(FOR_ONE, false);
    wait.worker = NULL;
    double_syscall = time_is_over;
    plat_lock(&objects[0]->lock);
    EXPECT_EQ(wait_unlocked(&wait, 1, &then), (uint32_t)WAITED_TIMEOUT);
    EXPECT_EQ(objects[0]->first, &others_block);
    EXPECT_EQ(atomic_load(&thread.waits_at), 0u);
}
