/* SPDX-License-Identifier: MIT
 *
 * time_zone.c - libc's time zone (TZ, /etc/localtime), and local times. No call sets the clock.
 */
#include <string.h>
#include <time.h>

#include "winapi/linux/calendar.h"

enum { MINUTE = 60, DAY = 86400 };

static time_t now_of_system(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

/* The offset from Greenwich at a time, in seconds; east is positive. */
static long offset_at(time_t when, int *summer)
{
    struct tm local;
    localtime_r(&when, &local);
    if (summer)
        *summer = local.tm_isdst > 0;
    return local.tm_gmtoff;
}

static FILETIME shifted(const FILETIME *time, int64_t seconds)
{
    uint64_t ticks = (uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime;
    return win__file_time_of(ticks + (uint64_t)(seconds * 10000000));
}

static time_t seconds_of(const FILETIME *time)
{
    uint64_t ticks = (uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime;
    return (time_t)(ticks / 10000000) - 11644473600;
}

/* Uses the offset of today, as documented, not the one of the converted time. */
BOOL WINAPI FileTimeToLocalFileTime(const FILETIME *lpFileTime, LPFILETIME lpLocalFileTime)
{
    *lpLocalFileTime = shifted(lpFileTime, offset_at(now_of_system(), NULL));
    return TRUE;
}

BOOL WINAPI LocalFileTimeToFileTime(const FILETIME *lpLocalFileTime, LPFILETIME lpFileTime)
{
    *lpFileTime = shifted(lpLocalFileTime, -offset_at(now_of_system(), NULL));
    return TRUE;
}

/* ---- The zone -------------------------------------------------------------------------------- */

/* Of a day at whose ends summer time differs: the second at which it begins or ends. */
static time_t change_between(time_t from, time_t to)
{
    int before, now;
    offset_at(from, &before);
    while (to - from > 1) {
        time_t middle = from + (to - from) / 2;
        offset_at(middle, &now);
        if (now == before)
            from = middle;
        else
            to = middle;
    }
    return to;
}

/* A change as a rule, in the local time before it: month, weekday, its number in the month (5: the
 * last), time. */
static SYSTEMTIME rule_of(time_t change)
{
    time_t local = change + offset_at(change - 1, NULL);
    struct tm date;
    gmtime_r(&local, &date);
    time_t week_later = local + 7 * DAY;
    struct tm later;
    gmtime_r(&week_later, &later);
    return (SYSTEMTIME){
        .wMonth = (WORD)(date.tm_mon + 1),
        .wDayOfWeek = (WORD)date.tm_wday,
        .wDay = (WORD)(later.tm_mon != date.tm_mon ? 5 : (date.tm_mday - 1) / 7 + 1),
        .wHour = (WORD)date.tm_hour,
        .wMinute = (WORD)date.tm_min,
        .wSecond = (WORD)date.tm_sec,
    };
}

static void put_name(WCHAR *to, const char *name)
{
    for (int i = 0; i < 31 && *name; i++)
        *to++ = (unsigned char)*name++;
    *to = 0;
}

/* The names are libc's short ones. Looks at each day of this year once. */
DWORD WINAPI GetTimeZoneInformation(LPTIME_ZONE_INFORMATION lpTimeZoneInformation)
{
    struct tm date;
    time_t now = now_of_system();
    int summer_now;
    if (!lpTimeZoneInformation)
        return win__fail(ERROR_INVALID_PARAMETER), TIME_ZONE_ID_INVALID;
    memset(lpTimeZoneInformation, 0, sizeof *lpTimeZoneInformation);
    tzset();
    gmtime_r(&now, &date);
    long standard = offset_at(now, &summer_now), summer = standard;
    bool changes = false;
    time_t year = now - date.tm_yday * (time_t)DAY - now % DAY;
    for (int day = 0; day < 365; day++) {
        int before, after;
        time_t from = year + day * (time_t)DAY;
        long first = offset_at(from, &before), second = offset_at(from + DAY, &after);
        if (before == after)
            continue;
        changes = true;
        SYSTEMTIME rule = rule_of(change_between(from, from + DAY));
        if (after)
            lpTimeZoneInformation->DaylightDate = rule;
        else
            lpTimeZoneInformation->StandardDate = rule;
        standard = after ? first : second;
        summer = after ? second : first;
    }
    lpTimeZoneInformation->Bias = (LONG)(-standard / MINUTE);
    lpTimeZoneInformation->DaylightBias = changes ? (LONG)((standard - summer) / MINUTE) : 0;
    put_name(lpTimeZoneInformation->StandardName, tzname[0]);
    put_name(lpTimeZoneInformation->DaylightName, tzname[changes ? 1 : 0]);
    if (!changes)
        return TIME_ZONE_ID_UNKNOWN;
    return summer_now ? TIME_ZONE_ID_DAYLIGHT : TIME_ZONE_ID_STANDARD;
}

DWORD WINAPI GetDynamicTimeZoneInformation(PDYNAMIC_TIME_ZONE_INFORMATION information)
{
    TIME_ZONE_INFORMATION zone;
    if (!information)
        return win__fail(ERROR_INVALID_PARAMETER), TIME_ZONE_ID_INVALID;
    DWORD result = GetTimeZoneInformation(&zone);
    memset(information, 0, sizeof *information);
    memcpy(information, &zone, sizeof zone); /* both begin alike */
    memcpy(information->TimeZoneKeyName, zone.StandardName, sizeof zone.StandardName);
    return result;
}

/* ---- Times in a zone ------------------------------------------------------------------------- */

/* The time of a year's change by a rule, in the local time before the change. */
static bool change_in(WORD year, const SYSTEMTIME *rule, FILETIME *when)
{
    SYSTEMTIME date = *rule, first;
    date.wYear = year;
    if (rule->wYear) /* one date instead of a rule */
        return rule->wYear == year && SystemTimeToFileTime(&date, when);
    date.wDay = 1;
    date.wMilliseconds = rule->wMilliseconds;
    FILETIME start;
    if (!SystemTimeToFileTime(&date, &start) || !FileTimeToSystemTime(&start, &first))
        return false;
    int days = (rule->wDayOfWeek + 7 - first.wDayOfWeek) % 7 + 7 * (rule->wDay - 1);
    for (;; days -= 7) { /* the fourth such weekday may be the last */
        *when = shifted(&start, days * (int64_t)DAY);
        FileTimeToSystemTime(when, &first);
        if (first.wMonth == rule->wMonth || days < 7)
            return true;
    }
}

/* The seconds from a local time to the system's. `standard`: `local` is a system's time with the
 * standard offset, instead of a local time. */
static int64_t bias_at(const TIME_ZONE_INFORMATION *zone, const FILETIME *local, bool standard)
{
    SYSTEMTIME date;
    FILETIME begins, ends;
    int64_t winter = (zone->Bias + zone->StandardBias) * (int64_t)MINUTE;
    int64_t summer = (zone->Bias + zone->DaylightBias) * (int64_t)MINUTE;
    if (!zone->DaylightDate.wMonth || !zone->StandardDate.wMonth ||
        !FileTimeToSystemTime(local, &date) ||
        !change_in(date.wYear, &zone->DaylightDate, &begins) ||
        !change_in(date.wYear, &zone->StandardDate, &ends))
        return winter;
    if (standard)
        ends = shifted(&ends, summer - winter); /* the rule gives it in summer time */
    bool after_begin = CompareFileTime(local, &begins) >= 0;
    bool before_end = CompareFileTime(local, &ends) < 0;
    bool north = CompareFileTime(&begins, &ends) < 0;
    return (north ? after_begin && before_end : after_begin || before_end) ? summer : winter;
}

BOOL WINAPI SystemTimeToTzSpecificLocalTime(const TIME_ZONE_INFORMATION *lpTimeZoneInformation,
                                            const SYSTEMTIME *lpUniversalTime,
                                            LPSYSTEMTIME lpLocalTime)
{
    FILETIME time;
    if (!SystemTimeToFileTime(lpUniversalTime, &time))
        return FALSE;
    int64_t bias;
    if (lpTimeZoneInformation) {
        FILETIME standard = shifted(
            &time, -(lpTimeZoneInformation->Bias + lpTimeZoneInformation->StandardBias) * MINUTE);
        bias = bias_at(lpTimeZoneInformation, &standard, true);
    } else {
        bias = -offset_at(seconds_of(&time), NULL);
    }
    time = shifted(&time, -bias);
    return FileTimeToSystemTime(&time, lpLocalTime);
}

BOOL WINAPI TzSpecificLocalTimeToSystemTime(const TIME_ZONE_INFORMATION *lpTimeZoneInformation,
                                            const SYSTEMTIME *lpLocalTime,
                                            LPSYSTEMTIME lpUniversalTime)
{
    FILETIME time;
    if (!SystemTimeToFileTime(lpLocalTime, &time))
        return FALSE;
    int64_t bias;
    if (lpTimeZoneInformation) {
        bias = bias_at(lpTimeZoneInformation, &time, false);
    } else {
        time_t local = seconds_of(&time); /* as a system's time: less than a day off */
        bias = -offset_at(local - offset_at(local, NULL), NULL);
    }
    time = shifted(&time, bias);
    return FileTimeToSystemTime(&time, lpUniversalTime);
}

/* ---- The clock ------------------------------------------------------------------------------- */

BOOL WINAPI SetSystemTime(const SYSTEMTIME *lpSystemTime)
{
    FILETIME time;
    return SystemTimeToFileTime(lpSystemTime, &time) && win__fail(ERROR_PRIVILEGE_NOT_HELD);
}

BOOL WINAPI SetLocalTime(const SYSTEMTIME *lpSystemTime)
{
    return SetSystemTime(lpSystemTime);
}
