/* SPDX-License-Identifier: MIT
 *
 * The system's zone (winapi/linux/time_zone.c) in years and zones that a test cannot wait for: the
 * rules, and that times go by them as libc says, in each half hour of the year. The double is the
 * clock.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static time_t present;

static int present_time(struct timespec *time)
{
    *time = (struct timespec){present, 0};
    return 0;
}

#define clock_gettime(clock, time) present_time(time)
#include "winapi/linux/calendar.c"
#include "winapi/linux/time_zone.c"
#undef clock_gettime

#include "gtest_c.h"

static void set_present(int year, int month, int day)
{
    struct tm noon = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = 12};

    present = timegm(&noon);
}

static bool set_zone(const char *name)
{
    char file[80];

    snprintf(file, sizeof file, "/usr/share/zoneinfo/%s", name);
    setenv("TZ", name, 1);
    tzset();
    return strchr(name, ',') || access(file, R_OK) == 0;
}

static time_t begin_of(int year)
{
    struct tm first = {.tm_year = year, .tm_mday = 1, .tm_isdst = -1};

    return mktime(&first);
}

/* In the whole year of `present` the rules give libc's local times. Not in its first hour: a rule
 * that stands for the year's beginning takes the hour before it for the other half. */
static void expect_libcs_times(const TIME_ZONE_INFORMATION *zone)
{
    struct tm now;

    localtime_r(&present, &now);
    for (time_t at = begin_of(now.tm_year) + 3600; at < begin_of(now.tm_year + 1); at += 1800) {
        struct timespec time = {at, 0};
        FILETIME file = win__file_time(&time);
        SYSTEMTIME system, local;
        struct tm libcs;

        localtime_r(&at, &libcs);
        EXPECT_EQ(FileTimeToSystemTime(&file, &system), TRUE);
        EXPECT_EQ(SystemTimeToTzSpecificLocalTime(zone, &system, &local), TRUE);
        if (!EXPECT_THAT(local.wDay == libcs.tm_mday && local.wHour == libcs.tm_hour &&
                             local.wMinute == libcs.tm_min,
                         "%s at %lld: %d. %d:%02d, and libc says %d. %d:%02d", getenv("TZ"),
                         (long long)at, local.wDay, local.wHour, local.wMinute, libcs.tm_mday,
                         libcs.tm_hour, libcs.tm_min))
            return;
    }
}

struct rule {
    WORD month, weekday, number, hour;
};

static const struct zone {
    const char *name;
    int year, month, day; /* the present */
    DWORD result;
    LONG bias, summer_bias;
    struct rule standard, summer;
} zones[] = {
    {"UTC", 2026, 11, 28, TIME_ZONE_ID_UNKNOWN, 0, 0, {0}, {0}},
    {"Europe/Berlin", 2026, 11, 28, TIME_ZONE_ID_STANDARD, -60, -60, {10, 0, 5, 3}, {3, 0, 5, 2}},
    {"Europe/Berlin", 2024, 7, 1, TIME_ZONE_ID_DAYLIGHT, -60, -60, {10, 0, 5, 3}, {3, 0, 5, 2}},
    {"America/New_York", 2026, 7, 1, TIME_ZONE_ID_DAYLIGHT, 300, -60, {11, 0, 1, 2}, {3, 0, 2, 2}},
    {"Australia/Sydney", 2026, 1, 9, TIME_ZONE_ID_DAYLIGHT, -600, -60, {4, 0, 1, 3}, {10, 0, 1, 2}},
    {"Australia/Sydney", 2024, 7, 1, TIME_ZONE_ID_STANDARD, -600, -60, {4, 0, 1, 3}, {10, 0, 1, 2}},
    /* Days of the month, until the year before last. */
    {"Asia/Tehran", 2022, 7, 1, TIME_ZONE_ID_DAYLIGHT, -210, -60, {9, 4, 4, 0}, {3, 2, 4, 0}},
    {"Asia/Tehran", 2023, 7, 1, TIME_ZONE_ID_UNKNOWN, -210, 0, {0}, {0}},
    /* libc's summer time is the winter in Ireland, and Ramadan in Morocco. */
    {"Europe/Dublin", 2026, 1, 9, TIME_ZONE_ID_STANDARD, 0, -60, {10, 0, 5, 2}, {3, 0, 5, 1}},
    {"Europe/Dublin", 2026, 7, 1, TIME_ZONE_ID_DAYLIGHT, 0, -60, {10, 0, 5, 2}, {3, 0, 5, 1}},
    {"Africa/Casablanca", 2023, 4, 1, TIME_ZONE_ID_STANDARD, 0, -60, {3, 0, 3, 3}, {4, 0, 4, 2}},
    {"Africa/Casablanca", 2023, 7, 1, TIME_ZONE_ID_DAYLIGHT, 0, -60, {3, 0, 3, 3}, {4, 0, 4, 2}},
    /* Turkey stayed in summer time: the year begins with the other offset. */
    {"Europe/Istanbul", 2016, 12, 1, TIME_ZONE_ID_DAYLIGHT, -120, -60, {1, 5, 1, 0}, {3, 0, 5, 3}},
    /* Kazakhstan went back for good. */
    {"Asia/Almaty", 2024, 7, 1, TIME_ZONE_ID_STANDARD, -300, -60, {3, 5, 1, 0}, {1, 1, 1, 0}},
    {"XST0XDT,M3.2.0,M11.1.0",
     2026,
     11,
     28,
     TIME_ZONE_ID_STANDARD,
     0,
     -60,
     {11, 0, 1, 2},
     {3, 0, 2, 2}},
    /* The last day of a leap year. */
    {"XST0XDT,100/0,365/12",
     2028,
     7,
     1,
     TIME_ZONE_ID_DAYLIGHT,
     0,
     -60,
     {12, 0, 5, 12},
     {4, 1, 2, 0}},
    {"XST-13XDT,M1.1.0,M12.5.0",
     2027,
     7,
     1,
     TIME_ZONE_ID_DAYLIGHT,
     -780,
     -60,
     {12, 0, 5, 2},
     {1, 0, 1, 2}},
};

static void expect_rule(const struct rule *rule, const SYSTEMTIME *date)
{
    EXPECT_EQ(date->wYear, 0);
    EXPECT_EQ(date->wMonth, rule->month);
    EXPECT_EQ(date->wDayOfWeek, rule->weekday);
    EXPECT_EQ(date->wDay, rule->number);
    EXPECT_EQ(date->wHour, rule->hour);
}

TEST(TimeZone, known_zones)
{
    int found = 0;

    for (size_t i = 0; i < sizeof zones / sizeof *zones && !tc_failures(); i++) {
        const struct zone *zone = &zones[i];
        TIME_ZONE_INFORMATION told;

        if (!set_zone(zone->name))
            continue;
        found++;
        set_present(zone->year, zone->month, zone->day);
        EXPECT_EQ(GetTimeZoneInformation(&told), zone->result);
        EXPECT_EQ(told.Bias, zone->bias);
        EXPECT_EQ(told.StandardBias, 0);
        EXPECT_EQ(told.DaylightBias, zone->summer_bias);
        expect_rule(&zone->standard, &told.StandardDate);
        expect_rule(&zone->summer, &told.DaylightDate);
        expect_libcs_times(&told);
        EXPECT_THAT(!tc_failures(), "in %s, %d", zone->name, zone->year);
    }
    EXPECT_GE(found, 3);
}

TEST(TimeZone, names_of_each_half)
{
    TIME_ZONE_INFORMATION told;

    set_zone("XST-1XDT,M3.5.0,M10.5.0");
    set_present(2026, 11, 28);
    EXPECT_EQ(GetTimeZoneInformation(&told), TIME_ZONE_ID_STANDARD);
    EXPECT_EQ(memcmp(told.StandardName, u"XST", 8), 0);
    EXPECT_EQ(memcmp(told.DaylightName, u"XDT", 8), 0);
    set_zone("<+03>-3");
    EXPECT_EQ(GetTimeZoneInformation(&told), TIME_ZONE_ID_UNKNOWN);
    EXPECT_EQ(memcmp(told.StandardName, u"+03", 8), 0);
    EXPECT_EQ(memcmp(told.DaylightName, u"+03", 8), 0);
}
