/* SPDX-License-Identifier: MIT
 *
 * threads.c - the place of every thread of this process, for the report of a test that hangs.
 *
 * It runs in the watchdog while any lock of the process may be held for good. So on Linux it only
 * makes system calls. On Windows another process looks; a lock that its start needs may be held,
 * too.
 */
#include "gtest_c.h"

#ifdef __linux__

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct directory_entry { /* struct linux_dirent64 */
    unsigned long long inode;
    long long offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static const char *read_line(char *line, size_t size, const char *task, const char *what)
{
    char path[96];
    ssize_t length;
    int fd;

    snprintf(path, sizeof path, "/proc/self/task/%s/%s", task, what);
    line[0] = 0;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return "?";
    length = read(fd, line, size - 1);
    close(fd);
    if (length <= 0)
        return "?";
    line[length] = 0;
    line[strcspn(line, "\n")] = 0;
    return line;
}

static void describe(const char *task)
{
    char name[64];
    char where[64];
    char call[128];

    tc_note("  thread %s \"%s\" wchan %s syscall %s", task,
            read_line(name, sizeof name, task, "comm"),
            read_line(where, sizeof where, task, "wchan"),
            read_line(call, sizeof call, task, "syscall"));
}

void tc_describe_threads(void)
{
    _Alignas(8) char buffer[4096];
    int shown = 0;
    long length;
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    while ((length = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0) {
        for (long at = 0; at < length;) {
            const struct directory_entry *entry = (const void *)(buffer + at);

            at += entry->length;
            if (entry->name[0] != '.' && shown++ < 64)
                describe(entry->name);
        }
    }
    if (shown > 64)
        tc_note("  (and %d more threads)", shown - 64);
    close(fd);
}

void tc_end_process(void)
{
    abort();
}

#else

#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

enum { PATH_CHARS = 4096, REPORT_MS = 10000 };

/* Runs `umsrun --why`, which is in the tests' folder. It writes to this process's output. The
 * function does not ask the loader for the path, because the loader's lock may be held. */
void tc_describe_threads(void)
{
    static wchar_t path[PATH_CHARS], command[PATH_CHARS + 64];
    STARTUPINFOW startup;
    PROCESS_INFORMATION process;
    DWORD length = PATH_CHARS - 16;
    bool found = QueryFullProcessImageNameW(GetCurrentProcess(), 0, path, &length);
    wchar_t *name = found ? wcsrchr(path, L'\\') : NULL;

    if (!name)
        return;
    wcscpy(name + 1, L"umsrun.exe");
    swprintf(command, sizeof command / sizeof *command, L"\"%ls\" --why %lu", path,
             GetCurrentProcessId());
    GetStartupInfoW(&startup);
    if (!CreateProcessW(path, command, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process)) {
        tc_note("  (%ls --why: error %lu)", path, GetLastError());
        return;
    }
    if (WaitForSingleObject(process.hProcess, REPORT_MS) != WAIT_OBJECT_0)
        tc_note("  (umsrun --why takes longer than %d ms)", REPORT_MS);
}

/* Ends the process otherwise than abort, which calls all DLLs and waits for the loader's lock. */
void tc_end_process(void)
{
    enum { ABORTED = 3 };

    TerminateProcess(GetCurrentProcess(), ABORTED);
    for (;;)
        Sleep(INFINITE);
}

#endif
