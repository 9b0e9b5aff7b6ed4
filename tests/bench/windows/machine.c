/* SPDX-License-Identifier: MIT
 *
 * machine.c - where and when, on Windows or Wine.
 */
#include "driver.h"
#include "tests/conformance/host.h"

#include <windows.h>

#include <string.h>
#include <time.h>

const char *host_launcher; /* host.h asks for it; the probes are started without one */

static void read_registry(const char *key, const char *value, char *text, size_t size)
{
    DWORD length = (DWORD)size;

    if (RegGetValueA(HKEY_LOCAL_MACHINE, key, value, RRF_RT_REG_SZ, NULL, text, &length) !=
        ERROR_SUCCESS)
        snprintf(text, size, "not told");
}

/* The system beneath Wine. */
static void read_kernel(char *text, size_t size)
{
    void(CDECL * get)(const char **, const char **);
    const char *name = "Windows", *release = "NT";

    get = (void *)(ULONG_PTR)GetProcAddress(GetModuleHandleA("ntdll"), "wine_get_host_version");
    if (get)
        get(&name, &release);
    snprintf(text, size, "%.60s %.60s", name, release);
}

static void read_switches(char *text, size_t size)
{
    char *all = GetEnvironmentStringsA();
    size_t length = 0;

    text[0] = '\0';
    for (const char *variable = all; variable && *variable; variable += strlen(variable) + 1) {
        if (strncmp(variable, "UMSSHIM_", 8) != 0 || length + strlen(variable) + 2 > size)
            continue;
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", length ? " " : "", variable);
    }
    FreeEnvironmentStringsA(all);
}

void machine_describe(struct machine *machine)
{
    MEMORYSTATUSEX memory = {.dwLength = sizeof(memory)};
    time_t now = time(NULL);
    SYSTEM_INFO system;

    memset(machine, 0, sizeof(*machine));
    read_registry("HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", "ProcessorNameString",
                  machine->cpu, sizeof(machine->cpu));
    host_system(machine->system, sizeof(machine->system));
    read_kernel(machine->kernel, sizeof(machine->kernel));
    snprintf(machine->governor, sizeof(machine->governor), "not told");
    strftime(machine->date, sizeof(machine->date), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    GetSystemInfo(&system);
    machine->cores = (long)system.dwNumberOfProcessors;
    if (GlobalMemoryStatusEx(&memory))
        machine->memory_mib = (long)(memory.ullTotalPhys >> 20);
    read_switches(machine->switches, sizeof(machine->switches));
}
