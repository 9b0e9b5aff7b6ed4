/* SPDX-License-Identifier: MIT
 *
 * thread_switch.c - see thread_switch.h.
 */
#include "platform/windows/switch/thread_switch.h"

#include "platform/trace/trace.h"
#include "platform/windows/engine.h"
#include "platform/windows/os/alert_raw.h"
#include "platform/windows/switch/short_calls.h"

struct thread_switch_hooks thread_switch_hooks;

/* Sleeps while the word has the value; may return without reason. */
static void word_wait(const _Atomic uint32_t *word, uint32_t value)
{
    WaitOnAddress((volatile void *)(uintptr_t)word, &value, sizeof value, INFINITE);
}

static void word_wake_one(_Atomic uint32_t *word)
{
    WakeByAddressSingle((void *)word);
}

void thread_switch_wake(struct plat_context *context, enum hand hand)
{
    /* Release: the thread sees what was written for it before. It may end right after. The code
     * below uses only the address of its word and its event, which stay while it is executed. */
    uint32_t id = context->thread_id;
    uint32_t was = atomic_exchange_explicit(&context->word, (uint32_t)hand, memory_order_acq_rel);
    if (UMS_LIKELY(was == HAND_EMPTY) && engine_in_place)
        alert_raw_wake(id); /* workers do not use their threads' alerts */
    else if (UMS_LIKELY(was == HAND_EMPTY))
        word_wake_one(&context->word);
    else if (was == HAND_ASLEEP)
        SetEvent(context->event);
    else
        thread_switch_hooks.thaw(context, hand == HAND_END);
}

/* To wake a thread on another processor takes tens of microseconds, so it pays to spin for a word
 * that comes soon. A thread learns whether its words do. Now and then it spins long enough for
 * another thread to wake up. As long as words come in that time, short spins keep both sides awake.
 * If the other thread needs our processor, spinning only delays it: so after a spin in vain the
 * thread does not spin. */
enum { LONG_SPIN = 1000, SHORT_SPIN = 100, LEARN_EVERY = 256 };

static uint32_t spin_for_word(struct plat_context *self)
{
    uint32_t word = HAND_EMPTY;
    if (UMS_UNLIKELY(++self->waits % LEARN_EVERY == 0))
        self->spins = LONG_SPIN;
    for (unsigned i = self->spins; i; i--) {
        word = atomic_load_explicit(&self->word, memory_order_acquire);
        if (word != HAND_EMPTY) {
            self->spins = SHORT_SPIN;
            return word;
        }
        __builtin_ia32_pause();
    }
    self->spins = 0;
    return word;
}

static uint32_t wait_for_word(struct plat_context *self)
{
    uint32_t word;
    if (engine_many_processors && (word = spin_for_word(self)) != HAND_EMPTY)
        return word;
    while ((word = atomic_load_explicit(&self->word, memory_order_acquire)) == HAND_EMPTY)
        engine_in_place ? alert_raw_wait(0) : word_wait(&self->word, HAND_EMPTY);
    return word;
}

static uint32_t wait_for_event(struct plat_context *self)
{
    uint32_t word = HAND_EMPTY;
    if (!atomic_compare_exchange_strong_explicit(&self->word, &word, HAND_ASLEEP,
                                                 memory_order_acq_rel, memory_order_acquire))
        return word;
    do /* the event is signalled once for each HAND_ASLEEP */
        WaitForSingleObject(self->event, INFINITE);
    while ((word = atomic_load_explicit(&self->word, memory_order_acquire)) == HAND_ASLEEP);
    return word;
}

void thread_switch_await(struct plat_context *worker)
{
    if (UMS_UNLIKELY(wait_for_word(worker) == HAND_END))
        thread_switch_hooks.end(worker);
}

void thread_switch_park(struct plat_context *worker, bool by_event)
{
    bool inside = worker->inside;
    worker->inside = true;
    uint32_t word = by_event ? wait_for_event(worker) : wait_for_word(worker);
    worker->inside = inside;
    if (UMS_UNLIKELY(word == HAND_END))
        thread_switch_hooks.end(worker);
}

void thread_switch_give(struct plat_context *scheduler,
                        void (*after)(struct plat_context *, void *), void *arg)
{
    scheduler->after = after;
    scheduler->arg = arg;
    thread_switch_wake(scheduler, HAND_GO);
}

static void after_long_call(struct plat_context *scheduler, void *arg)
{
    (void)arg;
    engine_core->activate(scheduler, PLAT_ENTRY_CALL);
}

_Noreturn void thread_switch_go(struct plat_context *scheduler, struct plat_context *worker)
{
    atomic_store_explicit(&scheduler->word, HAND_EMPTY, memory_order_relaxed);
    __atomic_store_n(&scheduler->guest, worker, __ATOMIC_RELEASE);
    thread_switch_wake(worker, HAND_GO);
    if ((!engine_many_processors || spin_for_word(scheduler) == HAND_EMPTY) &&
        short_call_await(scheduler, worker)) {
        scheduler->after = after_long_call;
        scheduler->arg = NULL;
    }
    restart_with(scheduler, (void *)scheduler->after, (uintptr_t)scheduler->arg, NULL, NULL);
}

int thread_switch_execute(struct plat_context *scheduler, struct plat_context *worker)
{
    trace(scheduler, TRACE_EXECUTE, worker, 0, worker->thread_id, scheduler->reason);
    thread_switch_go(scheduler, worker);
}
