/* SPDX-License-Identifier: MIT
 *
 * poller.c - blocked reads and writes of pipes, sockets and their like, from the moment when they
 * block.
 *
 * Most such waits are short and end by the hand of a worker on the same scheduler: one writes what
 * another reads. So a call that has just blocked is *deferred*: it is only noted. After each write
 * or send made in the lane the deferred calls are asked again, and a reader that got its data is
 * queued without any kernel thread having been woken. A call stops being deferred, and is armed,
 * when the scheduler is about to sleep, when younger ones crowd it out, or at the second tick, 200
 * to 400 us later.
 *
 * A write to a number serves, as a rule, the call that the last one served, its partner. So that
 * one is asked alone. The kernel does not tell which numbers are a pipe's two ends.
 *
 * Asking costs system calls, and finds nothing where all data comes from elsewhere, as in a server.
 * So after PATIENCE times for nothing only every RARELY-th write asks, and of the calls that block
 * only every VERY_RARELY-th is deferred, the others armed at once, until one that was asked has
 * something.
 *
 * A stream is waited for by readiness and then asked again without waiting. That costs less than a
 * ring submission, because the worker itself can arm the wait without waking the reactor first.
 *
 * Armed calls are watched.c's, and hold their file. A deferred call only knows its number, so it
 * is armed before the number becomes another file's (poller_hold).
 * Where no descriptor is left, or the file cannot be polled, the ring takes the call.
 */
#include <sys/epoll.h>

#include "platform/container_of.h"
#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/futex_table.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/calls/poller.h"
#include "platform/linux/calls/tick.h"
#include "platform/linux/calls/watch_queue.h"
#include "platform/linux/calls/watched.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_tid.h"
#include "platform/platform.h"

enum { PATIENCE = 64, RARELY = 16, VERY_RARELY = 256, ASKED_AT_ONCE = 4 };

/* ---- Deferred calls -------------------------------------------------------------------------- */

/* Arms a call that is deferred no more. Arming looks at the file, so nothing that came meanwhile is
 * missed. The ring knows how to limit a wait. It has an epoll instance, too: in the lane's set that
 * would count among the paths to each of its files, of which the kernel allows five hundred. */
static void end_deferral(struct lane *lane, struct call *call)
{
    bool watchable = call->watch.events && !call->watch.nests && call->deadline == PLAT_FOREVER;
    if (watchable && watched_add(lane, call))
        return;
    if (watchable && !watch_polls(call))
        deadline_of_wait(call, (int)call->args[0]);
    lane_post(lane, call, CALL_ARM);
}

static uint64_t number_bit(unsigned number)
{
    return UINT64_C(1) << number % 64;
}

struct choice {
    uint32_t age;   /* deferred this many ticks ago, or earlier */
    bool by_number; /* of these descriptors */
    unsigned first, last;
    unsigned most; /* how many, at the most; 0: all */
};

static bool is_chosen(const struct choice *choice, const struct call *call, uint32_t now)
{
    if (choice->by_number)
        return call->watch.events && (unsigned)call->watch.given_fd >= choice->first &&
               (unsigned)call->watch.given_fd <= choice->last;
    return now - call->futex.born >= choice->age;
}

/* Those that are taken out are the caller's until it puts them back or passes them on. */
static unsigned take(struct lane *lane, const struct choice *choice, struct call **taken)
{
    unsigned n = 0, kept = 0;
    if (!__atomic_load_n(&lane->deferral.count, __ATOMIC_RELAXED))
        return 0;
    uint32_t now = __atomic_load_n(&lane->deferral.ticks, __ATOMIC_RELAXED);
    plat_lock(&lane->deferral.lock);
    for (unsigned i = 0; i < lane->deferral.count; i++)
        if ((!choice->most || n < choice->most) && is_chosen(choice, lane->deferral.calls[i], now))
            taken[n++] = lane->deferral.calls[i];
        else
            lane->deferral.calls[kept++] = lane->deferral.calls[i];
    __atomic_store_n(&lane->deferral.count, kept, __ATOMIC_RELAXED);
    plat_unlock(&lane->deferral.lock);
    return n;
}

static unsigned take_deferred(struct lane *lane, uint32_t age, struct call **taken)
{
    return take(lane, &(struct choice){.age = age}, taken);
}

/* False: there is no room. */
static bool put_where_room_is(struct lane *lane, struct call *call)
{
    plat_lock(&lane->deferral.lock);
    unsigned n = lane->deferral.count;
    bool room = n < MAX_DEFERRED, start = false;
    if (room) {
        __atomic_store_n(&lane->deferral.numbers,
                         lane->deferral.numbers | number_bit((unsigned)call->watch.given_fd),
                         __ATOMIC_RELAXED);
        lane->deferral.calls[n] = call;
        __atomic_store_n(&lane->deferral.count, n + 1, __ATOMIC_RELAXED);
        start = tick_note(lane);
    }
    plat_unlock(&lane->deferral.lock);
    if (start)
        tick_start(lane);
    return room;
}

/* With the lock of those who arm: the oldest makes room. */
static void defer_arming(struct lane *lane, struct call *call)
{
    while (!put_where_room_is(lane, call)) {
        plat_lock(&lane->deferral.lock);
        struct call *oldest = lane->deferral.count ? lane->deferral.calls[0] : NULL;
        for (unsigned i = 1; i < lane->deferral.count; i++)
            lane->deferral.calls[i - 1] = lane->deferral.calls[i];
        if (oldest)
            __atomic_store_n(&lane->deferral.count, lane->deferral.count - 1, __ATOMIC_RELAXED);
        plat_unlock(&lane->deferral.lock);
        if (oldest)
            end_deferral(lane, oldest);
    }
}

static void defer(struct lane *lane, struct call *call)
{
    if (put_where_room_is(lane, call))
        return;
    plat_lock(&lane->deferral.arming);
    defer_arming(lane, call);
    plat_unlock(&lane->deferral.arming);
}

/* ---- After a write --------------------------------------------------------------------------- */

/* A number that was written to, and the one of the call that had something then. */
static uint64_t pair_of(int written, int waiting)
{
    return (uint64_t)(uint32_t)written << 32 | (uint32_t)waiting;
}

static uint64_t *partner_of(struct lane *lane, int written)
{
    return &lane->deferral.partners[(unsigned)written % PARTNERS];
}

/* Asks the chosen calls and returns how many they are. Notes the number of one that had something,
 * and sets *had_something. */
static unsigned ask(struct lane *lane, const struct choice *choice, int written,
                    bool *had_something)
{
    struct call *taken[MAX_DEFERRED];
    unsigned n = take(lane, choice, taken);
    for (unsigned i = 0; i < n; i++) {
        enum outcome outcome = taken[i]->entry->ops->attempt(taken[i]);
        if (outcome != CALL_WAIT) {
            *had_something = true;
            __atomic_store_n(&lane->deferral.fruitless, 0, __ATOMIC_RELAXED);
            if (taken[i]->watch.events)
                __atomic_store_n(partner_of(lane, written),
                                 pair_of(written, taken[i]->watch.given_fd), __ATOMIC_RELAXED);
        }
        if (outcome == CALL_DONE)
            call_complete(taken[i], taken[i]->result);
        else if (outcome == CALL_WAIT)
            defer(lane, taken[i]);
        else
            helper_submit(taken[i]);
    }
    return n;
}

/* The call that had something after the last write to this number is asked alone. Where it does not
 * wait just now nobody is, but every so often: the number may be another file's by now. Lost
 * updates of the counts do no harm: they are only estimates. */
static bool ask_partner(struct lane *lane, int written)
{
    uint64_t pair = __atomic_load_n(partner_of(lane, written), __ATOMIC_RELAXED);
    struct choice partner = {.by_number = true, .first = (unsigned)pair, .last = (unsigned)pair};
    bool had_something = false;
    if (pair >> 32 != (unsigned)written || !(unsigned)pair)
        return false;
    unsigned n = ask(lane, &partner, written, &had_something);
    if (!n)
        return lane->deferral.partners_away[(unsigned)written % PARTNERS]++ % RARELY;
    return had_something;
}

/* Asks a few of the calls. One that had nothing is asked after the others the next time. */
void poller_retry_deferred(struct lane *lane, int written)
{
    watched_after_write(lane);
    if (!__atomic_load_n(&lane->deferral.count, __ATOMIC_RELAXED) || ask_partner(lane, written))
        return;
    unsigned fruitless = __atomic_load_n(&lane->deferral.fruitless, __ATOMIC_RELAXED), n = 0;
    bool asked = fruitless < PATIENCE || fruitless % RARELY == 0, had_something = false;
    if (asked)
        n = ask(lane, &(struct choice){.most = ASKED_AT_ONCE}, written, &had_something);
    if (!had_something && (n || !asked))
        __atomic_store_n(&lane->deferral.fruitless, fruitless + 1, __ATOMIC_RELAXED);
}

/* Watches a call whose file others wait for; before it the deferred calls of that file, which came
 * earlier. */
static void queue_up(struct lane *lane, struct call *call)
{
    struct call *taken[MAX_DEFERRED];
    plat_lock(&lane->deferral.arming);
    unsigned n = take_deferred(lane, 0, taken);
    for (unsigned i = 0; i < n; i++)
        if (taken[i]->watch.given_fd == call->watch.given_fd &&
            taken[i]->watch.events == call->watch.events)
            end_deferral(lane, taken[i]);
        else
            defer_arming(lane, taken[i]);
    end_deferral(lane, call);
    plat_unlock(&lane->deferral.arming);
}

/* True: it was deferred and is the caller's now. */
bool poller_cancel(struct lane *lane, struct call *call)
{
    plat_lock(&lane->deferral.lock);
    unsigned n = lane->deferral.count, at = 0;
    while (at < n && lane->deferral.calls[at] != call)
        at++;
    for (unsigned i = at; i + 1 < n; i++)
        lane->deferral.calls[i] = lane->deferral.calls[i + 1];
    if (at < n)
        __atomic_store_n(&lane->deferral.count, n - 1, __ATOMIC_RELAXED);
    plat_unlock(&lane->deferral.lock);
    return at < n;
}

static void arm_deferred(struct lane *lane, uint32_t age)
{
    struct call *taken[MAX_DEFERRED];
    plat_lock(&lane->deferral.arming);
    unsigned n = take_deferred(lane, age, taken);
    for (unsigned i = 0; i < n; i++)
        end_deferral(lane, taken[i]);
    plat_unlock(&lane->deferral.arming);
}

/* Finds calls that another thread is just arming, too: their bits in `numbers` are still set.
 * Misses a call that a worker of another scheduler of the lane begins at this moment. Does nothing
 * in a vfork's child, whose descriptors are its own and whose calls are the parent's. A handler on
 * this thread may close descriptors as well, so none runs while it has the locks. */
void poller_hold(struct lane *lane, unsigned first, unsigned last)
{
    struct choice choice = {.by_number = true, .first = first, .last = last};
    uint64_t wanted = first == last ? number_bit(first) : ~UINT64_C(0);
    struct call *taken[MAX_DEFERRED];
    sigset_t mask;
    if (!(__atomic_load_n(&lane->deferral.numbers, __ATOMIC_RELAXED) & wanted) ||
        own_process_is_another())
        return;
    signals_block(&mask);
    plat_lock(&lane->deferral.arming);
    unsigned n = take(lane, &choice, taken);
    for (unsigned i = 0; i < n; i++)
        end_deferral(lane, taken[i]);
    plat_lock(&lane->deferral.lock);
    if (!lane->deferral.count)
        __atomic_store_n(&lane->deferral.numbers, 0, __ATOMIC_RELAXED);
    plat_unlock(&lane->deferral.lock);
    plat_unlock(&lane->deferral.arming);
    signals_restore(&mask);
}

/* On the timer thread. Stops when a whole interval saw no call deferred and nobody is left. */
static void tick(struct plat_timer *timer)
{
    struct lane *lane = CONTAINER_OF(timer, struct lane, deferral.tick);
    bool left = futex_table_age(lane);
    /* Waits of two ticks and more: one that a worker ends is over by then, and arming it, with a
     * wake-up of the poller, costs as much as several such waits. */
    arm_deferred(lane, 2);
    plat_lock(&lane->deferral.lock);
    bool again = lane->deferral.since_tick || left || lane->deferral.count;
    __atomic_store_n(&lane->deferral.ticking, again, __ATOMIC_RELAXED);
    __atomic_store_n(&lane->deferral.since_tick, false, __ATOMIC_RELAXED);
    plat_unlock(&lane->deferral.lock);
    if (again)
        tick_start(lane);
}

static bool is_deferred_in_vain(struct lane *lane)
{
    if (__atomic_load_n(&lane->deferral.fruitless, __ATOMIC_RELAXED) < PATIENCE)
        return false;
    unsigned waits = __atomic_load_n(&lane->deferral.fruitless_waits, __ATOMIC_RELAXED);
    __atomic_store_n(&lane->deferral.fruitless_waits, waits + 1, __ATOMIC_RELAXED);
    return waits % VERY_RARELY != 0;
}

bool poller_watch(struct lane *lane, struct call *call)
{
    if (!call->entry->ops->readiness)
        return false;
    call->futex.born = __atomic_load_n(&lane->deferral.ticks, __ATOMIC_RELAXED);
    bool behind = !watch_polls(call) && queue_likely(lane, call);
    if (call->watch.events && (behind || is_deferred_in_vain(lane)))
        queue_up(lane, call);
    else
        defer(lane, call);
    return true;
}

void poller_init(struct lane *lane)
{
    lane->deferral.tick.fire = tick;
}

void poller_before_sleep(struct lane *lane)
{
    arm_deferred(lane, 0);
    futex_table_arm(lane);
    watched_before_sleep(lane);
}
