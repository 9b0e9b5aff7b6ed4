/* SPDX-License-Identifier: MIT
 *
 * child.c - a probe: this program once more, with the mode that the probe's name begins with.
 *
 * The library chooses its mode once, at the first UMS call of a process; so the mode is in the
 * environment that the process is born with.
 */
#include "driver.h"

#include <windows.h>

#include <string.h>

enum { LIMIT_MS = 90000, PATH_SIZE = 1024 };

static const char mode_variable[] = "UMSSHIM_SWITCH";

static bool start(const struct catalog_probe *probe, bool quick, unsigned patience, HANDLE output,
                  HANDLE *process)
{
    char path[PATH_SIZE], line[PATH_SIZE + 128];
    STARTUPINFOA startup = {.cb = sizeof(startup), .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION information;
    DWORD length = GetModuleFileNameA(NULL, path, sizeof(path));

    if (length == 0 || length >= sizeof(path))
        return false;
    snprintf(line, sizeof(line), "\"%s\" " PROBE_OPTION " %s %s %u", path,
             strchr(probe->id, '/') + 1, quick ? "quick" : "full", patience);
    startup.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    startup.hStdOutput = output;
    startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    if (!CreateProcessA(path, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &information))
        return false;
    CloseHandle(information.hThread);
    *process = information.hProcess;
    return true;
}

/* What somebody set stands for the peers only, whom it does not concern. */
static bool start_in_mode(const struct catalog_probe *probe, bool quick, unsigned patience,
                          HANDLE output, HANDLE *process)
{
    char before[64], mode[16];
    DWORD length = GetEnvironmentVariableA(mode_variable, before, sizeof(before));
    bool started;

    snprintf(mode, sizeof(mode), "%.*s", (int)strcspn(probe->id, "/"), probe->id);
    if (strcmp(mode, "peers") != 0)
        SetEnvironmentVariableA(mode_variable, mode);
    started = start(probe, quick, patience, output, process);
    SetEnvironmentVariableA(mode_variable, length > 0 && length < sizeof(before) ? before : NULL);
    return started;
}

/* What a probe prints fits into a pipe: it can be read when the probe is over. */
static bool read_all(HANDLE pipe, char *output, size_t size)
{
    size_t length = 0;
    DWORD got;

    while (length < size - 1 &&
           ReadFile(pipe, output + length, (DWORD)(size - 1 - length), &got, NULL) && got > 0)
        length += got;
    output[length] = '\0';
    /* Lines end as the compiler's library for Windows wants it. */
    for (char *at = output; (at = strchr(at, '\r'));)
        memmove(at, at + 1, strlen(at));
    return length < size - 1;
}

static enum child_end finish(const struct catalog_probe *probe, HANDLE process)
{
    DWORD waited = WaitForSingleObject(process, LIMIT_MS);
    DWORD status = 1;

    if (waited != WAIT_OBJECT_0) {
        fprintf(stderr, "bench: %s: killed after %d s\n", probe->id, LIMIT_MS / 1000);
        TerminateProcess(process, 1);
        WaitForSingleObject(process, INFINITE);
        return CHILD_FAILED;
    }
    GetExitCodeProcess(process, &status);
    if (status == BENCH_NO_TIME)
        return CHILD_HAD_NO_TIME;
    if (status != 0)
        fprintf(stderr, "bench: %s: exit status %#lx\n", probe->id, (unsigned long)status);
    return status == 0 ? CHILD_GOOD : CHILD_FAILED;
}

enum child_end run_child(const struct catalog_probe *probe, bool quick, unsigned patience,
                         char *output, size_t size)
{
    HANDLE ends[2], process;
    enum child_end end = CHILD_FAILED;
    bool started;

    if (!CreatePipe(&ends[0], &ends[1], NULL, (DWORD)size)) {
        fprintf(stderr, "bench: %s: no pipe, last error %lu\n", probe->id,
                (unsigned long)GetLastError());
        return CHILD_FAILED;
    }
    SetHandleInformation(ends[1], HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    started = start_in_mode(probe, quick, patience, ends[1], &process);
    if (!started)
        fprintf(stderr, "bench: %s: cannot be started, last error %lu\n", probe->id,
                (unsigned long)GetLastError());
    CloseHandle(ends[1]);
    if (started) {
        end = finish(probe, process);
        CloseHandle(process);
    }
    if (end == CHILD_GOOD && !read_all(ends[0], output, size)) {
        fprintf(stderr, "bench: %s: it printed too much\n", probe->id);
        end = CHILD_FAILED;
    }
    CloseHandle(ends[0]);
    return end;
}
