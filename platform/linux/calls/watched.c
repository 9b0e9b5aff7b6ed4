/* SPDX-License-Identifier: MIT
 *
 * watched.c - calls whose readiness is waited for: the lane's epoll set, and who serves it.
 *
 * A blocked system call keeps its file open, whatever happens to the descriptor meanwhile; epoll
 * does not. So a wait has a duplicate: the descriptor may be closed or reused. Of several that wait
 * for one pipe or socket only the first is in the set, and its duplicate is for all
 * (watch_queue.c). The set has the duplicate, or, where a number has waited before, the
 * number itself (kept_number.c).
 *
 * Three serve what has come, with the lock `serving`, each what it has fetched itself; an event is
 * told once:
 *   - the poller, a thread that sleeps in the set;
 *   - a scheduler that is about to sleep;
 *   - a worker after a write, where data comes all the time: not more often than each
 *     SHORTEST_PAUSE, and more seldom the more often there was nothing.
 * A thread that is woken for each event, takes the processor from the scheduler and sleeps again
 * costs more than what it does. So where the scheduler has not slept since the poller's last turn,
 * the poller rests after it has served, for REST at most: the scheduler could do nothing yet with a
 * worker that arrives. A scheduler that falls asleep wakes it:
 *     poller       resting = 1;     then: is the scheduler awake? rest
 *     scheduler    awake = false;   then: does the poller rest? wake it
 * Where several schedulers share the lane, `awake` is what the last of them did that fell asleep or
 * woke.
 */
#include "platform/linux/calls/watched.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/calls/kept_number.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/policy.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/calls/watch_queue.h"
#include "platform/platform.h"

enum {
    EVENTS = 16,
    SHORTEST_PAUSE = 30000, /* ns, all three */
    LONGEST_PAUSE = 4000000,
    REST = 300000
};

/* Under the lock, both. */
static void list_add(struct lane *lane, struct call *call)
{
    call->next = lane->readiness.watched;
    call->previous = NULL;
    if (lane->readiness.watched)
        lane->readiness.watched->previous = call;
    lane->readiness.watched = call;
}

static void list_remove(struct lane *lane, struct call *call)
{
    if (call->previous)
        call->previous->next = call->next;
    else
        lane->readiness.watched = call->next;
    if (call->next)
        call->next->previous = call->previous;
}

/* By its duplicate. Under the lock, or by whoever serves it. */
static bool arm(struct lane *lane, struct call *call)
{
    struct epoll_event event = {.events = call->watch.events | EPOLLONESHOT, .data.ptr = call};
    int operation = call->watch.armed ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    bool done = RAW4(SYS_epoll_ctl, lane->epoll, operation, call->watch.held, &event) == 0;
    call->watch.armed |= done;
    return done;
}

/* Negative, or a duplicate of the program's number. *fit: the wait can be had here. */
static long duplicate(const struct lane *lane, struct call *call, struct stat *file, bool *fit)
{
    long own = own_file_duplicate(call->watch.given_fd, lane->cancel_fd, FIRST_DUPLICATE);
    if (own < 0)
        return own;
    /* Looked at by the duplicate, which is the same file from here on. */
    *fit = RAW2(SYS_fstat, own, file) == 0;
    if (*fit && S_ISSOCK(file->st_mode) && !call->watch.polls)
        deadline_of_wait(call, (int)own);
    *fit &= call->deadline == PLAT_FOREVER;
    return own;
}

/* Arms the entry that the call's descriptor number has kept in the epoll set (kept_number.c).
 * False: it has none, or another file is behind it. */
static bool add_by_number(struct lane *lane, struct call *call)
{
    struct stat file;
    bool fit = false, front = false;
    if (!kept_likely(lane, call))
        return false;
    plat_lock(&lane->readiness.lock);
    struct kept_number *kept = kept_place(lane, call);
    long own = kept ? duplicate(lane, call, &file, &fit) : -1;
    if (fit && kept_is_of(kept, &file) && kept_arm(lane, kept)) {
        front = !queue_join(lane, call, &file);
        if (front) {
            watch_hold(call, own);
            kept_take(kept, call);
        }
        list_add(lane, call);
    } else if (kept) {
        kept_drop(kept);
        fit = false;
    }
    plat_unlock(&lane->readiness.lock);
    if (own >= 0 && !front)
        own_file_let_go((int)own, lane->cancel_fd);
    return fit;
}

/* From the moment the lock is free the call may be completed by the poller. */
bool watched_add(struct lane *lane, struct call *call)
{
    struct stat file;
    bool watched, front = false;
    call->watch.armed = false;
    if (add_by_number(lane, call))
        return true;
    /* Closing any descriptor of a regular file would drop the process's record locks on it. */
    if (call->deadline != PLAT_FOREVER || fd_is_disk_file(call->watch.given_fd))
        return false;
    long own = duplicate(lane, call, &file, &watched);
    if (own < 0)
        return false;
    plat_lock(&lane->readiness.lock);
    watched &= !lane->readiness.unwatched;
    if (watched && !queue_join(lane, call, &file)) {
        front = true;
        watch_hold(call, own);
        /* Under the lock: the next call may rely on the one in front. */
        watched = arm(lane, call);
        if (watched)
            kept_note(lane, call);
        else
            queue_leave(lane, call, &front);
    }
    if (watched)
        list_add(lane, call);
    plat_unlock(&lane->readiness.lock);
    if (!watched)
        watch_let_go(call);
    if (!watched || !front)
        own_file_let_go((int)own, lane->cancel_fd);
    return watched;
}

/* ---- Serving --------------------------------------------------------------------------------- */

/* The call is the caller's. If it was in front of its queue, the result is the one that is now: it
 * has to be armed. */
static struct call *unwatch(struct lane *lane, struct call *call)
{
    bool front;
    plat_lock(&lane->readiness.lock);
    struct call *next = queue_leave(lane, call, &front);
    list_remove(lane, call);
    kept_leave(lane, call);
    if (next)
        next->watch.armed = call->watch.armed;
    else if (front)
        kept_offer(lane, call);
    plat_unlock(&lane->readiness.lock);
    if (front && !next) {
        if (call->watch.armed)
            RAW4(SYS_epoll_ctl, lane->epoll, EPOLL_CTL_DEL, call->watch.held, 0);
        own_file_let_go(call->watch.held, lane->cancel_fd);
    }
    watch_let_go(call);
    return next;
}

/* The event was not for the call, which goes on waiting. The duplicate is armed: the number may be
 * another file's by now. */
static bool arm_again(struct lane *lane, struct call *call)
{
    if (!call->watch.armed) {
        plat_lock(&lane->readiness.lock);
        kept_leave(lane, call);
        plat_unlock(&lane->readiness.lock);
    }
    return arm(lane, call);
}

/* The call is in front, and what it waits for may be there. So may be more, for those behind it. */
static void became_ready(struct lane *lane, struct call *call)
{
    while (call) {
        enum outcome outcome = call->entry->ops->attempt(call);
        if (outcome == CALL_WAIT && arm_again(lane, call))
            return;
        struct call *next = unwatch(lane, call);
        if (outcome == CALL_DONE)
            call_complete(call, call->result);
        else
            helper_submit(call);
        call = next;
    }
}

/* Only on the poller between two of its batches, and with the lock, so that nobody else has one:
 * none that was fetched still names a call that goes here. */
static void let_go_cancelled(struct lane *lane)
{
    uint64_t count;
    struct call *call;
    RAW3(SYS_read, lane->cancel_fd, &count, sizeof count);
    do {
        plat_lock(&lane->readiness.lock);
        call = lane->readiness.watched;
        while (call && !atomic_load_explicit(&call->cancelled, memory_order_acquire))
            call = call->next;
        plat_unlock(&lane->readiness.lock);
        if (call) {
            struct call *next = unwatch(lane, call);
            call_interrupt(call);
            became_ready(lane, next);
        }
    } while (call);
}

/* With the lock `serving`. True: there are cancelled calls as well. */
static bool serve(struct lane *lane, const struct epoll_event *events, long n)
{
    bool cancelled = false;
    for (long i = 0; i < n; i++) {
        struct call *call = events[i].data.ptr;
        if (!call) {
            cancelled = true;
            continue;
        }
        if (kept_is_event(events[i].data.u64)) {
            plat_lock(&lane->readiness.lock);
            call = kept_front(lane, events[i].data.u64);
            plat_unlock(&lane->readiness.lock);
        }
        became_ready(lane, call);
    }
    return cancelled;
}

/* The older call where a sandbox does not know the newer one. */
static long take_events(struct lane *lane, struct epoll_event *events, int milliseconds)
{
    long n = RAW6(SYS_epoll_pwait, lane->epoll, events, EVENTS, milliseconds, 0, 8);
    return call_was_refused(n) ? RAW4(SYS_epoll_wait, lane->epoll, events, EVENTS, milliseconds)
                               : n;
}

/* How many events there were. Cancelled calls are left to the poller, whose next batch may name
 * them. */
static long serve_what_came(struct lane *lane)
{
    struct epoll_event events[EVENTS];
    if (!__atomic_load_n(&lane->readiness.watched, __ATOMIC_RELAXED) ||
        !plat_trylock(&lane->readiness.serving))
        return 0;
    long n = take_events(lane, events, 0);
    serve(lane, events, n);
    plat_unlock(&lane->readiness.serving);
    return n;
}

/* Two at once do no harm: it is only an estimate. */
void watched_after_write(struct lane *lane)
{
    if (!__atomic_load_n(&lane->readiness.watched, __ATOMIC_RELAXED))
        return;
    uint64_t now = plat_now();
    if (now < __atomic_load_n(&lane->readiness.serve_at, __ATOMIC_RELAXED))
        return;
    uint64_t pause = __atomic_load_n(&lane->readiness.serve_pause, __ATOMIC_RELAXED) * 2;
    if (serve_what_came(lane) > 0 || pause < SHORTEST_PAUSE)
        pause = SHORTEST_PAUSE;
    if (pause > LONGEST_PAUSE)
        pause = LONGEST_PAUSE;
    __atomic_store_n(&lane->readiness.serve_pause, pause, __ATOMIC_RELAXED);
    __atomic_store_n(&lane->readiness.serve_at, now + pause, __ATOMIC_RELAXED);
}

/* The scheduler serves by itself the events that have come for its workers. Else it would sleep
 * until the poller has had its turn on this processor and wakes it. */
void watched_before_sleep(struct lane *lane)
{
    serve_what_came(lane);
    atomic_fetch_add_explicit(&lane->readiness.slept, 1, memory_order_relaxed);
    atomic_store_explicit(&lane->readiness.awake, false, memory_order_seq_cst);
    if (atomic_load_explicit(&lane->readiness.resting, memory_order_seq_cst) &&
        atomic_exchange_explicit(&lane->readiness.resting, 0, memory_order_relaxed))
        futex_wake(&lane->readiness.resting, 1);
}

void watched_after_sleep(struct lane *lane)
{
    if (!atomic_load_explicit(&lane->readiness.awake, memory_order_relaxed))
        atomic_store_explicit(&lane->readiness.awake, true, memory_order_relaxed);
}

static void rest(struct lane *lane)
{
    uint32_t slept = lane->readiness.slept_before;
    lane->readiness.slept_before =
        atomic_load_explicit(&lane->readiness.slept, memory_order_relaxed);
    if (slept != lane->readiness.slept_before ||
        !atomic_load_explicit(&lane->readiness.awake, memory_order_relaxed))
        return;
    atomic_store_explicit(&lane->readiness.resting, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&lane->readiness.awake, memory_order_seq_cst))
        futex_wait_until(&lane->readiness.resting, 1, plat_now() + REST);
    atomic_store_explicit(&lane->readiness.resting, 0, memory_order_relaxed);
}

/* Nothing tells of events any more: helpers make the calls. */
static void stop_watching(struct lane *lane)
{
    plat_log("epoll_pwait and epoll_wait are refused, by a sandbox: each read or write that waits "
             "takes a thread. Allow one of them");
    plat_lock(&lane->readiness.serving);
    plat_lock(&lane->readiness.lock);
    lane->readiness.unwatched = true;
    plat_unlock(&lane->readiness.lock);
    for (struct call *call; (call = lane->readiness.watched) != NULL;) {
        unwatch(lane, call);
        helper_submit(call);
    }
    plat_unlock(&lane->readiness.serving);
}

void *poller_main(void *arg)
{
    kthread_name("ums:poller");
    struct lane *lane = arg;
    lane_bind(lane);
    policy_rises();
    for (;;) {
        struct epoll_event events[EVENTS];
        long n = take_events(lane, events, -1);
        if (call_was_refused(n))
            break;
        plat_lock(&lane->readiness.serving);
        if (serve(lane, events, n))
            let_go_cancelled(lane);
        plat_unlock(&lane->readiness.serving);
        rest(lane);
    }
    stop_watching(lane);
    policy_ends();
    return NULL;
}

/* The serving thread uses the number without the readiness's lock. */
bool watched_move(struct lane *lane, int number)
{
    plat_lock(&lane->readiness.serving);
    plat_lock(&lane->readiness.lock);
    struct call *call = lane->readiness.watched;
    while (call && (call->watch.before || call->watch.held != number))
        call = call->next;
    long own = call ? own_file_duplicate(number, lane->cancel_fd, FIRST_DUPLICATE) : -1;
    if (call && own < 0)
        own = own_file_duplicate(number, lane->cancel_fd, 0);
    if (own >= 0) {
        bool armed = call->watch.armed;
        if (armed)
            RAW4(SYS_epoll_ctl, lane->epoll, EPOLL_CTL_DEL, number, 0);
        watch_hold(call, own);
        call->watch.armed = false;
        if (armed)
            arm(lane, call);
        own_file_let_go(number, lane->cancel_fd);
        own_file_give_up_spare(number);
    }
    plat_unlock(&lane->readiness.lock);
    plat_unlock(&lane->readiness.serving);
    return own >= 0;
}

/* In a child after fork: duplicates must not keep the parent's pipes open there. Those with lower
 * numbers are known to own_files_forget. */
void poller_forget(struct lane *lane)
{
    for (struct call *call = lane->readiness.watched; call; call = call->next)
        if (!call->watch.before && call->watch.held >= OWN_FILES)
            own_file_close(call->watch.held);
    own_file_close(lane->epoll);
}
