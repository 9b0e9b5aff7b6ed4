/* SPDX-License-Identifier: MIT
 *
 * process.c - priorities, which are advice here; times of this process and its children.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "platform/linux/switch/cpu_time.h"
#include "winapi/linux/calendar.h"
#include "winapi/linux/child_process.h"
#include "winapi/linux/error.h"

static _Atomic DWORD priority_class = NORMAL_PRIORITY_CLASS;

static bool is_us(HANDLE process)
{
    return process == GetCurrentProcess() || win__fail(ERROR_INVALID_HANDLE);
}

DWORD WINAPI GetPriorityClass(HANDLE hProcess)
{
    return is_us(hProcess) ? priority_class : 0;
}

BOOL WINAPI SetPriorityClass(HANDLE hProcess, DWORD dwPriorityClass)
{
    if (!is_us(hProcess))
        return FALSE;
    switch (dwPriorityClass) {
    case IDLE_PRIORITY_CLASS:
    case BELOW_NORMAL_PRIORITY_CLASS:
    case NORMAL_PRIORITY_CLASS:
    case ABOVE_NORMAL_PRIORITY_CLASS:
    case HIGH_PRIORITY_CLASS:
    case REALTIME_PRIORITY_CLASS:
        priority_class = dwPriorityClass;
        return TRUE;
    default:
        return win__fail(ERROR_INVALID_PARAMETER);
    }
}

BOOL WINAPI IsDebuggerPresent(VOID)
{
    FILE *status = fopen("/proc/self/status", "re");
    char line[256];
    int tracer = 0;
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "TracerPid: %d", &tracer) == 1)
            break;
    if (status)
        fclose(status);
    return tracer != 0;
}

/* ---- Times --------------------------------------------------------------------------------- */

/* The time when a task started: the kernel has it in ticks since the machine started. */
static bool start_time(pid_t tid, FILETIME *time)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    text[length > 0 ? length : 0] = 0;
    const char *after_name = strrchr(text, ')'); /* the name may have any characters */
    unsigned long long ticks;
    if (!after_name || sscanf(after_name + 1,
                              " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
                              " %*s %*s %llu",
                              &ticks) != 1)
        return false;
    struct timespec now, up;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    int64_t per_second = sysconf(_SC_CLK_TCK);
    int64_t since = (now.tv_sec - up.tv_sec) * 1000000000 + now.tv_nsec - up.tv_nsec +
                    (int64_t)ticks * (1000000000 / per_second);
    struct timespec start = {since / 1000000000, since % 1000000000};
    *time = win__file_time(&start);
    return true;
}

static FILETIME duration(uint64_t nanoseconds)
{
    return win__file_time_of(nanoseconds / 100);
}

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

static FILETIME date(int64_t real_time)
{
    struct timespec time = {real_time / 1000000000, real_time % 1000000000};
    return win__file_time(&time);
}

/* The kernel reports a child's processor time at its end. */
static BOOL times_of_child(const struct child_process *child, LPFILETIME created, LPFILETIME exited,
                           LPFILETIME kernel, LPFILETIME user)
{
    bool ended = atomic_load_explicit(&child->ended, memory_order_acquire);
    if (!ended)
        return win__fail(ERROR_NOT_SUPPORTED);
    *created = date(child->born);
    *exited = date(child->died);
    *kernel = duration(child->system);
    *user = duration(child->user);
    return TRUE;
}

BOOL WINAPI GetProcessTimes(HANDLE hProcess, LPFILETIME lpCreationTime, LPFILETIME lpExitTime,
                            LPFILETIME lpKernelTime, LPFILETIME lpUserTime)
{
    struct rusage usage;
    struct child_process *child = child_of(hProcess);
    if (child) {
        BOOL done = times_of_child(child, lpCreationTime, lpExitTime, lpKernelTime, lpUserTime);
        object_drop(&child->object);
        return done;
    }
    if (!win__this_process(hProcess))
        return win__fail(ERROR_INVALID_HANDLE);
    if (!start_time(getpid(), lpCreationTime))
        return win__fail(ERROR_NOT_SUPPORTED);
    getrusage(RUSAGE_SELF, &usage);
    *lpExitTime = duration(0);
    *lpKernelTime = duration(ns_of(usage.ru_stime));
    *lpUserTime = duration(ns_of(usage.ru_utime));
    return TRUE;
}

STOP_LOOKS BOOL WINAPI GetThreadTimes(HANDLE hThread, LPFILETIME lpCreationTime,
                                      LPFILETIME lpExitTime, LPFILETIME lpKernelTime,
                                      LPFILETIME lpUserTime)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return FALSE;
    struct cpu_time used;
    bool known = cpu_time_of_thread(thread, &used), ended = thread_has_ended(thread);
    int64_t born_at = thread->times.born_at, ended_at = ended ? thread->times.ended_at : 0;
    object_drop(&thread->object);
    if (!known)
        return win__fail(ERROR_NOT_SUPPORTED);
    *lpCreationTime = date(born_at);
    *lpExitTime = ended ? date(ended_at) : duration(0);
    *lpUserTime = duration(used.user);
    *lpKernelTime = duration(used.total - used.user);
    return win__acted(0);
}

/* No asynchronous I/O of a thread's can be pending. */
BOOL WINAPI GetThreadIOPendingFlag(HANDLE hThread, PBOOL lpIOIsPending)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return FALSE;
    object_drop(&thread->object);
    *lpIOIsPending = FALSE;
    return TRUE;
}
