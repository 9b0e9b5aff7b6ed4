/* SPDX-License-Identifier: MIT
 *
 * record.c - checks and their failures, recorded without heap, streams or locks.
 */
#include "gtest_c.h"

#include <windows.h>

#include <errno.h>
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
    /* Nothing sensible can be done about a failed write of a failure. */
    if (write(2, text, length) < 0)
        return;
}

int tc_fail(const char *file, int line, const char *format, ...)
{
    char out[512];
    struct tc_record spare;
    int index = __atomic_fetch_add(&record_count, 1, __ATOMIC_ACQ_REL);
    struct tc_record *record = index < MAX_RECORDS ? &records[index] : &spare;
    va_list args;
    int length;

    va_start(args, format);
    vsnprintf(record->text, sizeof record->text, format, args);
    va_end(args);
    record->file = file;
    record->line = line;
    __atomic_store_n(&record->ready, 1, __ATOMIC_RELEASE);
    if (index < MAX_RECORDS) {
        length = snprintf(out, sizeof out, "%s:%d: %s\n", file, line, record->text);
        write_out(out, (size_t)length < sizeof out ? (size_t)length : sizeof out - 1);
    }
    return 0;
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

void tc_skip(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(skip_reason, sizeof skip_reason, format, args);
    va_end(args);
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

int tc_compare(const char *file, int line, const char *a_text, const char *op, const char *b_text,
               intptr_t a, intptr_t b)
{
    int holds;

    switch (op[0]) {
    case '=':
        holds = a == b;
        break;
    case '!':
        holds = a != b;
        break;
    case '<':
        holds = op[1] ? a <= b : a < b;
        break;
    default:
        holds = op[1] ? a >= b : a > b;
        break;
    }
    if (holds)
        return 1;
    return tc_fail(file, line, "expected %s %s %s; saw %lld (0x%llx) and %lld (0x%llx)", a_text, op,
                   b_text, (long long)a, (long long)a, (long long)b, (long long)b);
}

int tc_same_text(const char *file, int line, const char *a_text, const char *a, const char *b)
{
    if (a && b && strcmp(a, b) == 0)
        return 1;
    return tc_fail(file, line, "expected %s to be \"%s\"; saw \"%s\"", a_text, b ? b : "(null)",
                   a ? a : "(null)");
}

int tc_succeeds(const char *file, int line, const char *text, intptr_t result)
{
    unsigned code = GetLastError();

    if (result != 0)
        return 1;
    return tc_fail(file, line, "expected success: %s; saw 0, last error %u", text, code);
}

int tc_fails(const char *file, int line, const char *text, intptr_t result, unsigned code,
             unsigned other_code)
{
    unsigned seen = GetLastError();

    if (result == 0 && (seen == code || seen == other_code))
        return 1;
    return tc_fail(file, line, "expected 0 and last error %u from %s; saw %lld, last error %u%s",
                   code, text, (long long)result, seen,
                   seen == 0xD15EA5Eu ? " (the sentinel: not set)" : "");
}

int tc_fails_errno(const char *file, int line, const char *text, intptr_t result, int code)
{
    int seen = errno;

    if (result == -1 && seen == code)
        return 1;
    return tc_fail(file, line, "expected -1 and errno %d from %s; saw %lld, errno %d", code, text,
                   (long long)result, seen);
}
