/* SPDX-License-Identifier: MIT
 *
 * try.c - umsrun --try: whether switching in place works on this Windows.
 *
 * The canary (canary.c) runs in a process of its own, with in-place switching in any case. It
 * normally takes a moment, and umsrun gives it thirty seconds. The library keeps the result for all
 * programs of this user on this system.
 */
#include "winapi/windows/umsrun/try.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include "winapi/windows/umsrun/canary.h"
#include "winapi/windows/umsrun/job.h"

enum { LIMIT_MS = 30000, PATH_CHARS = 32768, TEXT = 2048 };

static HANDLE start_canary(HANDLE job)
{
    static wchar_t path[PATH_CHARS], line[PATH_CHARS + 32];
    STARTUPINFOW startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    GetModuleFileNameW(NULL, path, PATH_CHARS);
    swprintf(line, sizeof line / sizeof line[0], L"\"%ls\" %ls", path, CANARY_OPTION);
    SetEnvironmentVariableW(L"UMSSHIM_SWITCH", L"inplace");
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX); /* the child inherits it */
    if (!CreateProcessW(path, line, NULL, NULL, FALSE, CREATE_SUSPENDED, NULL, NULL, &startup,
                        &process))
        return NULL;
    if (job)
        AssignProcessToJobObject(job, process.hProcess);
    ResumeThread(process.hThread);
    CloseHandle(process.hThread);
    return process.hProcess;
}

/* Whether the canary's process would switch in place, as this process does: unless something
 * forbids it, it does. */
static bool can_be_in_place(HMODULE dll)
{
    static char text[16384];
    int (*describe)(char *, size_t) = (void *)(uintptr_t)GetProcAddress(dll, "umsshim_describe");
    if (!describe || !describe(text, sizeof text))
        return false;
    const char *line = strstr(text, "switching: ");
    if (line && strncmp(line, "switching: in place\n", 20) == 0)
        return true;
    printf("not tried, %.*s\n", (int)(line ? strcspn(line, "\n") : 0), line ? line : "");
    return false;
}

int try_inplace(void)
{
    char text[TEXT] = "";
    const char *problem = NULL;
    DWORD code = 0;
    HANDLE job = job_make(), child = start_canary(job);
    ULONGLONG begin = GetTickCount64();
    if (!child) {
        printf("the trial cannot be started: error %lu\n", GetLastError());
        return 1;
    }
    HMODULE dll = LoadLibraryW(L"umsshim.dll");
    int (*keep)(int, char *, size_t) =
        dll ? (void *)(uintptr_t)GetProcAddress(dll, "umsshim_tried") : NULL;
    if (!keep || !can_be_in_place(dll)) {
        TerminateProcess(child, 1);
        return 1;
    }
    if (WaitForSingleObject(child, LIMIT_MS) != WAIT_OBJECT_0) {
        TerminateProcess(child, 1);
        problem = "it hangs";
    } else if (GetExitCodeProcess(child, &code) && code) {
        problem = canary_text(code);
    }
    double seconds = (double)(GetTickCount64() - begin) / 1000;
    bool kept = keep(!problem, text, sizeof text) != 0;
    printf("in place: %s%s, after %.1f s\n%s %s\n", problem ? "failed, " : "passed",
           problem ? problem : "", seconds, kept ? "kept in" : "CANNOT BE KEPT in", text);
    fflush(stdout);
    return problem || !kept ? 1 : 0;
}
