/* SPDX-License-Identifier: MIT
 *
 * traces.c - a program that traces from both sides: its workers and its scheduler's entry point write
 * lines to the same place, each line with a lock held, as C libraries hold that of stdout.
 *
 * A write that does not wait gives no Blocked (BL-2). If it gave one, the entry point would run
 * while a worker that cannot run has the lock, and would wait for the lock for ever. Here the entry
 * point goes on without the lock, and counts that.
 *
 * modes: ums
 * options: LIMIT 60
 */
#include "fleet.h"
#include "gtest_c.h"

#include <stdio.h>
#include <string.h>

/* A pipe has room for all that is written, whenever it is read. */
enum { WORKERS = 3, LINES = 800, MOST_TRACES = 1200, LINE_BYTES = 16, ROOM = 1 << 16 };
enum { FEW = 3 }; /* BL-2 allows for page faults */

struct place {
    CRITICAL_SECTION lock;
    HANDLE file; /* or */
    FILE *stream;
    int lines, traces;
    int hangs; /* times that the entry point would have waited for ever */
};

/* Writes a line. The caller holds the lock, which this gives back. */
static void write_line(struct place *place, const char *who, int number)
{
    char line[LINE_BYTES + 1];
    DWORD written = 0;

    snprintf(line, sizeof line, "%-7.7s%8d\n", who, number);
    if (place->stream) { /* it has a lock of its own */
        EXPECT_GE(fputs(line, place->stream), 0);
        EXPECT_EQ(fflush(place->stream), 0);
    } else {
        EXPECT_OK(WriteFile(place->file, line, LINE_BYTES, &written, NULL));
        EXPECT_EQ(written, LINE_BYTES);
    }
    place->lines++;
    LeaveCriticalSection(&place->lock);
}

static void tracing_worker(struct worker *self)
{
    for (int i = 0; i < LINES; i++) {
        struct place *place = self->arg;

        EnterCriticalSection(&place->lock);
        write_line(place, "worker", i);
        if (i % 4 == 3)
            UmsThreadYield(NULL);
    }
}

static void trace(const struct activation *activation, void *arg)
{
    struct place *place = arg;

    if (place->traces == MOST_TRACES)
        return;
    if (!TryEnterCriticalSection(&place->lock)) {
        place->hangs++;
        return;
    }
    write_line(place, "entry", (int)activation->reason);
    place->traces++;
}

/* Returns how many Blocked there were beside those of the workers' ends. */
static long run_traces(struct place *place)
{
    struct fleet *fleet = fleet_create(1, WORKERS, 0);
    long blocked = 0;

    if (!fleet)
        return -1;
    place->lines = place->traces = place->hangs = 0;
    InitializeCriticalSection(&place->lock);
    fleet_set_hook(fleet, trace, place);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, tracing_worker, place);
    EXPECT_OK(fleet_run(fleet));
    for (int i = 0; i < WORKERS; i++)
        blocked += fleet_worker(fleet, i)->blocked - 1;
    fleet_destroy(fleet);
    DeleteCriticalSection(&place->lock);
    EXPECT_EQ(place->lines, WORKERS * LINES + place->traces);
    EXPECT_GE(place->traces, LINES / 4);
    EXPECT_LE(place->hangs, blocked);
    return blocked;
}

static void temporary_name(char *path)
{
    char folder[MAX_PATH];

    ASSERT_GE(GetTempPathA(sizeof folder, folder), 1);
    ASSERT_OK(GetTempFileNameA(folder, "ums", 0, path));
}

/* Each line is whole. */
static void expect_lines(const char *path, int lines)
{
    char line[64];
    int count = 0;
    FILE *file = fopen(path, "r");

    ASSERT_NE(file, NULL);
    while (fgets(line, sizeof line, file))
        count += strlen(line) == LINE_BYTES;
    fclose(file);
    EXPECT_EQ(count, lines);
}

TEST(Traces, to_nul_BL_2)
{
    struct place place = {.file =
                              CreateFileA("NUL", GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL)};

    ASSERT_NE(place.file, INVALID_HANDLE_VALUE);
    EXPECT_LE(run_traces(&place), FEW);
    EXPECT_OK(CloseHandle(place.file));
}

TEST(Traces, to_a_file_BL_2)
{
    char path[MAX_PATH + 20] = "";
    struct place place = {0};

    temporary_name(path);
    place.file = CreateFileA(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    ASSERT_NE(place.file, INVALID_HANDLE_VALUE);
    EXPECT_LE(run_traces(&place), FEW);
    EXPECT_OK(CloseHandle(place.file));
    expect_lines(path, place.lines);
    EXPECT_OK(DeleteFileA(path));
}

TEST(Traces, to_a_stream_BL_2)
{
    char path[MAX_PATH + 20] = "";
    struct place place = {0};

    temporary_name(path);
    place.stream = fopen(path, "wb");
    ASSERT_NE(place.stream, NULL);
    EXPECT_LE(run_traces(&place), FEW);
    fclose(place.stream);
    expect_lines(path, place.lines);
    EXPECT_OK(DeleteFileA(path));
}

static DWORD WINAPI read_lines(LPVOID pipe)
{
    char bytes[4096];
    DWORD count, sum = 0;

    while (ReadFile(pipe, bytes, sizeof bytes, &count, NULL) && count)
        sum += count;
    return sum;
}

TEST(Traces, to_a_pipe_BL_2)
{
    struct place place = {0};
    HANDLE reads, reader;
    DWORD sum = 0;

    ASSERT_OK(CreatePipe(&reads, &place.file, NULL, ROOM));
    reader = CreateThread(NULL, 0, read_lines, reads, 0, NULL);
    ASSERT_NE(reader, NULL);
    EXPECT_LE(run_traces(&place), FEW);
    EXPECT_OK(CloseHandle(place.file));
    ASSERT_EQ(WaitForSingleObject(reader, 10000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(reader, &sum));
    EXPECT_EQ(sum, (DWORD)(place.lines * LINE_BYTES));
    EXPECT_OK(CloseHandle(reader));
    EXPECT_OK(CloseHandle(reads));
}
