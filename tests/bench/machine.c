/* SPDX-License-Identifier: MIT
 *
 * machine.c - where and when: numbers without it are worth nothing.
 */
#define _GNU_SOURCE
#include "driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Copies the rest of the first line that starts with key, without blanks, colon and quotes. */
static void read_field(const char *path, const char *key, char *text, size_t size)
{
    char line[512];
    FILE *file = fopen(path, "re");

    snprintf(text, size, "not told");
    if (!file)
        return;
    while (fgets(line, sizeof(line), file)) {
        char *value = line + strlen(key);

        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        value += strspn(value, " \t:=\"");
        value[strcspn(value, "\"\n")] = '\0';
        snprintf(text, size, "%s", value);
        break;
    }
    fclose(file);
}

static void read_switches(char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (char **variable = environ; *variable; variable++) {
        if (strncmp(*variable, "UMSSHIM_", 8) != 0 || length + strlen(*variable) + 2 > size)
            continue;
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", length ? " " : "", *variable);
    }
}

void machine_describe(struct machine *machine)
{
    time_t now = time(NULL);
    struct utsname system;
    struct tm utc;

    memset(machine, 0, sizeof(*machine));
    read_field("/proc/cpuinfo", "model name", machine->cpu, sizeof(machine->cpu));
    read_field("/etc/os-release", "PRETTY_NAME", machine->system, sizeof(machine->system));
    read_field("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "", machine->governor,
               sizeof(machine->governor));
    if (uname(&system) == 0)
        snprintf(machine->kernel, sizeof(machine->kernel), "%.40s %.40s %.40s", system.sysname,
                 system.release, system.machine);
    gmtime_r(&now, &utc);
    strftime(machine->date, sizeof(machine->date), "%Y-%m-%dT%H:%M:%SZ", &utc);
    machine->cores = sysconf(_SC_NPROCESSORS_ONLN);
    machine->memory_mib = sysconf(_SC_PHYS_PAGES) / (1024 * 1024 / sysconf(_SC_PAGESIZE));
    read_switches(machine->switches, sizeof(machine->switches));
}
