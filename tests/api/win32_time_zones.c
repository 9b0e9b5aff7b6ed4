/* SPDX-License-Identifier: MIT
 *
 * win32_time_zones.c - times in a zone, dates of DOS, and winmm's clock.
 *
 * modes: win32
 * libraries: winmm
 */
#include <windows.h>

#include <mmsystem.h>

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

/* Central Europe: an hour east, and summer time from March's last Sunday to October's. */
static const TIME_ZONE_INFORMATION europe = {
    .Bias = -60,
    .StandardDate = {.wMonth = 10, .wDayOfWeek = 0, .wDay = 5, .wHour = 3},
    .DaylightDate = {.wMonth = 3, .wDayOfWeek = 0, .wDay = 5, .wHour = 2},
    .DaylightBias = -60,
};
/* New South Wales: summer from October's first Sunday to April's. */
static const TIME_ZONE_INFORMATION sydney = {
    .Bias = -600,
    .StandardDate = {.wMonth = 4, .wDayOfWeek = 0, .wDay = 1, .wHour = 3},
    .DaylightDate = {.wMonth = 10, .wDayOfWeek = 0, .wDay = 1, .wHour = 2},
    .DaylightBias = -60,
};

static void expect_local(const TIME_ZONE_INFORMATION *zone, SYSTEMTIME system, WORD day, WORD hour)
{
    SYSTEMTIME local = {0};
    SYSTEMTIME back = {0};

    EXPECT_OK(SystemTimeToTzSpecificLocalTime(zone, &system, &local));
    EXPECT_THAT(local.wDay == day && local.wHour == hour, "%d.%d. %d:%02d is %d. %d:%02d",
                system.wDay, system.wMonth, system.wHour, system.wMinute, local.wDay, local.wHour,
                local.wMinute);
    EXPECT_EQ(local.wMinute, system.wMinute);
    EXPECT_OK(TzSpecificLocalTimeToSystemTime(zone, &local, &back));
    EXPECT_THAT(back.wHour == system.wHour && back.wDay == system.wDay, "%d. %d:%02d back",
                back.wDay, back.wHour, back.wMinute);
}

TEST_IN_EACH_KIND(Win32TimeZones, in_a_zone)
{
    SYSTEMTIME time = {.wYear = 2023, .wMonth = 1, .wDay = 15, .wHour = 12, .wMinute = 30};

    expect_local(&europe, time, 15, 13);
    expect_local(&sydney, time, 15, 23);
    time.wMonth = 7;
    expect_local(&europe, time, 15, 14);
    expect_local(&sydney, time, 15, 22);
    time.wHour = 23;
    expect_local(&europe, time, 16, 1);
    /* Summer time in Europe begins on the 26th of March, at one o'clock in Greenwich. It ends on
     * the 29th of October. */
    time = (SYSTEMTIME){.wYear = 2023, .wMonth = 3, .wDay = 26, .wHour = 0, .wMinute = 59};
    expect_local(&europe, time, 26, 1);
    time.wHour = 1;
    expect_local(&europe, time, 26, 3);
    time = (SYSTEMTIME){.wYear = 2023, .wMonth = 10, .wDay = 28, .wHour = 23, .wMinute = 59};
    expect_local(&europe, time, 29, 1);
    time.wDay = 29;
    time.wHour = 2;
    expect_local(&europe, time, 29, 3);
}

TEST_IN_EACH_KIND(Win32TimeZones, no_date)
{
    SYSTEMTIME none = {.wYear = 2023, .wMonth = 13, .wDay = 1};
    SYSTEMTIME result;

    EXPECT_FAILS(SystemTimeToTzSpecificLocalTime(&europe, &none, &result), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(TzSpecificLocalTimeToSystemTime(&europe, &none, &result), ERROR_INVALID_PARAMETER);
}

static LONGLONG ticks(const SYSTEMTIME *date)
{
    FILETIME time = {0};

    EXPECT_OK(SystemTimeToFileTime(date, &time));
    return (LONGLONG)((ULONGLONG)time.dwHighDateTime << 32 | time.dwLowDateTime);
}

/* The zone's bias is what local time is away by, and the calls for file times go by it. */
TEST_IN_EACH_KIND(Win32TimeZones, the_systems_zone)
{
    TIME_ZONE_INFORMATION zone;
    DYNAMIC_TIME_ZONE_INFORMATION dynamic;
    SYSTEMTIME system;
    SYSTEMTIME local;
    FILETIME time = {0, 30000000};
    FILETIME shifted;
    FILETIME back;
    DWORD which = GetTimeZoneInformation(&zone);
    LONGLONG bias = zone.Bias;

    EXPECT_LE(which, TIME_ZONE_ID_DAYLIGHT);
    bias += which == TIME_ZONE_ID_DAYLIGHT ? zone.DaylightBias : zone.StandardBias;
    EXPECT_LE(GetDynamicTimeZoneInformation(&dynamic), TIME_ZONE_ID_DAYLIGHT);
    EXPECT_EQ(dynamic.Bias, zone.Bias);
    EXPECT_OK(FileTimeToLocalFileTime(&time, &shifted));
    EXPECT_OK(LocalFileTimeToFileTime(&shifted, &back));
    EXPECT_EQ(CompareFileTime(&time, &back), 0);
    EXPECT_EQ((LONGLONG)((ULONGLONG)time.dwHighDateTime << 32 | time.dwLowDateTime) -
                  (LONGLONG)((ULONGLONG)shifted.dwHighDateTime << 32 | shifted.dwLowDateTime),
              bias * 600000000LL);
    GetSystemTime(&system);
    EXPECT_OK(SystemTimeToTzSpecificLocalTime(NULL, &system, &local));
    EXPECT_EQ(ticks(&system) - ticks(&local), bias * 600000000LL);
    EXPECT_OK(TzSpecificLocalTimeToSystemTime(NULL, &local, &system));
}

TEST_IN_EACH_KIND(Win32TimeZones, dates_of_dos)
{
    SYSTEMTIME date = {
        .wYear = 1999, .wMonth = 12, .wDay = 31, .wHour = 23, .wMinute = 59, .wSecond = 58};
    FILETIME time;
    FILETIME back;
    WORD day = 0;
    WORD hour = 0;

    EXPECT_OK(SystemTimeToFileTime(&date, &time));
    EXPECT_OK(FileTimeToDosDateTime(&time, &day, &hour));
    EXPECT_EQ(day, 19 << 9 | 12 << 5 | 31);
    EXPECT_EQ(hour, 23 << 11 | 59 << 5 | 29);
    EXPECT_OK(DosDateTimeToFileTime(day, hour, &back));
    EXPECT_EQ(CompareFileTime(&time, &back), 0);
#ifndef _WIN32 /* Wine sets no error */
    EXPECT_FAILS(DosDateTimeToFileTime(0, 0, &back), ERROR_INVALID_PARAMETER);
#endif
}

TEST_IN_EACH_KIND(Win32TimeZones, winmm)
{
    TIMECAPS caps = {0, 0};
    DWORD before = GetTickCount();
    DWORD now = timeGetTime();

    EXPECT_LE(now - before, 10000);
    EXPECT_EQ(timeGetDevCaps(&caps, sizeof caps), TIMERR_NOERROR);
    EXPECT_EQ(caps.wPeriodMin, 1);
    EXPECT_GE(caps.wPeriodMax, 65535);
    EXPECT_EQ(timeBeginPeriod(1), TIMERR_NOERROR);
    EXPECT_EQ(timeEndPeriod(1), TIMERR_NOERROR);
    EXPECT_EQ(timeBeginPeriod(0), TIMERR_NOCANDO);
    EXPECT_EQ(timeGetDevCaps(NULL, 0), TIMERR_NOCANDO);
}

#ifndef _WIN32
/* Nobody sets the clock through this library; under Wine it might be possible. */
TEST_IN_EACH_KIND(Win32TimeZones, the_clock_is_not_set)
{
    SYSTEMTIME now;
    SYSTEMTIME none = {0};

    GetSystemTime(&now);
    EXPECT_FAILS(SetSystemTime(&now), ERROR_PRIVILEGE_NOT_HELD);
    EXPECT_FAILS(SetLocalTime(&now), ERROR_PRIVILEGE_NOT_HELD);
    EXPECT_FAILS(SetSystemTime(&none), ERROR_INVALID_PARAMETER);
}
#endif
