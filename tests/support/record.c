/* SPDX-License-Identifier: MIT
 *
 * record.c - failed checks, recorded for GoogleTest without heap, streams or locks.
 */
#include "gtest_c.h"

#include <windows.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <unistd.h>
#else
#include <io.h>
#define write(fd, text, length) _write((fd), (text), (unsigned)(length))
#endif

#define MAX_RECORDS 64

static struct tc_record records[MAX_RECORDS];
static int record_count; /* may exceed MAX_RECORDS: the rest is counted, not kept */
static char skip_reason[256];

static void write_out(const char *text, size_t length)
{
    /* If a failure cannot be written, nothing more can be done. */
    if (write(2, text, length) < 0)
        return;
}

void check_failed(struct check_place place, const char *text)
{
    char out[512];
    struct tc_record spare;
    int index = __atomic_fetch_add(&record_count, 1, __ATOMIC_ACQ_REL);
    struct tc_record *record = index < MAX_RECORDS ? &records[index] : &spare;
    int length;

    record->place = place;
    snprintf(record->text, sizeof record->text, "%s", text);
    __atomic_store_n(&record->ready, 1, __ATOMIC_RELEASE);
    if (index < MAX_RECORDS) {
        length = snprintf(out, sizeof out, "%s:%d: %s\n", place.file, place.line, text);
        write_out(out, (size_t)length < sizeof out ? (size_t)length : sizeof out - 1);
    }
}

void tc_note(const char *format, ...)
{
    char out[512];
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(out, sizeof out - 1, format, args);
    va_end(args);
    if (length < 0)
        return;
    if ((size_t)length > sizeof out - 2)
        length = (int)sizeof out - 2;
    out[length] = '\n';
    write_out(out, (size_t)length + 1);
}

void check_skipped(const char *why)
{
    snprintf(skip_reason, sizeof skip_reason, "%s", why);
}

const char *tc_skip_reason(void)
{
    return skip_reason[0] ? skip_reason : NULL;
}

int tc_failures(void)
{
    return __atomic_load_n(&record_count, __ATOMIC_ACQUIRE);
}

int tc_records(struct tc_record **first)
{
    int count = tc_failures();

    *first = records;
    return count < MAX_RECORDS ? count : MAX_RECORDS;
}

void tc_reset(void)
{
    memset(records, 0, sizeof records);
    skip_reason[0] = 0;
    __atomic_store_n(&record_count, 0, __ATOMIC_RELEASE);
}

unsigned tc_seed(void)
{
    const char *text = getenv("UMSSHIM_TEST_SEED");
    unsigned seed = text ? (unsigned)strtoul(text, NULL, 0)
                         : (unsigned)time(NULL) * 2654435761u ^ GetCurrentProcessId();

    tc_note("seed %u (repeat with UMSSHIM_TEST_SEED=%u)", seed, seed);
    return seed;
}
