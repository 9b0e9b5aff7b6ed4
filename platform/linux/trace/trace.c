/* SPDX-License-Identifier: MIT
 *
 * trace.c - rings of records, and writing into them: see trace.h. What becomes of them: inspect/trace_file.c.
 *
 * A ring has a head, which writers move, and a tail, which the drain moves. A record is there when its kind is
 * not 0; the drain sets it to 0 again before it moves the tail. In a scheduler's ring the head is its writer's
 * alone. In the common one a place is taken by moving the head; the record of a slower writer is waited for by
 * stopping the drain of that ring there until the next time.
 */
#include <string.h>

#include "platform/linux/os/raw.h"
#include "platform/linux/trace/ring.h"

enum { POPULATE_WRITE = 23 };

struct trace_state trace_state;

uint64_t trace_ring_records;
struct trace_ring *trace_common;
_Atomic(struct trace_ring *) trace_rings;
struct plat_lock trace_rings_lock;

/* ---- Writing ------------------------------------------------------------------------------------------- */

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
    struct trace_ring *ring = scheduler ? scheduler->trace : NULL;
    uint32_t number = who ? engine_core->number_of(who) : 0;
    if (ring)
        write_record(ring, true, kind, number, value, extra, more);
    else if (trace_common)
        write_record(trace_common, false, kind, number, value, extra, more);
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

void trace_name(const struct plat_context *who, const char *text)
{
    if (trace_on() && who && text)
        trace_text(TRACE_NAME, engine_core->number_of(who), 0, text);
}

/* ---- Rings --------------------------------------------------------------------------------------------- */

struct trace_ring *trace_ring_new(uint32_t scheduler)
{
    struct trace_ring *ring =
        plat_reserve(sizeof *ring + trace_ring_records * sizeof(struct trace_record));
    if (!ring)
        return NULL;
    /* Its pages now, and not one by one on the way of a switch. Kernels before 5.14 do the latter. */
    RAW3(SYS_madvise, ring, sizeof *ring + trace_ring_records * sizeof(struct trace_record),
         POPULATE_WRITE);
    ring->scheduler = scheduler;
    atomic_store_explicit(&ring->in_use, true, memory_order_relaxed);
    ring->next = atomic_load_explicit(&trace_rings, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&trace_rings, &ring->next, ring,
                                                  memory_order_release, memory_order_relaxed))
        ;
    return ring;
}

void trace_enter(struct plat_context *scheduler)
{
    scheduler->trace = NULL;
    if (!trace_on())
        return;
    uint32_t number = engine_core->number_of(scheduler);
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
    scheduler->trace = found ? found : trace_ring_new(number);
    trace_record(scheduler, TRACE_ENTER, scheduler, 0, (uint32_t)scheduler->tid, 0);
}

void trace_left(struct plat_context *scheduler)
{
    if (!scheduler->trace)
        return;
    trace_record(scheduler, TRACE_LEFT, scheduler, 0, 0, 0);
    atomic_store_explicit(&scheduler->trace->in_use, false, memory_order_release);
    scheduler->trace = NULL;
}
