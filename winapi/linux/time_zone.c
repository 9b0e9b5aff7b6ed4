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
static long offset_at(time_t when)
{
    struct tm local;
    localtime_r(&when, &local);
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
    *lpLocalFileTime = shifted(lpFileTime, offset_at(now_of_system()));
    return TRUE;
}

BOOL WINAPI LocalFileTimeToFileTime(const FILETIME *lpLocalFileTime, LPFILETIME lpFileTime)
{
    *lpFileTime = shifted(lpLocalFileTime, -offset_at(now_of_system()));
    return TRUE;
}

/* ---- The zone -------------------------------------------------------------------------------- */

/* Of a day at whose ends the offset differs: the second at which it changes. */
static time_t change_between(time_t from, time_t to)
{
    long before = offset_at(from);
    while (to - from > 1) {
        time_t middle = from + (to - from) / 2;
        if (offset_at(middle) == before)
            from = middle;
        else
            to = middle;
    }
    return to;
}

/* A date as a rule: month, weekday, its number in the month (5: the last), time. */
static SYSTEMTIME rule_on(time_t local)
{
    time_t week_later = local + 7 * DAY;
    struct tm date, later;
    gmtime_r(&local, &date);
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

/* A change, in the local time before it. */
static SYSTEMTIME rule_of(time_t change)
{
    return rule_on(change + offset_at(change - 1));
}

static SYSTEMTIME rule_of_begin(time_t year)
{
    return rule_on(year + offset_at(year));
}

/* The zone's short name at a time. */
static void put_name(WCHAR *to, time_t when)
{
    struct tm local;
    localtime_r(&when, &local);
    const char *name = local.tm_zone;
    for (int i = 0; i < 31 && *name; i++)
        *to++ = (unsigned char)*name++;
    *to = 0;
}

/* The first second of the present year, in local time. */
static time_t begin_of_year(time_t now, int years_later)
{
    struct tm date;
    localtime_r(&now, &date);
    struct tm first = {.tm_year = date.tm_year + years_later, .tm_mday = 1, .tm_isdst = -1};
    return mktime(&first);
}

/* The last changes of a year: the first second of the smaller offset, and of the greater; 0: the
 * year has no such change. */
struct year_changes {
    time_t standard, summer;
};

static struct year_changes changes_of_year(time_t now)
{
    struct year_changes changes = {0, 0};
    time_t from = begin_of_year(now, 0), end = begin_of_year(now, 1) - 1;
    for (long before = offset_at(from), after; from < end; before = after) {
        time_t to = from + DAY < end ? from + DAY : end;
        after = offset_at(to);
        if (after < before)
            changes.standard = change_between(from, to);
        else if (after > before)
            changes.summer = change_between(from, to);
        from = to;
    }
    return changes;
}

/* The rules are those of the present year. Summer is the time with the greater offset, as in
 * Windows' own tables: libc's tm_isdst names Ireland's winter, and Morocco's Ramadan. A year with
 * one change has the other one at its beginning, as those tables do. So the rules hold in each
 * second of the year, unless it has more than two changes. */
DWORD WINAPI GetTimeZoneInformation(LPTIME_ZONE_INFORMATION lpTimeZoneInformation)
{
    time_t now = now_of_system();
    if (!lpTimeZoneInformation)
        return win__fail(ERROR_INVALID_PARAMETER), TIME_ZONE_ID_INVALID;
    memset(lpTimeZoneInformation, 0, sizeof *lpTimeZoneInformation);
    tzset();
    struct year_changes changes = changes_of_year(now);
    time_t standard = changes.standard ? changes.standard
                      : changes.summer ? changes.summer - 1
                                       : now;
    time_t summer = changes.summer ? changes.summer : changes.standard ? changes.standard - 1 : now;
    lpTimeZoneInformation->Bias = (LONG)(-offset_at(standard) / MINUTE);
    put_name(lpTimeZoneInformation->StandardName, standard);
    put_name(lpTimeZoneInformation->DaylightName, summer);
    if (standard == summer)
        return TIME_ZONE_ID_UNKNOWN;
    time_t begin = begin_of_year(now, 0);
    lpTimeZoneInformation->DaylightBias =
        (LONG)((offset_at(standard) - offset_at(summer)) / MINUTE);
    lpTimeZoneInformation->StandardDate =
        changes.standard ? rule_of(changes.standard) : rule_of_begin(begin);
    lpTimeZoneInformation->DaylightDate =
        changes.summer ? rule_of(changes.summer) : rule_of_begin(begin);
    return offset_at(now) == offset_at(summer) ? TIME_ZONE_ID_DAYLIGHT : TIME_ZONE_ID_STANDARD;
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
        bias = -offset_at(seconds_of(&time));
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
        bias = -offset_at(local - offset_at(local));
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
