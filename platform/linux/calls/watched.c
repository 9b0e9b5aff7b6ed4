/* SPDX-License-Identifier: MIT
 *
 * watched.c - calls that wait until a file is ready: the lane's epoll set, and the threads that
 * serve it.
 *
 * A blocked system call keeps its file open, even if the program closes or reuses the descriptor
 * meanwhile. epoll does not. So a wait makes a duplicate of the descriptor. Of several calls that
 * wait for one pipe or socket only the first is in the set, and its duplicate serves all
 * (watch_queue.c). The set has the duplicate or, where calls have waited for a number before, the
 * number itself (kept_number.c).
 *
 * Four kinds of threads serve the set's events. Each holds the lock `serving`, and serves the
 * events that it has fetched itself: the kernel tells of an event once.
 *   - a scheduler that sleeps in the set (set_sleep.c);
 *   - the poller, a thread that sleeps there, too (poller_thread.c);
 *   - a scheduler that is about to sleep;
 *   - a worker after a write, where data comes all the time: at most once in SHORTEST_PAUSE, and
 *     less often the more often it found nothing.
 * The first two fetch events before they have the lock. Meanwhile another thread may have ended the
 * call, whose record may be in another wait by then. So an event names the wait, not only the call.
 */
#include "platform/linux/calls/watched.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/calls/kept_number.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/calls/watch_queue.h"
#include "platform/platform.h"

enum {
    NAME_ADDRESS_BITS = 48,
    SHORTEST_PAUSE = 30000, /* ns, both */
    LONGEST_PAUSE = 4000000
};

/* Both need the readiness's lock. */
static void list_add(struct lane *lane, struct call *call)
{
    CHAIN_PREPEND(&lane->readiness.watched, call, next, previous);
}

static void list_remove(struct lane *lane, struct call *call)
{
    CHAIN_REMOVE(&lane->readiness.watched, call, next, previous);
}

/* The call's name in the set: its address and, above an address's bits, the number of its wait. So
 * an event that was fetched before another thread served the call names no call. */
static uint64_t name_of(const struct call *call)
{
    return (uint64_t)(uintptr_t)call | (uint64_t)call->watch.turn << NAME_ADDRESS_BITS;
}

/* The call of this name. NULL: it waits here no more. Its worker may be gone, but that memory is
 * only ever a worker's, so it may be read. In another lane the call may wait with the same
 * number. */
static struct call *call_named(const struct lane *lane, uint64_t name)
{
    struct call *call = (struct call *)(uintptr_t)(name & ((UINT64_C(1) << NAME_ADDRESS_BITS) - 1));
    bool same = __atomic_load_n(&call->watch.turn, __ATOMIC_ACQUIRE) == name >> NAME_ADDRESS_BITS;
    return same && __atomic_load_n(&call->lane, __ATOMIC_RELAXED) == lane ? call : NULL;
}

/* Arms the call by its duplicate. The caller holds the readiness's lock, or serves the call. */
static bool arm(struct lane *lane, struct call *call)
{
    struct epoll_event event = {.events = call->watch.events | EPOLLONESHOT,
                                .data.u64 = name_of(call)};
    int operation = call->watch.armed ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    bool done = RAW4(SYS_epoll_ctl, lane->epoll, operation, call->watch.held, &event) == 0;
    call->watch.armed |= done;
    return done;
}

/* Whether the file is an epoll instance, which must stay out of the lane's set (poller_arm). fstat
 * does not tell. In an instance the kernel looks for the entry: ENOENT. In any other file it
 * refuses to look. */
static bool is_epoll(const struct lane *lane, long own, const struct stat *file)
{
    return !(file->st_mode & S_IFMT) &&
           RAW4(SYS_epoll_ctl, own, EPOLL_CTL_DEL, lane->cancel_fd, 0) == -ENOENT;
}

/* Returns a duplicate of the program's number, or -errno. *fit: the wait can be armed in the
 * set. */
static long duplicate(const struct lane *lane, struct call *call, struct stat *file, bool *fit)
{
    long own = own_file_duplicate(call->watch.given_fd, lane->cancel_fd, FIRST_DUPLICATE);
    if (own < 0)
        return own;
    /* Looks at the duplicate, which stays the same file whatever becomes of the program's
     * number. */
    *fit = RAW2(SYS_fstat, own, file) == 0;
    if (*fit && S_ISSOCK(file->st_mode) && !watch_polls(call))
        deadline_of_wait(call, (int)own);
    *fit &= call->deadline == PLAT_FOREVER && !(watch_polls(call) && is_epoll(lane, own, file));
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

static void take_turn(struct lane *lane, struct call *call)
{
    uint16_t turn = __atomic_add_fetch(&lane->readiness.turns, 1, __ATOMIC_RELAXED);
    if (!turn)
        turn = __atomic_add_fetch(&lane->readiness.turns, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&call->watch.turn, turn, __ATOMIC_RELEASE);
}

/* As soon as the lock is free, another thread may complete the call. */
bool watched_add(struct lane *lane, struct call *call)
{
    struct stat file;
    bool watched, front = false;
    call->watch.armed = false;
    take_turn(lane, call);
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
        /* Armed under the lock: a call that joins behind relies on the one in front. */
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

/* Takes the call out: it is the caller's now. If it was in front of its queue, returns the call
 * that is in front now, which has to be armed. */
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
    __atomic_store_n(&call->watch.turn, 0, __ATOMIC_RELAXED);
    return next;
}

/* The event was not for the call, which goes on waiting. Arms its duplicate, not its number's
 * place: the number may be another file's by now. */
static bool arm_again(struct lane *lane, struct call *call)
{
    if (!call->watch.armed) {
        plat_lock(&lane->readiness.lock);
        kept_leave(lane, call);
        plat_unlock(&lane->readiness.lock);
    }
    return arm(lane, call);
}

/* The call is in front, and its data may be there. There may be enough for the calls behind it,
 * too. */
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

/* With the lock `serving` held. Ends the cancelled calls. An event that was fetched before for one
 * of them names no call afterwards. */
static void let_go_cancelled(struct lane *lane)
{
    uint64_t count;
    struct call *call;
    RAW3(SYS_read, lane->cancel_fd, &count, sizeof count);
    do {
        plat_lock(&lane->readiness.lock);
        call = lane->readiness.watched.first;
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

/* See watched.h. */
bool watched_serve(struct lane *lane, const struct epoll_event *events, long n)
{
    bool kicked = false;
    for (long i = 0; i < n; i++) {
        uint64_t data = events[i].data.u64;
        struct call *call = NULL;
        if (data == NAME_OF_CANCELS) {
            let_go_cancelled(lane);
        } else if (data == NAME_OF_KICK) {
            kicked = true;
        } else if (kept_is_event(data)) {
            plat_lock(&lane->readiness.lock);
            call = kept_front(lane, data);
            plat_unlock(&lane->readiness.lock);
        } else {
            call = call_named(lane, data);
        }
        became_ready(lane, call);
    }
    return kicked;
}

/* epoll_wait serves where a sandbox refuses epoll_pwait. */
long watched_take(struct lane *lane, struct epoll_event *events, int milliseconds)
{
    long n = RAW6(SYS_epoll_pwait, lane->epoll, events, SET_EVENTS, milliseconds, 0, 8);
    return call_was_refused(n) ? RAW4(SYS_epoll_wait, lane->epoll, events, SET_EVENTS, milliseconds)
                               : n;
}

bool watched_kick_on(struct lane *lane)
{
    static const uint64_t one = 1;
    if (!atomic_load_explicit(&lane->readiness.slept_in, memory_order_seq_cst) ||
        atomic_load_explicit(&lane->readiness.slept_in_files, memory_order_seq_cst))
        return false;
    RAW3(SYS_write, lane->readiness.kick_fd, &one, sizeof one);
    return true;
}

/* Returns how many events there were. */
static long serve_what_came(struct lane *lane)
{
    struct epoll_event events[SET_EVENTS];
    if (!__atomic_load_n(&lane->readiness.watched.first, __ATOMIC_RELAXED) ||
        !plat_trylock(&lane->readiness.serving))
        return 0;
    long n = watched_take(lane, events, 0);
    bool kicked = watched_serve(lane, events, n);
    plat_unlock(&lane->readiness.serving);
    if (kicked)
        watched_kick_on(lane);
    return n;
}

/* Two workers may be in here at once. That does no harm: serve_at and serve_pause are estimates. */
void watched_after_write(struct lane *lane)
{
    if (!__atomic_load_n(&lane->readiness.watched.first, __ATOMIC_RELAXED))
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
}

/* The kernel tells of events no more, because of a sandbox: helpers make the calls. */
void watched_stop(struct lane *lane)
{
    plat_log("epoll_pwait and epoll_wait are refused, by a sandbox: each read or write that waits "
             "takes a thread. Allow one of them");
    plat_lock(&lane->readiness.serving);
    plat_lock(&lane->readiness.lock);
    lane->readiness.unwatched = true;
    plat_unlock(&lane->readiness.lock);
    for (struct call *call; (call = lane->readiness.watched.first) != NULL;) {
        unwatch(lane, call);
        helper_submit(call);
    }
    plat_unlock(&lane->readiness.serving);
}

/* Takes `serving`, too: a thread that serves uses a duplicate's number without the readiness's
 * lock. */
bool watched_move(struct lane *lane, int number)
{
    plat_lock(&lane->readiness.serving);
    plat_lock(&lane->readiness.lock);
    struct call *call = lane->readiness.watched.first;
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

/* In a child after fork: closes the duplicates, which would keep the parent's pipes open there.
 * own_files_forget closes those whose number is less than OWN_FILES. */
void poller_forget(struct lane *lane)
{
    lane->deferral.count = lane->deferral.slept_on_count = 0;
    for (struct call *call = lane->readiness.watched.first; call; call = call->next)
        if (!call->watch.before && call->watch.held >= OWN_FILES)
            own_file_close(call->watch.held);
    own_file_close(lane->epoll);
    lane->epoll = -1;
}
