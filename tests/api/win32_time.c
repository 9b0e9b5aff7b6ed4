/* SPDX-License-Identifier: MIT
 *
 * win32_time.c - clocks agree with each other, and dates are what the calendar says.
 *
 * modes: win32
 * except: what_is_no_date
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>
#include <time.h>

WINBASEAPI BOOL WINAPI QueryUnbiasedInterruptTime(ULONGLONG *time); /* not in all headers */

static LONGLONG ticks(FILETIME time)
{
    return (LONGLONG)((ULONGLONG)time.dwHighDateTime << 32 | time.dwLowDateTime);
}

static FILETIME file_time(ULONGLONG value)
{
    FILETIME time = {(DWORD)value, (DWORD)(value >> 32)};

    return time;
}

#define SECOND 10000000LL
#define UNIX_EPOCH 116444736000000000LL

TEST_IN_EACH_KIND(Win32Time, now)
{
    FILETIME coarse;
    FILETIME precise;
    FILETIME from_date;
    SYSTEMTIME date;
    LONGLONG unix_now = UNIX_EPOCH + (LONGLONG)time(NULL) * SECOND;

    GetSystemTimeAsFileTime(&coarse);
    GetSystemTimePreciseAsFileTime(&precise);
    GetSystemTime(&date);
    EXPECT_OK(SystemTimeToFileTime(&date, &from_date));
    EXPECT_LE(unix_now - 2 * SECOND, ticks(coarse));
    EXPECT_LE(ticks(coarse), unix_now + 10 * SECOND);
    EXPECT_LE(ticks(coarse), ticks(precise));
    EXPECT_LE(ticks(precise) - ticks(coarse), 10 * SECOND);
    EXPECT_LE(ticks(precise) - 10000, ticks(from_date)); /* a date has milliseconds */
    EXPECT_LE(ticks(from_date), ticks(precise) + 10 * SECOND);
}

TEST(Win32Time, local_time_is_some_quarters_of_an_hour_away)
{
    SYSTEMTIME system;
    SYSTEMTIME local;
    FILETIME system_ticks;
    FILETIME local_ticks;
    LONGLONG difference;

    GetSystemTime(&system);
    GetLocalTime(&local);
    EXPECT_OK(SystemTimeToFileTime(&system, &system_ticks));
    EXPECT_OK(SystemTimeToFileTime(&local, &local_ticks));
    difference = (ticks(local_ticks) - ticks(system_ticks) + 5 * SECOND) % (900 * SECOND);
    EXPECT_THAT(difference >= -10 * SECOND && difference <= 10 * SECOND, "off by %lld ticks",
                (long long)difference);
    EXPECT_THAT(ticks(local_ticks) - ticks(system_ticks) <= 15 * 3600 * SECOND, "too far");
}

TEST(Win32Time, unbiased_time_goes_on)
{
    ULONGLONG before = 0;
    ULONGLONG after = 0;

    EXPECT_OK(QueryUnbiasedInterruptTime(&before));
    Sleep(20);
    EXPECT_OK(QueryUnbiasedInterruptTime(&after));
    EXPECT_NE(before, 0);
    EXPECT_GE(after - before, 4 * 10000); /* on Windows it has the system's tick */
    EXPECT_FAILS(QueryUnbiasedInterruptTime(NULL), ERROR_INVALID_PARAMETER);
}

static const struct {
    LONGLONG ticks;
    WORD year, month, weekday, day, hour, minute, second, millisecond;
} dates[] = {
    {0, 1601, 1, 1, 1, 0, 0, 0, 0},
    {UNIX_EPOCH, 1970, 1, 4, 1, 0, 0, 0, 0},
    {UNIX_EPOCH + 951782400 * SECOND, 2000, 2, 2, 29, 0, 0, 0, 0},
    {UNIX_EPOCH + 951868799 * SECOND + 9990000, 2000, 2, 2, 29, 23, 59, 59, 999},
    {UNIX_EPOCH + 1704067199 * SECOND, 2023, 12, 0, 31, 23, 59, 59, 0},
    {UNIX_EPOCH + 1709210096 * SECOND, 2024, 2, 4, 29, 12, 34, 56, 0},
    {UNIX_EPOCH + 4107542400 * SECOND, 2100, 3, 1, 1, 0, 0, 0, 0},
    {UNIX_EPOCH - 2203891200 * SECOND, 1900, 3, 4, 1, 0, 0, 0, 0},
};

TEST_IN_EACH_KIND(Win32Time, dates)
{
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        FILETIME time = file_time((ULONGLONG)dates[i].ticks);
        FILETIME back;
        SYSTEMTIME date;

        EXPECT_OK(FileTimeToSystemTime(&time, &date));
        EXPECT_EQ(date.wYear, dates[i].year);
        EXPECT_EQ(date.wMonth, dates[i].month);
        EXPECT_EQ(date.wDayOfWeek, dates[i].weekday);
        EXPECT_EQ(date.wDay, dates[i].day);
        EXPECT_EQ(date.wHour, dates[i].hour);
        EXPECT_EQ(date.wMinute, dates[i].minute);
        EXPECT_EQ(date.wSecond, dates[i].second);
        EXPECT_EQ(date.wMilliseconds, dates[i].millisecond);
        EXPECT_OK(SystemTimeToFileTime(&date, &back));
        EXPECT_EQ(ticks(back), dates[i].ticks);
    }
}

/* The last and the first moment of each year, over two cycles of 400. */
TEST(Win32Time, every_new_year)
{
    for (WORD year = 1602; year < 2450; year++) {
        SYSTEMTIME first = {.wYear = year, .wMonth = 1, .wDay = 1};
        SYSTEMTIME date;
        FILETIME time;

        ASSERT_OK(SystemTimeToFileTime(&first, &time));
        ASSERT_OK(FileTimeToSystemTime(&time, &date));
        ASSERT_EQ(date.wYear, year);
        ASSERT_EQ(date.wDay, 1);
        time = file_time((ULONGLONG)ticks(time) - 1);
        ASSERT_OK(FileTimeToSystemTime(&time, &date));
        ASSERT_EQ(date.wYear, year - 1);
        ASSERT_EQ(date.wMonth, 12);
        ASSERT_EQ(date.wDay, 31);
    }
}

TEST(Win32Time, what_is_no_date)
{
    SYSTEMTIME good = {.wYear = 2023, .wMonth = 2, .wDay = 28};
    SYSTEMTIME date = good;
    FILETIME time = file_time(1ULL << 63);

    EXPECT_FAILS(FileTimeToSystemTime(&time, &date), ERROR_INVALID_PARAMETER);
    date.wDay = 29;
    EXPECT_FAILS(SystemTimeToFileTime(&date, &time), ERROR_INVALID_PARAMETER);
    date = good;
    date.wMonth = 13;
    EXPECT_FAILS(SystemTimeToFileTime(&date, &time), ERROR_INVALID_PARAMETER);
    date.wMonth = 0;
    EXPECT_FAILS(SystemTimeToFileTime(&date, &time), ERROR_INVALID_PARAMETER);
    date = good;
    date.wHour = 24;
    EXPECT_FAILS(SystemTimeToFileTime(&date, &time), ERROR_INVALID_PARAMETER);
    date = good;
    date.wYear = 1600;
    EXPECT_FAILS(SystemTimeToFileTime(&date, &time), ERROR_INVALID_PARAMETER);
}

TEST(Win32Time, order)
{
    FILETIME early = file_time(0x1FFFFFFFFULL);
    FILETIME late = file_time(0x200000000ULL);

    EXPECT_EQ(CompareFileTime(&early, &late), -1);
    EXPECT_EQ(CompareFileTime(&late, &early), 1);
    EXPECT_EQ(CompareFileTime(&late, &late), 0);
}

TEST_IN_EACH_KIND(Win32Time, the_clock_is_adjusted_by_the_system)
{
    DWORD adjustment = 0, increment = 0;
    BOOL disabled = 4711;

    EXPECT_OK(GetSystemTimeAdjustment(&adjustment, &increment, &disabled));
    EXPECT_EQ(disabled, TRUE);
    EXPECT_EQ(adjustment, increment);
    EXPECT_THAT(increment >= 1000 && increment <= 1000000, "%u", (unsigned)increment);
#ifndef _WIN32 /* where a program faults */
    EXPECT_FAILS(GetSystemTimeAdjustment(NULL, &increment, &disabled), ERROR_NOACCESS);
#endif
}
