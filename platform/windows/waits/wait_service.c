/* SPDX-License-Identifier: MIT
 *
 * wait_service.c - see wait_service.h.
 */
#include "platform/windows/waits/wait_service.h"

#include "platform/windows/switch/teb_fence.h"
#include "platform/windows/waits/agenda.h"
#include "platform/windows/waits/alert.h"
#include "platform/windows/waits/deadlines.h"
#include "platform/windows/waits/direct_ages.h"
#include "platform/windows/waits/direct_waiters.h"
#include "platform/windows/waits/pool_wait.h"
#include "platform/windows/waits/user_wait.h"

enum { DIRECT_TICKS = 2, STACK_BYTES = 64 << 10, BEGIN_MS = 1000 };

/* Ends a wait whose time is over. A signal that no hook has seen counts first. True: the caller
 * completes the worker. */
static bool time_is_over(struct plat_context *worker)
{
    switch (atomic_load_explicit(&worker->wait.how, memory_order_relaxed)) {
    case WAIT_DELAY:
        user_wait_take(worker, WAIT_STATUS_SUCCESS);
        return true;
    case WAIT_DIRECT:
        return direct_withdraw(worker, direct_last_look);
    case WAIT_TAKEN: /* the thread that signals took it, and removes the deadline next */
        return false;
    default: /* if its alert has come meanwhile, the sender completes it */
        if (!alert_withdraw(worker))
            return false;
        user_wait_take(worker, CALL_STATUS_TIMEOUT);
        return true;
    }
}

/* Under the lock: takes the workers whose deadline has come, as a chain. */
static struct plat_context *take_expired(void)
{
    struct plat_context *chain = NULL, *worker;
    uint64_t now = 0;
    while ((worker = deadlines_first()) != NULL) {
        if (worker->wait.deadline > now && worker->wait.deadline > (now = plat_now()))
            break;
        deadlines_remove(worker);
        if (!user_wait_expired(&worker->wait, now)) {
            deadlines_add(worker); /* cannot fail: there was room a moment ago */
            continue;
        }
        if (time_is_over(worker)) {
            worker->wait.next = chain;
            chain = worker;
        }
    }
    return chain;
}

/* This process signals private objects itself. After a tick or two the pool waits for them, too,
 * and notices signals from elsewhere. */
static void age_direct(void)
{
    uint32_t tick;
    plat_lock(&wait_lock);
    bool over = agenda_tick_is_over(&tick);
    plat_unlock(&wait_lock);
    if (!over)
        return;
    direct_ages_call(tick - DIRECT_TICKS);
    plat_lock(&wait_lock);
    agenda_go_on_ticking(direct_ages_any());
    plat_unlock(&wait_lock);
}

static void sleep_until_wanted(void)
{
    uint64_t until = PLAT_FOREVER, now = plat_now();
    plat_lock(&wait_lock);
    struct plat_context *first = deadlines_first();
    if (first)
        until = first->wait.deadline;
    until = agenda_plan(pool_wait_retire(until), now);
    plat_unlock(&wait_lock);
    if (until)
        agenda_sleep(until, now);
}

static DWORD WINAPI serve(LPVOID begun)
{
    plat_lock(&wait_lock);
    deadlines_are_served();
    plat_unlock(&wait_lock);
    SetEvent(begun);
    for (;;) {
        plat_lock(&wait_lock);
        agenda_look();
        struct plat_context *expired = take_expired();
        plat_unlock(&wait_lock);
        user_wait_complete(expired);
        age_direct();
        plat_lock(&wait_lock);
        struct plat_context *to_arm = agenda_take_queued();
        plat_unlock(&wait_lock);
        while (to_arm) {
            struct plat_context *worker = to_arm;
            to_arm = worker->wait.next;
            pool_wait_arm(worker);
        }
        pool_wait_disarm_cancelled();
        sleep_until_wanted();
    }
    return 0;
}

/* A thread that has the loader's lock does not wait for threads to begin. If another thread has it,
 * this one waits for a second at most. */
static bool start(void)
{
    static HANDLE begun, all_begun; /* kept for the next try, if the rest fails */
    if (!begun)
        begun = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (!all_begun)
        all_begun = CreateEventW(NULL, TRUE, FALSE, NULL);
    HANDLE thread =
        begun && all_begun && agenda_open()
            ? CreateThread(NULL, STACK_BYTES, serve, begun, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL)
            : NULL;
    if (!thread)
        return false;
    pool_wait_start(begun, all_begun);
    if (!loader_is_at_work_here())
        WaitForSingleObject(all_begun, BEGIN_MS);
    SetThreadPriority(thread, THREAD_PRIORITY_ABOVE_NORMAL);
    CloseHandle(thread);
    return true;
}

bool wait_service_start(void)
{
    static struct plat_lock lock;
    static _Atomic bool started;
    if (UMS_LIKELY(atomic_load_explicit(&started, memory_order_acquire)))
        return true;
    plat_lock(&lock);
    if (!started)
        atomic_store_explicit(&started, start(), memory_order_release);
    plat_unlock(&lock);
    return started;
}
