/* SPDX-License-Identifier: MIT
 *
 * trace_file.c - the file of a trace: opening it, and taking records out of the rings into it (trace/trace.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "platform/layout.h"
#include "platform/linux/traps/calls.h"
#include "platform/linux/inspect/trace_file.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/trace/ring.h"

enum { RING_MIB = 8, MOST_MIB = 1024, DRAIN_EVERY_MS = 20, PORTION = 4096 };

struct trace_head {
    char magic[8];
    uint32_t version, record_bytes;
    uint64_t monotonic, realtime; /* the same moment */
    uint64_t pid;
};

static int file = -1;
static char path[256];
static _Atomic uint32_t drain_word; /* futex: 1 when the drain is to end */

/* ---- Draining ------------------------------------------------------------------------------------------ */

static void give_up(const char *what, int error)
{
    atomic_store_explicit(&trace_state.on, false, memory_order_relaxed);
    if (file >= 0)
        RAW1(SYS_close, file);
    file = -1;
    plat_log("UMSSHIM_TRACE=%s: %s: %s; the program goes on without a trace", path, what,
             strerror(error));
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

/* With trace_rings_lock held. */
static bool drain_ring(struct trace_ring *ring)
{
    static struct trace_record portion[PORTION + 1];
    bool in_use = atomic_load_explicit(&ring->in_use, memory_order_acquire);
    for (;;) {
        uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
        uint32_t count = 0;
        while (count < PORTION) {
            struct trace_record *record = &ring->records[(tail + count) & (trace_ring_records - 1)];
            if (!atomic_load_explicit(&record->kind, memory_order_acquire))
                break;
            memcpy(&portion[++count], record, sizeof *record);
            atomic_store_explicit(&record->kind, 0, memory_order_relaxed);
        }
        if (!count)
            break;
        atomic_store_explicit(&ring->tail, tail + count, memory_order_release);
        portion[0] = (struct trace_record){
            .time = plat_now(),
            .value = count,
            .who = ring->scheduler,
            .kind = TRACE_PORTION,
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
    plat_lock(&trace_rings_lock);
    for (struct trace_ring *ring = atomic_load_explicit(&trace_rings, memory_order_acquire);
         ring && file >= 0; ring = ring->next)
        if (!drain_ring(ring))
            break;
    plat_unlock(&trace_rings_lock);
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

static bool read_size(void)
{
    const char *text = secure_getenv("UMSSHIM_TRACE_RING");
    if (!text || !*text)
        return true;
    char *end;
    long mib = strtol(text, &end, 10);
    if (*end || mib < 1 || mib > MOST_MIB || (mib & (mib - 1))) {
        plat_log("UMSSHIM_TRACE_RING=%.20s is no power of two from 1 to %d (MiB): %d it is", text,
                 MOST_MIB, RING_MIB);
        return false;
    }
    trace_ring_records = (uint64_t)mib << 15;
    return true;
}

void trace_open(void)
{
    const char *text = secure_getenv("UMSSHIM_TRACE");
    struct timespec wall;
    if (!text || !*text)
        return;
    trace_ring_records = (uint64_t)RING_MIB << 15;
    read_size();
    strncpy(path, text, sizeof path - 1);
    file = open(text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        give_up("it cannot be opened", errno);
        return;
    }
    file = fd_move_high(file);
    trace_common = trace_ring_new(0);
    clock_gettime(CLOCK_REALTIME, &wall);
    struct trace_head head = {.magic = "UMSTRACE",
                              .version = 1,
                              .record_bytes = sizeof(struct trace_record),
                              .monotonic = plat_now(),
                              .realtime =
                                  (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec,
                              .pid = (uint64_t)RAW0(SYS_getpid)};
    if (!trace_common) {
        give_up("there is no memory for it", ENOMEM);
        return;
    }
    if (!write_all(&head, sizeof head))
        return;
    for (unsigned i = 0; i < trapped_call_count; i++)
        trace_text(TRACE_CALL_NAME, 0, (uint32_t)trapped_calls[i].nr, trapped_calls[i].name);
    for (unsigned i = 0; layout_wait_name(i); i++)
        trace_text(TRACE_CALL_NAME, 1, i, layout_wait_name(i));
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
    trace_common = NULL;
    atomic_store_explicit(&trace_rings, NULL, memory_order_relaxed);
    trace_rings_lock = (struct plat_lock){0};
}
