/* SPDX-License-Identifier: MIT
 *
 * launch.c - as_windows_launch.exe PROGRAM.exe [ARG...]: runs a program that loads as_windows.dll first.
 *
 * The end of this process ends the program, too.
 */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

#include "winapi/windows/umsrun/inject.h"
#include "winapi/windows/umsrun/job.h"

enum { WRONG = 98, PATH_CHARS = 4096 };

static int complain(const char *what)
{
    fprintf(stderr, "as_windows_launch: %s (error %lu)\n", what, GetLastError());
    return WRONG;
}

/* What follows the first argument. Paths with blanks are in quotes. */
static wchar_t *rest_of(wchar_t *line)
{
    wchar_t stop = *line == L'"' ? L'"' : L' ';

    line = wcschr(line + 1, stop);
    return line ? line + 1 + wcsspn(line + 1, L" ") : NULL;
}

int main(void)
{
    static wchar_t dll[PATH_CHARS];
    wchar_t *line = rest_of(GetCommandLineW()), *name;
    STARTUPINFOW startup;
    PROCESS_INFORMATION process;
    const char *why;
    HANDLE job;
    DWORD code = WRONG;

    if (!line || !*line)
        return complain("which program?");
    GetModuleFileNameW(NULL, dll, PATH_CHARS - 16);
    name = wcsrchr(dll, L'\\');
    wcscpy(name ? name + 1 : dll, L"as_windows.dll");
    GetStartupInfoW(&startup);
    job = job_make();
    if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &startup,
                        &process))
        return complain("the program cannot be started");
    AssignProcessToJobObject(job, process.hProcess);
    why = inject(process.hProcess, dll, false);
    if (why || ResumeThread(process.hThread) == (DWORD)-1) {
        TerminateProcess(process.hProcess, WRONG);
        return complain(why ? why : "its thread does not start");
    }
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &code);
    job_release(job);
    return (int)code;
}
