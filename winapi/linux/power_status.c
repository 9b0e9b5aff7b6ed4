/* SPDX-License-Identifier: MIT
 *
 * power_status.c - GetSystemPowerStatus: the power line and the first battery, from /sys.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/surface.h"

#define SUPPLIES "/sys/class/power_supply"
enum { HIGH = 1, LOW = 2, CRITICAL = 4, CHARGING = 8, NO_BATTERY = 128, UNKNOWN = 255 };

/* The first line of a supply's file; "" if there is no such file. */
static const char *word_of(const char *supply, const char *file, char word[32])
{
    char path[512];
    word[0] = 0;
    snprintf(path, sizeof path, SUPPLIES "/%s/%s", supply, file);
    FILE *from = fopen(path, "re");
    if (from && !fgets(word, 32, from))
        word[0] = 0;
    if (from)
        fclose(from);
    word[strcspn(word, "\n")] = 0;
    return word;
}

static void look_at_battery(const char *supply, SYSTEM_POWER_STATUS *status)
{
    char word[32];
    if (status->BatteryFlag != NO_BATTERY || !strcmp(word_of(supply, "scope", word), "Device"))
        return; /* the battery of a device, such as a mouse */
    bool charging = !strcmp(word_of(supply, "status", word), "Charging");
    bool discharging = !strcmp(word, "Discharging");
    word_of(supply, "capacity", word);
    int percent = word[0] ? atoi(word) : -1;
    status->BatteryFlag = percent < 0    ? UNKNOWN
                          : percent > 66 ? HIGH
                          : percent < 5  ? CRITICAL
                          : percent < 33 ? LOW
                                         : 0;
    if (charging && status->BatteryFlag != UNKNOWN)
        status->BatteryFlag |= CHARGING;
    status->BatteryLifePercent = percent < 0 ? UNKNOWN : (BYTE)percent;
    if (status->ACLineStatus == UNKNOWN)
        status->ACLineStatus = !discharging;
}

/* Without line and battery in /sys the machine runs on its line. */
BOOL WINAPI GetSystemPowerStatus(LPSYSTEM_POWER_STATUS lpSystemPowerStatus)
{
    SYSTEM_POWER_STATUS status = {.ACLineStatus = UNKNOWN,
                                  .BatteryFlag = NO_BATTERY,
                                  .BatteryLifePercent = UNKNOWN,
                                  .BatteryLifeTime = (DWORD)-1,
                                  .BatteryFullLifeTime = (DWORD)-1};
    DIR *folder = opendir(SUPPLIES);
    char word[32];
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        if (!strcmp(word_of(entry->d_name, "type", word), "Mains"))
            status.ACLineStatus = !strcmp(word_of(entry->d_name, "online", word), "1");
        else if (!strcmp(word, "Battery"))
            look_at_battery(entry->d_name, &status);
    }
    if (folder)
        closedir(folder);
    if (status.ACLineStatus == UNKNOWN)
        status.ACLineStatus = 1;
    *lpSystemPowerStatus = status;
    return TRUE;
}
