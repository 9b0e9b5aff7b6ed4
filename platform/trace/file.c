/* SPDX-License-Identifier: MIT
 *
 * file.c - see file.h: opening the file, and taking records out of the rings into it.
 *
 * A portion is copied, written, and only then taken out of its ring. When a process of Windows
 * ends, all threads but one are ended wherever they are, and what one of them was writing may
 * arrive later still. So a portion is noted before it is written, with its place in the file: the
 * last thread does the same steps again, with the same bytes, and goes on behind them.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/trace/file.h"
#include "platform/trace/ring.h"
#include "platform/trace/system.h"

enum {
    RING_MIB = 8,
    MOST_MIB = 1024,
    DRAIN_EVERY_MS = 20,
    PORTION = 4096,
    MOST_SITES = 16,
    PAGE = 4096
};

struct trace_head {
    char magic[8];
    uint32_t version, record_bytes;
    uint64_t monotonic, realtime; /* the same moment */
    uint64_t pid;
};

static bool is_open;
static uint64_t file_end;
static char path[1024];
static _Atomic bool over; /* the drain is to end */

static struct trace_record portion[PORTION + 1];

/* What is in `portion`, from before it is written until it is out of its ring. Each step may be
 * done twice. */
static struct {
    _Atomic(struct trace_ring *) ring; /* set when all else is; NULL: none is under way */
    uint64_t place, past;              /* in the file; in the ring */
    uint32_t count;
} under_way;

/* ---- Draining -------------------------------------------------------------------------------- */

static void give_up(const char *what, int error)
{
    atomic_store_explicit(&trace_state.recording, false, memory_order_relaxed);
    if (is_open)
        system_file_close();
    is_open = false;
    plat_log("UMSSHIM_TRACE=%.200s: %s: %s; the program goes on without a trace", path, what,
             system_error_text(error));
}

static bool write_at(uint64_t place, const void *data, size_t bytes)
{
    int error = system_file_write(place, data, bytes);
    if (error)
        give_up("writing stopped", error);
    return !error;
}

static struct trace_record *record_at(struct trace_ring *ring, uint64_t place)
{
    return &ring->records[place & (trace_ring_records - 1)];
}

/* Copies records that are there, from place `from` on, and says how many; *past: the place after
 * them. A place that its writer has not filled yet is waited for, until the next time. With `last`
 * nobody fills it any more. */
static uint32_t copy_out(struct trace_ring *ring, uint64_t from, struct trace_record *to, bool last,
                         uint64_t *past)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    uint32_t count = 0;
    for (; from < head && count < PORTION; from++) {
        struct trace_record *record = record_at(ring, from);
        if (atomic_load_explicit(&record->kind, memory_order_acquire))
            memcpy(&to[count++], record, sizeof *record);
        else if (!last)
            break;
    }
    *past = from;
    return count;
}

static bool finish_portion(struct trace_ring *ring)
{
    size_t bytes = (under_way.count + 1) * sizeof *portion;
    if (!write_at(under_way.place, portion, bytes))
        return false;
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    for (uint64_t i = tail; i < under_way.past; i++)
        atomic_store_explicit(&record_at(ring, i)->kind, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->tail, under_way.past, memory_order_release);
    file_end = under_way.place + bytes;
    atomic_store_explicit(&under_way.ring, NULL, memory_order_release);
    return true;
}

/* With trace_rings_lock held. */
static bool drain_ring(struct trace_ring *ring, bool last)
{
    bool in_use = atomic_load_explicit(&ring->in_use, memory_order_acquire);
    for (;;) {
        uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed), past;
        uint32_t count = copy_out(ring, tail, portion + 1, last, &past);
        if (!count)
            break;
        portion[0] = (struct trace_record){
            .time = plat_now(),
            .value = count,
            .who = ring->scheduler,
            .kind = TRACE_PORTION,
            .extra = (uint32_t)atomic_load_explicit(&ring->lost, memory_order_relaxed)};
        under_way.place = file_end;
        under_way.past = past;
        under_way.count = count;
        atomic_store_explicit(&under_way.ring, ring, memory_order_release);
        if (!finish_portion(ring))
            return false;
    }
    if (!in_use)
        ring->scheduler = 0; /* for another one */
    return true;
}

static void drain(bool last)
{
    for (struct trace_ring *ring = atomic_load_explicit(&trace_rings, memory_order_acquire);
         ring && is_open; ring = ring->next)
        if (!drain_ring(ring, last))
            break;
}

static void drain_main(void)
{
    while (!atomic_load_explicit(&over, memory_order_acquire)) {
        system_rest(DRAIN_EVERY_MS);
        plat_lock(&trace_rings_lock);
        drain(false);
        plat_unlock(&trace_rings_lock);
    }
}

void trace_end(bool alone)
{
    if (!trace_recording())
        return;
    atomic_store_explicit(&over, true, memory_order_release);
    if (alone)
        plat_lock_forget(&trace_rings_lock);
    plat_lock(&trace_rings_lock);
    struct trace_ring *left = atomic_load_explicit(&under_way.ring, memory_order_acquire);
    if (!left || finish_portion(left))
        drain(alone);
    plat_unlock(&trace_rings_lock);
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static uint8_t sites;

static void take_ring(const char *text)
{
    char *end;
    long mib = strtol(text, &end, 10);
    if (*end || mib < 1 || mib > MOST_MIB || (mib & (mib - 1)))
        plat_log("UMSSHIM_TRACE: ring=%.20s is no power of two from 1 to %d (MiB): %d it is", text,
                 MOST_MIB, RING_MIB);
    else
        trace_ring_records = (uint64_t)mib << 15;
}

static void take_stacks(const char *text)
{
    char *end;
    long most = strtol(text, &end, 10);
    if (end == text || *end || most < 0 || most > MOST_SITES)
        plat_log("UMSSHIM_TRACE: stacks=%.20s is no number from 0 to %d: no call sites are "
                 "recorded",
                 text, MOST_SITES);
    else if (most && !system_calls_ready())
        plat_log("UMSSHIM_TRACE: stacks=%ld: there is no unwinder: no call sites are recorded",
                 most);
    else
        sites = (uint8_t)most;
}

static void take_option(const char *text)
{
    if (strncmp(text, "ring=", 5) == 0)
        take_ring(text + 5);
    else if (strncmp(text, "stacks=", 7) == 0)
        take_stacks(text + 7);
    else
        plat_log("UMSSHIM_TRACE: no such option, so it is ignored: %.40s; there are: ring stacks",
                 text);
}

static bool is_option(const char *text)
{
    size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    return word && text[word] == '=' && !strpbrk(text, "/\\");
}

/* The value of UMSSHIM_TRACE: the path keeps the part before the options. */
static void take_options(void)
{
    trace_ring_records = (uint64_t)RING_MIB << 15;
    sites = 0;
    for (char *comma; (comma = strrchr(path, ',')) && is_option(comma + 1); *comma = 0)
        take_option(comma + 1);
}

static uint32_t modules;

static void tell_module(const char *name, uint64_t base, uint64_t bytes)
{
    const char *last = name;
    if (strlen(name) > 63) /* so much is told of a name: its end */
        last = name + strlen(name) - 63;
    trace_number(TRACE_MODULE, (uint32_t)((bytes + PAGE - 1) / PAGE), base, modules);
    trace_text(TRACE_CALL_NAME, NAME_OF_MODULE, modules++, last);
}

static bool write_head(void)
{
    struct trace_head head = {.version = 2,
                              .record_bytes = sizeof(struct trace_record),
                              .monotonic = plat_now(),
                              .realtime = system_wall_clock(),
                              .pid = system_process()};
    memcpy(head.magic, "UMSTRACE", sizeof head.magic); /* without a NUL */
    file_end = sizeof head;
    return write_at(0, &head, sizeof head);
}

/* Pieces of 63 bytes, since so much is told of a text; the reader puts them together. */
static void tell_program(void)
{
    enum { PIECE = 63, PIECES = 4 };
    char line[PIECE * PIECES + 1] = "";
    system_command_line(line, sizeof line);
    for (uint32_t i = 0; i < PIECES && line[PIECE * i]; i++)
        trace_text(TRACE_CALL_NAME, NAME_OF_PROGRAM, i, line + PIECE * i);
}

void trace_open(void (*tell)(void))
{
    static const char *const doors[DOORS] = {"function", "trap", "user mode", "own thread"};
    if (!system_variable("UMSSHIM_TRACE", path, sizeof path))
        return;
    take_options();
    int error = system_file_create(path);
    is_open = !error;
    if (error) {
        give_up("it cannot be opened", error);
        return;
    }
    if (!write_head())
        return;
    trace_common = trace_ring_new(0);
    if (!trace_common) {
        give_up("there is no memory for it", 0);
        return;
    }
    tell();
    tell_program();
    for (uint32_t i = 0; i < DOORS; i++)
        trace_text(TRACE_CALL_NAME, NAME_OF_DOOR, i, doors[i]);
    trace_state.sites = sites;
    if (sites)
        system_modules(tell_module);
    atomic_store_explicit(&over, false, memory_order_relaxed);
    atomic_store_explicit(&trace_state.recording, true, memory_order_release);
}

void trace_start(void)
{
    int error = trace_recording() ? system_thread_start(drain_main) : 0;
    if (error)
        give_up("there is no thread for it", error);
}

void trace_forget(void)
{
    atomic_store_explicit(&trace_state.recording, false, memory_order_relaxed);
    if (is_open)
        system_file_close();
    is_open = false;
    trace_common = NULL;
    atomic_store_explicit(&under_way.ring, NULL, memory_order_relaxed);
    atomic_store_explicit(&trace_rings, NULL, memory_order_relaxed);
    plat_lock_forget(&trace_rings_lock);
}
