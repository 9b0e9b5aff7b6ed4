/* SPDX-License-Identifier: MIT
 *
 * trace.c - see trace.h.
 *
 * A ring has a head, which writers move, and a tail, which the drain moves. A record is there when its kind is
 * not 0; the drain sets it to 0 again before it moves the tail. In a scheduler's ring the head is its writer's
 * alone. In the common one a place is taken by moving the head; the record of a slower writer is waited for by
 * stopping the drain of that ring there until the next time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "platform/layout.h"
#include "platform/linux/calls.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/linux/inspect/trace.h"
#include "platform/linux/raw.h"

enum { RING_MIB = 8, MOST_MIB = 1024, DRAIN_EVERY_MS = 20, PORTION = 4096, POPULATE_WRITE = 23 };

struct trace_ring {
    _Alignas(64) _Atomic uint64_t head;
    _Atomic uint64_t lost;
    _Alignas(64) _Atomic uint64_t tail;
    struct trace_ring *next;
    uint32_t scheduler;  /* its number; 0: the common ring, or nobody's */
    _Atomic bool in_use; /* somebody writes into it */
    struct trace_record records[];
};

struct trace_head {
    char magic[8];
    uint32_t version, record_bytes;
    uint64_t monotonic, realtime; /* the same moment */
    uint64_t pid;
};

struct trace_state trace_state;

static uint64_t ring_records = (uint64_t)RING_MIB << 15; /* a power of two */
static struct trace_ring *common;
static _Atomic(struct trace_ring *) rings;
static struct plat_lock drain_lock;
static int file = -1;
static char path[256];
static _Atomic uint32_t drain_word; /* futex: 1 when the drain is to end */

/* ---- Writing ------------------------------------------------------------------------------------------- */

static inline struct trace_record *place_alone(struct trace_ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&ring->tail, memory_order_acquire) >= ring_records)
        return NULL;
    atomic_store_explicit(&ring->head, head + 1, memory_order_relaxed);
    return &ring->records[head & (ring_records - 1)];
}

static struct trace_record *place_among_others(struct trace_ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    do
        if (head - atomic_load_explicit(&ring->tail, memory_order_acquire) >= ring_records)
            return NULL;
    while (!atomic_compare_exchange_weak_explicit(&ring->head, &head, head + 1, memory_order_relaxed,
                                                  memory_order_relaxed));
    return &ring->records[head & (ring_records - 1)];
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

void trace_record(struct plat_context *scheduler, enum trace_kind kind, const struct plat_context *who,
                  uint64_t value, uint32_t extra, uint32_t more)
{
    struct trace_ring *ring = scheduler ? scheduler->trace : NULL;
    uint32_t number = who ? engine_core->number_of(who) : 0;
    if (ring)
        write_record(ring, true, kind, number, value, extra, more);
    else if (common)
        write_record(common, false, kind, number, value, extra, more);
}

void trace_wait(struct plat_context *worker, const struct wait *wait)
{
    struct plat_context *scheduler = engine_core->scheduler_of(worker);
    if (wait->address)
        trace_record(scheduler, TRACE_WAIT_ADDRESS, worker, (uintptr_t)wait->address,
                     layout_wait_index(wait->why), 0);
    else if (wait->count)
        trace_record(scheduler, TRACE_WAIT_OBJECT, worker, (uintptr_t)wait->blocks[0].object,
                     wait->blocks[0].object->type, wait->count);
    else
        trace_record(scheduler, TRACE_WAIT_TIME, worker, 0, 0, wait->packets);
}

/* By eights of a text, the last of which has a 0 in it. */
static void write_text(enum trace_kind kind, uint32_t who, uint32_t extra, const char *text)
{
    size_t length = strnlen(text, 63);
    for (uint32_t part = 0; part <= length / 8; part++) {
        uint64_t value = 0;
        memcpy(&value, text + 8 * part, length - 8 * part < 8 ? length - 8 * part : 8);
        write_record(common, false, kind, who, value, extra, part);
    }
}

void trace_name(const struct plat_context *who, const char *text)
{
    if (trace_on() && who && text)
        write_text(TRACE_NAME, engine_core->number_of(who), 0, text);
}

/* ---- Draining ------------------------------------------------------------------------------------------ */

static void give_up(const char *what, int error)
{
    atomic_store_explicit(&trace_state.on, false, memory_order_relaxed);
    if (file >= 0)
        RAW1(SYS_close, file);
    file = -1;
    plat_log("UMSSHIM_TRACE=%s: %s: %s; the program goes on without a trace", path, what, strerror(error));
}

static bool write_all(const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes) {
        long n = RAW3(SYS_write, file, at, bytes);
        if (n == -EINTR || n == -EAGAIN)
            continue;
        if (n <= 0) {
            give_up("writing stopped", n ? (int)-n : ENOSPC);
            return false;
        }
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* With drain_lock held. */
static bool drain_ring(struct trace_ring *ring)
{
    static struct trace_record portion[PORTION + 1];
    bool in_use = atomic_load_explicit(&ring->in_use, memory_order_acquire);
    for (;;) {
        uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
        uint32_t count = 0;
        while (count < PORTION) {
            struct trace_record *record = &ring->records[(tail + count) & (ring_records - 1)];
            if (!atomic_load_explicit(&record->kind, memory_order_acquire))
                break;
            memcpy(&portion[++count], record, sizeof *record);
            atomic_store_explicit(&record->kind, 0, memory_order_relaxed);
        }
        if (!count)
            break;
        atomic_store_explicit(&ring->tail, tail + count, memory_order_release);
        portion[0] = (struct trace_record){
            .time = plat_now(), .value = count, .who = ring->scheduler, .kind = TRACE_PORTION,
            .extra = (uint32_t)atomic_load_explicit(&ring->lost, memory_order_relaxed)};
        if (!write_all(portion, (count + 1) * sizeof *portion))
            return false;
    }
    if (!in_use)
        ring->scheduler = 0; /* for another one */
    return true;
}

static void drain(void)
{
    plat_lock(&drain_lock);
    for (struct trace_ring *ring = atomic_load_explicit(&rings, memory_order_acquire); ring && file >= 0;
         ring = ring->next)
        if (!drain_ring(ring))
            break;
    plat_unlock(&drain_lock);
}

static void *drain_main(void *unused)
{
    (void)unused;
    plat_tls.counted = true;
    affinity_reset();
    while (!atomic_load_explicit(&drain_word, memory_order_acquire)) {
        futex_wait_until(&drain_word, 0, plat_now() + DRAIN_EVERY_MS * 1000000u);
        drain();
    }
    return NULL;
}

/* The process ends: by exit, since nothing of ours runs otherwise. */
static __attribute__((destructor)) void last_drain(void)
{
    if (!trace_on())
        return;
    atomic_store_explicit(&drain_word, 1, memory_order_release);
    drain();
}

/* ---- Beginning ----------------------------------------------------------------------------------------- */

static struct trace_ring *new_ring(uint32_t scheduler)
{
    struct trace_ring *ring =
        plat_reserve(sizeof *ring + ring_records * sizeof(struct trace_record));
    if (!ring)
        return NULL;
    /* Its pages now, and not one by one on the way of a switch. Kernels before 5.14 do the latter. */
    RAW3(SYS_madvise, ring, sizeof *ring + ring_records * sizeof(struct trace_record), POPULATE_WRITE);
    ring->scheduler = scheduler;
    atomic_store_explicit(&ring->in_use, true, memory_order_relaxed);
    ring->next = atomic_load_explicit(&rings, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&rings, &ring->next, ring, memory_order_release,
                                                  memory_order_relaxed))
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
    plat_lock(&drain_lock);
    for (struct trace_ring *ring = atomic_load(&rings); ring && !found; ring = ring->next) {
        if (ring != common && !ring->scheduler && !atomic_load(&ring->in_use)) {
            found = ring;
            found->scheduler = number;
            atomic_store_explicit(&found->in_use, true, memory_order_relaxed);
        }
    }
    plat_unlock(&drain_lock);
    scheduler->trace = found ? found : new_ring(number);
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

static bool read_size(void)
{
    const char *text = secure_getenv("UMSSHIM_TRACE_RING");
    if (!text || !*text)
        return true;
    char *end;
    long mib = strtol(text, &end, 10);
    if (*end || mib < 1 || mib > MOST_MIB || (mib & (mib - 1))) {
        plat_log("UMSSHIM_TRACE_RING=%.20s is no power of two from 1 to %d (MiB): %d it is", text, MOST_MIB,
                 RING_MIB);
        return false;
    }
    ring_records = (uint64_t)mib << 15;
    return true;
}

void trace_open(void)
{
    const char *text = secure_getenv("UMSSHIM_TRACE");
    struct timespec wall;
    if (!text || !*text)
        return;
    read_size();
    strncpy(path, text, sizeof path - 1);
    file = open(text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        give_up("it cannot be opened", errno);
        return;
    }
    file = fd_move_high(file);
    common = new_ring(0);
    clock_gettime(CLOCK_REALTIME, &wall);
    struct trace_head head = {
        .magic = "UMSTRACE", .version = 1, .record_bytes = sizeof(struct trace_record), .monotonic = plat_now(),
        .realtime = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec,
        .pid = (uint64_t)RAW0(SYS_getpid)};
    if (!common) {
        give_up("there is no memory for it", ENOMEM);
        return;
    }
    if (!write_all(&head, sizeof head))
        return;
    for (unsigned i = 0; i < trapped_call_count; i++)
        write_text(TRACE_CALL_NAME, 0, (uint32_t)trapped_calls[i].nr, trapped_calls[i].name);
    for (unsigned i = 0; layout_wait_name(i); i++)
        write_text(TRACE_CALL_NAME, 1, i, layout_wait_name(i));
    atomic_store_explicit(&trace_state.on, true, memory_order_release);
}

void trace_start(void)
{
    pthread_t thread;
    atomic_store_explicit(&drain_word, 0, memory_order_relaxed);
    int error = trace_on() ? kthread_create(&thread, 128 << 10, drain_main, NULL) : 0;
    if (error)
        give_up("there is no thread for it", error);
}

void trace_forget(void)
{
    atomic_store_explicit(&trace_state.on, false, memory_order_relaxed);
    if (file >= 0)
        RAW1(SYS_close, file);
    file = -1;
    common = NULL;
    atomic_store_explicit(&rings, NULL, memory_order_relaxed);
    drain_lock = (struct plat_lock){0};
}
