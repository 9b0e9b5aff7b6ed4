/* SPDX-License-Identifier: MIT
 *
 * The file of a trace (platform/trace/file.c) where the thread that fills it is ended in the middle of a write: each record
 * is in it once, in order, whenever that write arrives.
 */
#include "platform/trace/file.c"

#include "doubles.h"
#include "gtest_c.h"

#include <setjmp.h>

const struct plat_core *engine_core;

/* ---- Neighbours ------------------------------------------------------------------------------------- */

struct trace_state trace_state;
uint64_t trace_ring_records;
struct trace_ring *trace_common;
_Atomic(struct trace_ring *) trace_rings;
PLAT_LOCK(TRACE) trace_rings_lock;

struct trace_ring *trace_ring_new(uint32_t scheduler)
{
    struct trace_ring *ring = NULL;
    size_t bytes = sizeof *ring + trace_ring_records * sizeof(struct trace_record);

    EXPECT_EQ(posix_memalign((void **)&ring, 64, (bytes + 63) / 64 * 64), 0);
    memset(ring, 0, bytes);
    ring->scheduler = scheduler;
    atomic_store(&ring->in_use, true);
    ring->next = atomic_load(&trace_rings);
    atomic_store(&trace_rings, ring);
    return ring;
}

void trace_text(enum trace_kind kind, uint32_t who, uint32_t extra, const char *text)
{
}

void trace_number(enum trace_kind kind, uint32_t who, uint64_t value, uint32_t extra)
{
}

void plat_log(const char *format, ...)
{
    EXPECT_EQ(0, 1); /* nothing goes wrong here */
}

bool system_variable(const char *name, char *value, size_t room)
{
    EXPECT_STREQ(name, "UMSSHIM_TRACE");
    strncpy(value, "a file,ring=1", room);
    return true;
}

enum { FILE_BYTES = 4 << 20 };

static char bytes_of_file[FILE_BYTES];
static uint64_t file_bytes;

/* The write in whose middle the thread is ended, counted down to 0; and whether it had arrived by then. */
static int ends_in = -1;
static bool arrives_first;
static jmp_buf ended;
static char late[FILE_BYTES];
static uint64_t late_place;
static size_t late_bytes;

static void arrive(uint64_t place, const void *data, size_t bytes)
{
    ASSERT_LT(place + bytes, FILE_BYTES);
    memcpy(bytes_of_file + place, data, bytes);
    file_bytes = place + bytes > file_bytes ? place + bytes : file_bytes;
}

int system_file_create(const char *name)
{
    EXPECT_STREQ(name, "a file");
    memset(bytes_of_file, 0, sizeof bytes_of_file);
    file_bytes = 0;
    return 0;
}

int system_file_write(uint64_t place, const void *data, size_t bytes)
{
    if (ends_in >= 0 && ends_in-- == 0) {
        if (arrives_first)
            arrive(place, data, bytes);
        memcpy(late, data, bytes);
        late_place = place;
        late_bytes = bytes;
        longjmp(ended, 1);
    }
    arrive(place, data, bytes);
    return 0;
}

void system_file_close(void)
{
}

const char *system_error_text(int error)
{
    return "";
}

int system_thread_start(void (*run)(void))
{
    return 0;
}

void system_rest(unsigned milliseconds)
{
}

void system_command_line(char *line, size_t room)
{
    if (room)
        *line = 0;
}

uint64_t system_wall_clock(void)
{
    return 0;
}

uint32_t system_process(void)
{
    return 0;
}

bool system_calls_ready(void)
{
    return false;
}

void system_modules(void (*told)(const char *name, uint64_t base, uint64_t bytes))
{
}

/* ---- The tests -------------------------------------------------------------------------------------- */

static uint64_t said[3], seen[3];

static void say(struct trace_ring *ring, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t head = atomic_load(&ring->head);
        struct trace_record *record = record_at(ring, head);

        record->value = ++said[ring->scheduler];
        record->who = ring->scheduler;
        atomic_store(&record->kind, TRACE_LANE);
        atomic_store(&ring->head, head + 1);
    }
}

static void read_file(void)
{
    uint64_t at = sizeof(struct trace_head);

    memset(seen, 0, sizeof seen);
    while (at < file_bytes) {
        const struct trace_record *record = (const struct trace_record *)(bytes_of_file + at);
        uint64_t count = record->value;

        ASSERT_EQ(record->kind, TRACE_PORTION);
        ASSERT_LT(at + (count + 1) * sizeof *record, file_bytes + 1);
        for (uint64_t i = 1; i <= count; i++)
            ASSERT_EQ(record[i].value, ++seen[record->who]);
        at += (count + 1) * sizeof *record;
    }
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(seen[i], said[i]);
}

static void end_in_the_middle(int of_write)
{
    struct trace_ring *ring[3];

    memset(said, 0, sizeof said);
    atomic_store(&trace_rings, NULL);
    trace_forget();
    trace_open(system_file_close); /* which tells nothing */
    ASSERT_NE(trace_common, NULL);
    ring[0] = trace_common;
    ring[1] = trace_ring_new(1);
    ring[2] = trace_ring_new(2);
    for (int i = 0; i < 3; i++)
        say(ring[i], 100 + PORTION * (i == 1));
    ends_in = of_write;
    plat_lock(&trace_rings_lock);
    if (!setjmp(ended)) {
        drain(false);
        EXPECT_EQ(of_write, -1);
    }
    ends_in = -1;
    plat_tls.locks = 0;
    for (int i = 0; i < 3; i++)
        say(ring[i], 30); /* the others went on for a moment */
    trace_end(true);
    if (of_write >= 0)
        arrive(late_place, late, late_bytes);
    read_file();
    for (int i = 0; i < 3; i++)
        free(ring[i]);
    atomic_store(&trace_rings, NULL);
}

TEST(TraceFile, its_thread_is_ended_before_a_write_arrives)
{
    arrives_first = false;
    for (int of_write = -1; of_write < 4; of_write++)
        end_in_the_middle(of_write);
}

TEST(TraceFile, its_thread_is_ended_behind_a_write)
{
    arrives_first = true;
    for (int of_write = -1; of_write < 4; of_write++)
        end_in_the_middle(of_write);
}
