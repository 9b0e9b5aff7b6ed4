/* SPDX-License-Identifier: MIT
 *
 * trace.c - rings of records, and writing into them: see trace.h. file.c writes them out.
 *
 * A ring has a head, which writers move, and a tail, which the drain moves. A record is there when
 * its kind is not 0; the drain sets it to 0 again before it moves the tail. In a scheduler's ring
 * the head is its writer's alone. In the common one a place is taken by moving the head; the record
 * of a slower writer is waited for by stopping the drain of that ring there until the next time.
 */
#include <string.h>

#include "platform/trace/ring.h"
#include "platform/trace/system.h"

enum { MOST_SITES = 16, OURS = 24 };

/* Its bytes are in the file: there a tracer tells the kernel to look for the count of listeners. */
__attribute__((section(".data"))) struct trace_state trace_state;
struct trace_listener trace_listener;

uint64_t trace_ring_records;
struct trace_ring *trace_common;
_Atomic(struct trace_ring *) trace_rings;
PLAT_LOCK(TRACE) trace_rings_lock;

/* ---- Writing --------------------------------------------------------------------------------- */

static inline struct trace_record *place_alone(struct trace_ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&ring->tail, memory_order_acquire) >= trace_ring_records)
        return NULL;
    atomic_store_explicit(&ring->head, head + 1, memory_order_relaxed);
    return &ring->records[head & (trace_ring_records - 1)];
}

static struct trace_record *place_among_others(struct trace_ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    do
        if (head - atomic_load_explicit(&ring->tail, memory_order_acquire) >= trace_ring_records)
            return NULL;
    while (!atomic_compare_exchange_weak_explicit(&ring->head, &head, head + 1,
                                                  memory_order_relaxed, memory_order_relaxed));
    return &ring->records[head & (trace_ring_records - 1)];
}

static void write_record(struct trace_ring *ring, bool alone, uint32_t kind, uint32_t who,
                         uint64_t value, uint32_t extra, uint32_t more)
{
    struct trace_record *record = alone ? place_alone(ring) : place_among_others(ring);
    if (UMS_UNLIKELY(!record)) {
        atomic_fetch_add_explicit(&ring->lost, 1, memory_order_relaxed);
        return;
    }
    record->time = plat_now();
    record->value = value;
    record->who = who;
    record->extra = extra;
    record->more = more;
    atomic_store_explicit(&record->kind, kind, memory_order_release);
}

void trace_record(struct plat_context *scheduler, enum trace_kind kind,
                  const struct plat_context *who, uint64_t value, uint32_t extra, uint32_t more)
{
    uint32_t number = who ? who->number : 0;
    if (trace_recording()) {
        struct trace_ring *ring = scheduler ? scheduler->trace : NULL;
        if (ring)
            write_record(ring, true, kind, number, value, extra, more);
        else if (trace_common)
            write_record(trace_common, false, kind, number, value, extra, more);
    }
    if (UMS_UNLIKELY(atomic_load_explicit(&trace_state.listeners, memory_order_relaxed) != 0))
        trace_listener.event(kind, scheduler ? scheduler->number : 0, number, value, extra, more);
}

/* A worker's way here goes through the library first. */
void trace_sites(struct plat_context *scheduler, const struct plat_context *worker)
{
    void *calls[OURS + MOST_SITES];
    if (!trace_state.sites)
        return;
    unsigned count = system_calls(calls, OURS + trace_state.sites), first = 0;
    while (first < count && system_is_ours(calls[first]))
        first++;
    for (unsigned i = first;
         i < count && i - first < trace_state.sites && !system_is_ours(calls[i]); i++)
        trace_record(scheduler, TRACE_SITE, worker, (uintptr_t)calls[i], 0, i - first);
}

void trace_leave(struct plat_context *scheduler, const struct plat_context *worker)
{
    trace_sites(scheduler, worker);
    trace_record(scheduler, TRACE_LEAVE, worker, 0, 0, 0);
}

/* By eights of a text, the last of which has a 0 in it. */
void trace_text(enum trace_kind kind, uint32_t who, uint32_t extra, const char *text)
{
    size_t length = strnlen(text, 63);
    for (uint32_t part = 0; part <= length / 8; part++) {
        uint64_t value = 0;
        memcpy(&value, text + 8 * part, length - 8 * part < 8 ? length - 8 * part : 8);
        write_record(trace_common, false, kind, who, value, extra, part);
    }
}

void trace_number(enum trace_kind kind, uint32_t who, uint64_t value, uint32_t extra)
{
    write_record(trace_common, false, kind, who, value, extra, 0);
}

void trace_name(const struct plat_context *who, const char *text)
{
    if (!trace_on() || !who || !text)
        return;
    if (trace_recording())
        trace_text(TRACE_NAME, who->number, 0, text);
    if (atomic_load_explicit(&trace_state.listeners, memory_order_relaxed))
        trace_listener.name(who->number, text);
}

/* ---- Rings ----------------------------------------------------------------------------------- */

struct trace_ring *trace_ring_new(uint32_t scheduler)
{
    struct trace_ring *ring =
        system_pages(sizeof *ring + trace_ring_records * sizeof(struct trace_record));
    if (!ring)
        return NULL;
    ring->scheduler = scheduler;
    atomic_store_explicit(&ring->in_use, true, memory_order_relaxed);
    ring->next = atomic_load_explicit(&trace_rings, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&trace_rings, &ring->next, ring,
                                                  memory_order_release, memory_order_relaxed))
        ;
    return ring;
}

static struct trace_ring *ring_for(uint32_t number)
{
    struct trace_ring *found = NULL;
    plat_lock(&trace_rings_lock);
    for (struct trace_ring *ring = atomic_load(&trace_rings); ring && !found; ring = ring->next) {
        if (ring != trace_common && !ring->scheduler && !atomic_load(&ring->in_use)) {
            found = ring;
            found->scheduler = number;
            atomic_store_explicit(&found->in_use, true, memory_order_relaxed);
        }
    }
    plat_unlock(&trace_rings_lock);
    return found ? found : trace_ring_new(number);
}

void trace_enter(struct plat_context *scheduler, uint32_t thread, unsigned processor)
{
    scheduler->trace = trace_recording() ? ring_for(scheduler->number) : NULL;
    trace(scheduler, TRACE_ENTER, scheduler, processor, thread, 0);
}

void trace_left(struct plat_context *scheduler)
{
    trace(scheduler, TRACE_LEFT, scheduler, 0, 0, 0);
    if (scheduler->trace)
        atomic_store_explicit(&scheduler->trace->in_use, false, memory_order_release);
    scheduler->trace = NULL;
}
