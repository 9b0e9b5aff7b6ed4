/* SPDX-License-Identifier: MIT
 *
 * calendar.c - converts file times to dates and back, and compares file times. Dates are proleptic
 * Gregorian.
 */
#include "winapi/linux/calendar.h"

enum { DAYS_IN_400_YEARS = 146097, FIRST_YEAR = 1601, LAST_YEAR = 30827 };
#define TICKS_PER_DAY (UINT64_C(864000000000))

static bool is_leap(unsigned year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static unsigned days_in_month(unsigned year, unsigned month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days from the first of 1601 to the first of a year. */
static uint64_t days_before_year(unsigned year)
{
    uint64_t years = year - FIRST_YEAR;
    return years * 365 + years / 4 - years / 100 + years / 400;
}

static uint64_t ticks_of(const FILETIME *time)
{
    return (uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime;
}

BOOL WINAPI FileTimeToSystemTime(const FILETIME *lpFileTime, LPSYSTEMTIME lpSystemTime)
{
    uint64_t ticks = ticks_of(lpFileTime);
    if (ticks >> 63)
        return win__fail(ERROR_INVALID_PARAMETER);
    uint64_t days = ticks / TICKS_PER_DAY, milliseconds = ticks % TICKS_PER_DAY / 10000;
    /* This estimate is wrong by one year at most: an average year has a little less than 365.25
     * days. */
    unsigned year = FIRST_YEAR + (unsigned)(days * 400 / DAYS_IN_400_YEARS), month = 1;
    if (days_before_year(year) > days)
        year--;
    else if (days_before_year(year + 1) <= days)
        year++;
    unsigned day = (unsigned)(days - days_before_year(year));
    for (; day >= days_in_month(year, month); month++)
        day -= days_in_month(year, month);
    *lpSystemTime = (SYSTEMTIME){
        .wYear = (WORD)year,
        .wMonth = (WORD)month,
        .wDayOfWeek = (WORD)((days + 1) % 7), /* 1601 began on a Monday */
        .wDay = (WORD)(day + 1),
        .wHour = (WORD)(milliseconds / 3600000),
        .wMinute = (WORD)(milliseconds / 60000 % 60),
        .wSecond = (WORD)(milliseconds / 1000 % 60),
        .wMilliseconds = (WORD)(milliseconds % 1000),
    };
    return TRUE;
}

static bool is_date(const SYSTEMTIME *time)
{
    return time->wYear >= FIRST_YEAR && time->wYear <= LAST_YEAR && time->wMonth >= 1 &&
           time->wMonth <= 12 && time->wDay >= 1 &&
           time->wDay <= days_in_month(time->wYear, time->wMonth) && time->wHour < 24 &&
           time->wMinute < 60 && time->wSecond < 60 && time->wMilliseconds < 1000;
}

BOOL WINAPI SystemTimeToFileTime(const SYSTEMTIME *lpSystemTime, LPFILETIME lpFileTime)
{
    if (!is_date(lpSystemTime))
        return win__fail(ERROR_INVALID_PARAMETER);
    uint64_t days = days_before_year(lpSystemTime->wYear) + lpSystemTime->wDay - 1;
    for (unsigned month = 1; month < lpSystemTime->wMonth; month++)
        days += days_in_month(lpSystemTime->wYear, month);
    uint64_t seconds =
        lpSystemTime->wHour * 3600u + lpSystemTime->wMinute * 60u + lpSystemTime->wSecond;
    uint64_t milliseconds = seconds * 1000 + lpSystemTime->wMilliseconds;
    *lpFileTime = win__file_time_of(days * TICKS_PER_DAY + milliseconds * 10000);
    return TRUE;
}

LONG WINAPI CompareFileTime(const FILETIME *lpFileTime1, const FILETIME *lpFileTime2)
{
    uint64_t first = ticks_of(lpFileTime1), second = ticks_of(lpFileTime2);
    return first < second ? -1 : first > second;
}
