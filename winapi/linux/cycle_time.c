/* SPDX-License-Identifier: MIT
 *
 * cycle_time.c - processor time in cycles, and the processor time of the whole machine.
 *
 * A cycle is a nanosecond of processor time, as a tick of the performance counter is a
 * nanosecond.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "platform/linux/switch/cpu_time.h"
#include "winapi/linux/calendar.h"
#include "winapi/linux/surface.h"

STOP_LOOKS BOOL WINAPI QueryThreadCycleTime(HANDLE ThreadHandle, PULONG64 CycleTime)
{
    struct plat_thread *thread = win__thread(ThreadHandle);
    if (!thread)
        return FALSE;
    struct cpu_time used;
    bool known = cpu_time_of_thread(thread, &used);
    object_drop(&thread->object);
    if (!known)
        return win__fail(ERROR_NOT_SUPPORTED);
    *CycleTime = used.total;
    return win__acted(0);
}

BOOL WINAPI QueryProcessCycleTime(HANDLE ProcessHandle, PULONG64 CycleTime)
{
    struct timespec used;
    if (!win__this_process(ProcessHandle))
        return win__fail(ERROR_INVALID_HANDLE);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    *CycleTime = (ULONG64)used.tv_sec * 1000000000u + (ULONG64)used.tv_nsec;
    return TRUE;
}

/* ---- The machine ----------------------------------------------------------------------------- */

struct machine_time {
    uint64_t user, kernel, idle; /* nanoseconds; kernel without idle */
};

/* Reads a line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal, in ticks. */
static bool parse_time(const char *numbers, struct machine_time *time)
{
    unsigned long long of[8];
    if (sscanf(numbers, "%llu %llu %llu %llu %llu %llu %llu %llu", &of[0], &of[1], &of[2], &of[3],
               &of[4], &of[5], &of[6], &of[7]) != 8)
        return false;
    uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    time->user = (of[0] + of[1]) * tick;
    time->kernel = (of[2] + of[5] + of[6] + of[7]) * tick;
    time->idle = (of[3] + of[4]) * tick;
    return true;
}

BOOL WINAPI GetSystemTimes(LPFILETIME lpIdleTime, LPFILETIME lpKernelTime, LPFILETIME lpUserTime)
{
    struct machine_time time;
    char line[512];
    FILE *file = fopen("/proc/stat", "re");
    bool known = file && fgets(line, sizeof line, file) && !strncmp(line, "cpu ", 4) &&
                 parse_time(line + 4, &time);
    if (file)
        fclose(file);
    if (!known)
        return win__fail(ERROR_NOT_SUPPORTED);
    if (lpIdleTime)
        *lpIdleTime = win__file_time_of(time.idle / 100);
    if (lpKernelTime) /* kernel time includes idle time, as documented */
        *lpKernelTime = win__file_time_of((time.kernel + time.idle) / 100);
    if (lpUserTime)
        *lpUserTime = win__file_time_of(time.user / 100);
    return TRUE;
}

BOOL WINAPI QueryIdleProcessorCycleTime(PULONG BufferLength, PULONG64 ProcessorIdleCycleTime)
{
    ULONG needed = GetActiveProcessorCount(0) * (ULONG)sizeof *ProcessorIdleCycleTime, given = 0;
    if (!ProcessorIdleCycleTime || *BufferLength < needed) {
        bool asks = !ProcessorIdleCycleTime;
        *BufferLength = needed;
        return asks ? TRUE : win__fail(ERROR_INSUFFICIENT_BUFFER);
    }
    FILE *file = fopen("/proc/stat", "re");
    char line[512];
    while (file && given < needed && fgets(line, sizeof line, file)) {
        struct machine_time time;
        int length = 0;
        if (sscanf(line, "cpu%*u%n", &length) == 0 && length && parse_time(line + length, &time)) {
            *ProcessorIdleCycleTime++ = time.idle;
            given += sizeof time.idle;
        }
    }
    if (file)
        fclose(file);
    *BufferLength = given;
    return given ? TRUE : win__fail(ERROR_NOT_SUPPORTED);
}
