/* SPDX-License-Identifier: MIT
 *
 * checks.c - see checks.h; checks_win32.c has the checks of last errors.
 */
#include "checks.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int count;

struct check_place check_place_at(const char *file, int line)
{
    return (struct check_place){file, line};
}

void check_counted(void)
{
    atomic_fetch_add(&count, 1);
}

int check_count(void)
{
    return atomic_load(&count);
}

bool check_fail(struct check_place place, const char *format, ...)
{
    char text[CHECK_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    check_failed(place, text);
    return false;
}

void check_skip(const char *format, ...)
{
    char text[CHECK_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    check_skipped(text);
}

bool check_true(struct check_place place, bool holds, const char *text)
{
    check_counted();
    return holds || check_fail(place, "wrong: %s", text);
}

static bool compares(const char *op, intptr_t a, intptr_t b)
{
    switch (op[0]) {
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        return op[1] ? a <= b : a < b;
    default:
        return op[1] ? a >= b : a > b;
    }
}

bool check_compare(struct check_place place, const char *a_text, const char *op, const char *b_text,
                   intptr_t a, intptr_t b)
{
    check_counted();
    return compares(op, a, b) ||
           check_fail(place, "expected %s %s %s; saw %lld (0x%llx) and %lld (0x%llx)", a_text, op,
                      b_text, (long long)a, (long long)a, (long long)b, (long long)b);
}

bool check_text(struct check_place place, const char *a_text, const char *a, const char *b)
{
    check_counted();
    return (a && b && strcmp(a, b) == 0) ||
           check_fail(place, "expected %s to be \"%s\"; saw \"%s\"", a_text, b ? b : "(null)",
                      a ? a : "(null)");
}

bool check_fails_errno(struct check_place place, const char *text, intptr_t result, int code)
{
    int seen = errno;

    check_counted();
    return (result == -1 && seen == code) ||
           check_fail(place, "expected -1 and errno %d from %s; saw %lld, errno %d", code, text,
                      (long long)result, seen);
}
