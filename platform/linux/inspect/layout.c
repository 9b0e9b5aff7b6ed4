/* SPDX-License-Identifier: MIT
 *
 * layout.c - where the engine's data is, for debuggers (platform/layout.h); and the one symbol by
 * which they find the rows.
 *
 * Data that is private to a file has its rows there.
 */
#include "platform/layout.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/dispatch/seat.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/linux/os/library_text.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/lane.h"

extern struct layout_row first_row[] __asm__("__start_umsinfo")
    __attribute__((visibility("hidden")));
extern struct layout_row end_row[] __asm__("__stop_umsinfo") __attribute__((visibility("hidden")));

/* Exported: readers look this name up. Its own layout never changes. */
struct {
    char magic[8];
    uint32_t version;
    uint32_t row_bytes;
    struct layout_row *first, *end;
} umsshim_layout __attribute__((used, visibility("default"))) = {
    "UMSINFO", LAYOUT_VERSION, sizeof(struct layout_row), first_row, end_row,
};

LAYOUT_VARIABLE("clock", engine_clock);
LAYOUT_CODE("library.start", library_start);
LAYOUT_CODE("library.end", library_end);

LAYOUT_FIELD("plat", struct plat_context, scheduler, 8);
LAYOUT_FIELD("plat", struct plat_context, sp, 8);
LAYOUT_FIELD("plat", struct plat_context, fs_base, 8);
LAYOUT_FIELD("plat", struct plat_context, kernel_at, 8);
LAYOUT_FIELD("plat", struct plat_context, is_scheduler, 1);
LAYOUT_FIELD("plat", struct plat_context, runs.hosted, 1);
LAYOUT_FIELD("plat", struct plat_context, lane, 8);
LAYOUT_FIELD("plat", struct plat_context, runs.carrier, 8);
LAYOUT_FIELD("plat", struct plat_context, runs.worker, 8);
LAYOUT_FIELD("plat", struct plat_context, runs.hold, 4);
LAYOUT_FIELD("plat", struct plat_context, signals.at_home, 1);
LAYOUT_FIELD("plat", struct plat_context, left_at, 4);
LAYOUT_FIELD("plat", struct plat_context, activations, 4);
LAYOUT_FIELD("plat", struct plat_context, reason, 1);
LAYOUT_FIELD("plat", struct plat_context, thread, 8);
LAYOUT_FIELD("plat", struct plat_context, tid, 4);
LAYOUT_INSIDE("plat", struct plat_context, call);

LAYOUT_FIELD("call", struct call, entry, 8);
LAYOUT_FIELD("call", struct call, args, 48);
LAYOUT_FIELD("call", struct call, deadline, 8);
LAYOUT_FIELD("call", struct call, realtime, 1);
LAYOUT_FIELD("call", struct call, watch.given_fd, 4);
LAYOUT_FIELD("call", struct call, next, 8);
LAYOUT_FIELD("call", struct call, in_flight, 1);

LAYOUT_FIELD("carrier", struct carrier, context, 8);
LAYOUT_FIELD("carrier", struct carrier, scheduler, 8);
LAYOUT_FIELD("carrier", struct carrier, tid, 4);
LAYOUT_FIELD("carrier", struct carrier, next_idle, 8);
LAYOUT_FIELD("lane", struct lane, cpu, 4);
LAYOUT_FIELD("lane", struct lane, hosting.idle, 8);
LAYOUT_FIELD("lane", struct lane, hosting.starving_count, 4);
LAYOUT_FIELD("lane", struct lane, readiness.watched.first, 8);

LAYOUT_FIELD("thread", struct plat_thread, context, 8);
LAYOUT_FIELD("thread", struct plat_thread, tid, 4);
LAYOUT_FIELD("thread", struct plat_thread, ended, 1);
LAYOUT_FIELD("thread", struct plat_thread, description, 8);
LAYOUT_FIELD("thread", struct plat_thread, waits_at, 8);
LAYOUT_FIELD("thread", struct plat_thread, sleep, 8);
LAYOUT_FIELD("thread", struct plat_thread, begin.start, 8);

LAYOUT_NUMBER("waits_at.bucket", WAITS_AT_BUCKET);
LAYOUT_NUMBER("waits_at.time", WAITS_FOR_TIME);
LAYOUT_NUMBER("waits_at.any", WAITS_FOR_ANY);
LAYOUT_FIELD("thread", struct plat_thread, sitter, 8);
LAYOUT_FIELD("sitter", struct sitter, wait, 8);
LAYOUT_FIELD("bucket", struct bucket, first, 8);
LAYOUT_FIELD("wait", struct wait, blocks, 8);
LAYOUT_FIELD("wait", struct wait, thread, 8);
LAYOUT_FIELD("wait", struct wait, next_at, 8);
LAYOUT_FIELD("wait", struct wait, address, 8);
LAYOUT_FIELD("wait", struct wait, why, 8);
LAYOUT_FIELD("wait", struct wait, count, 1);
LAYOUT_FIELD("wait", struct wait, all, 1);
LAYOUT_FIELD("wait", struct wait, alertable, 1);
LAYOUT_FIELD("wait", struct wait, packets, 1);
LAYOUT_FIELD("wait", struct wait, timed, 1);
LAYOUT_FIELD("wait", struct wait, timer.deadline, 8);
LAYOUT_SIZE("wait_block", struct wait_block);
LAYOUT_FIELD("wait_block", struct wait_block, object, 8);
LAYOUT_FIELD("wait_block", struct wait_block, wait, 8);
LAYOUT_FIELD("wait_block", struct wait_block, next, 8);

LAYOUT_FIELD("object", struct object, type, 1);
LAYOUT_FIELD("object", struct object, signal, 4);
LAYOUT_FIELD("object", struct object, first, 8);
LAYOUT_FIELD("object", struct object, name, 8);
LAYOUT_FIELD("mutex", struct mutex, owner, 8);
LAYOUT_FIELD("mutex", struct mutex, abandoned, 1);
LAYOUT_FIELD("semaphore", struct semaphore, limit, 4);

#define TYPE(name) LAYOUT_NUMBER("object_type." #name, OBJECT_##name)
TYPE(AUTO_EVENT);
TYPE(MANUAL_EVENT);
TYPE(SEMAPHORE);
TYPE(MUTEX);
TYPE(AUTO_TIMER);
TYPE(MANUAL_TIMER);
TYPE(THREAD);
TYPE(PROCESS);
TYPE(FILE);
TYPE(PORT);
TYPE(SHARED_AUTO_EVENT);
TYPE(SHARED_MANUAL_EVENT);
TYPE(SHARED_SEMAPHORE);
TYPE(SHARED_MUTEX);
