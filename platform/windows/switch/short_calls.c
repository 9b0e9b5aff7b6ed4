/* SPDX-License-Identifier: MIT
 *
 * short_calls.c - see short_calls.h.
 */
#include "platform/windows/switch/short_calls.h"

#include "platform/windows/os/alert_raw.h"
#include "platform/windows/switch/call_notes.h"
#include "platform/windows/switch/thread_switch.h"

enum { CALL_NONE, CALL_MADE, CALL_HELD, CALL_TOLD, CALL_NEXT };

/* To wake the scheduler so that it watches costs more than this. */
enum { LATE_NS = 20000 };

/* ---- The worker ------------------------------------------------------------------------------ */

static void wake(struct plat_context *scheduler)
{
    if (engine_in_place)
        alert_raw_wake(scheduler->thread_id);
    else
        WakeByAddressSingle((void *)&scheduler->word);
}

void short_call_begin(struct plat_context *self, uint64_t patience_ns)
{
    uint32_t number = atomic_load_explicit(&self->call, memory_order_relaxed) & ~SHORT_CALL_STATES;
    self->call_patience = patience_ns;
    uint64_t now = self->host ? 0 : plat_now();
    atomic_store_explicit(&self->call_began, now, memory_order_relaxed);
    atomic_store(&self->call, (number + CALL_NEXT) | CALL_MADE);
    if (self->host)
        return; /* the worker is on its way home; its scheduler looks when it waits */
    struct plat_context *scheduler = self->scheduler;
    uint64_t until = atomic_load(&scheduler->watches_until);
    if (!until || until > now + patience_ns + LATE_NS)
        wake(scheduler);
}

bool short_call_end(struct plat_context *self)
{
    plat_lock(&self->call_lock);
    uint32_t call = atomic_load_explicit(&self->call, memory_order_relaxed);
    atomic_store_explicit(&self->call, call & ~SHORT_CALL_STATES, memory_order_relaxed);
    plat_unlock(&self->call_lock);
    UMS_CHECK((call & SHORT_CALL_STATES) == CALL_MADE || (call & SHORT_CALL_STATES) == CALL_TOLD,
              self, call);
    return (call & SHORT_CALL_STATES) == CALL_TOLD;
}

/* ---- Its scheduler --------------------------------------------------------------------------- */

/* The scheduler goes on without the worker, if the worker is still in this very call. True: it
 * does. */
static bool tell(struct plat_context *scheduler, struct plat_context *worker, uint32_t call)
{
    bool told = false;
    plat_lock(&worker->call_lock);
    /* The order matters: `word` is read after `call`. If another scheduler executes the worker it
     * fills our word before that call. */
    if (atomic_load(&worker->call) == call && (call & SHORT_CALL_STATES) == CALL_MADE &&
        atomic_load(&scheduler->word) == HAND_EMPTY) {
        atomic_store_explicit(&scheduler->word, HAND_GO, memory_order_relaxed);
        engine_core->worker_blocked(worker);
        call_note_leaves(worker, DOOR_THREAD);
        atomic_store_explicit(&worker->call, (call & ~SHORT_CALL_STATES) | CALL_TOLD,
                              memory_order_relaxed);
        told = true;
    }
    plat_unlock(&worker->call_lock);
    return told;
}

/* Returns when woken, after the time, or without reason. ns 0: sleeps without a limit. */
static void sleep_for(struct plat_context *scheduler, uint64_t ns)
{
    enum { NS_OF_TICK = 100, NS_OF_MS = 1000000 };
    uint32_t empty = HAND_EMPTY;
    if (engine_in_place)
        alert_raw_wait(ns / NS_OF_TICK);
    else
        WaitOnAddress((volatile void *)&scheduler->word, &empty, sizeof empty,
                      ns ? (DWORD)((ns + NS_OF_MS - 1) / NS_OF_MS) : INFINITE);
}

/* Stores until when the scheduler watches. True: it had stored this time before, so what it has
 * read since still holds. */
static bool watches_until(struct plat_context *scheduler, uint64_t until)
{
    if (atomic_load_explicit(&scheduler->watches_until, memory_order_relaxed) == until)
        return true;
    atomic_store(&scheduler->watches_until, until);
    return false;
}

bool short_call_await(struct plat_context *scheduler, struct plat_context *worker)
{
    uint32_t watched = 0;
    uint64_t until = 0;
    bool told = false;
    while (!told && atomic_load_explicit(&scheduler->word, memory_order_acquire) == HAND_EMPTY) {
        uint32_t call = atomic_load(&worker->call);
        if (!(call & SHORT_CALL_STATES)) {
            if (watches_until(scheduler, 0))
                sleep_for(scheduler, 0);
            continue;
        }
        uint64_t now = plat_now();
        if ((call | SHORT_CALL_STATES) != watched) {
            watched = call | SHORT_CALL_STATES;
            until = now + worker->call_patience;
        } else if (now >= until) {
            /* The time that the worker's thread took to begin the call does not count. */
            uint64_t began = atomic_load_explicit(&worker->call_began, memory_order_relaxed);
            until = (began ? began : now) + worker->call_patience;
            if (now >= until) {
                told = tell(scheduler, worker, call);
                watched = 0; /* if not told, the call is held or another one by now */
            }
            continue;
        }
        if (watches_until(scheduler, until))
            sleep_for(scheduler, until - now);
    }
    atomic_store_explicit(&scheduler->watches_until, 0, memory_order_relaxed);
    return told;
}

/* ---- Stopping the worker's thread -------------------------------------------------------- */

bool short_call_hold(struct plat_context *worker, bool blocked)
{
    plat_lock(&worker->call_lock);
    uint32_t call = atomic_load_explicit(&worker->call, memory_order_relaxed);
    bool held = blocked || (call & SHORT_CALL_STATES) != CALL_TOLD;
    if (held && (call & SHORT_CALL_STATES) == CALL_MADE)
        atomic_store_explicit(&worker->call, (call & ~SHORT_CALL_STATES) | CALL_HELD,
                              memory_order_relaxed);
    plat_unlock(&worker->call_lock);
    return held;
}

void short_call_release(struct plat_context *worker)
{
    plat_lock(&worker->call_lock);
    uint32_t call = atomic_load_explicit(&worker->call, memory_order_relaxed);
    if ((call & SHORT_CALL_STATES) == CALL_HELD)
        atomic_store_explicit(&worker->call, (call & ~SHORT_CALL_STATES) | CALL_MADE,
                              memory_order_relaxed);
    plat_unlock(&worker->call_lock);
}
