/* SPDX-License-Identifier: MIT
 *
 * checks_win32.c - checks of calls that have a last error: see checks.h.
 */
#include "checks.h"

#include <windows.h>

static const char *name_of(unsigned error)
{
    return error == SENTINEL ? " (the sentinel: not set)" : "";
}

bool check_succeeds(struct check_place place, const char *text, intptr_t result)
{
    unsigned seen = GetLastError();

    check_counted();
    return result || check_fail(place, "expected success: %s; saw 0, last error %u%s", text, seen,
                                name_of(seen));
}

bool check_fails(struct check_place place, const char *text, intptr_t result, unsigned code,
                 unsigned other_code)
{
    unsigned seen = GetLastError();

    check_counted();
    return (!result && (seen == code || seen == other_code)) ||
           check_fail(place, "expected 0 and last error %u from %s; saw %lld, last error %u%s",
                      code, text, (long long)result, seen, name_of(seen));
}
