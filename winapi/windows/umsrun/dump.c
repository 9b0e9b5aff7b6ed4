/* SPDX-License-Identifier: MIT
 *
 * dump.c - see dump.h.
 *
 * A worker that was switched away in place has its frames on its own stack, and its own thread
 * waits above them, on the same stack. A usual minidump has each thread's stack from its stack
 * pointer on: for such a worker that is only the part where its thread waits. So after the system
 * has written the file, umsrun adds the stacks of these parked workers, and writes each worker's
 * registers over those of its thread (dump_file.c). Then any debugger finds the worker's frames on
 * the worker's thread.
 *
 * umsrun halts the process from before it reads the workers until the file is whole, so that both
 * show the same moment.
 */
#include "winapi/windows/umsrun/dump.h"

#include <dbghelp.h>
#include <stdio.h>

#include "winapi/windows/umsrun/dump_file.h"
#include "winapi/windows/umsrun/halt.h"
#include "winapi/windows/umsrun/target.h"

enum { MOST_SAID = 40 };

typedef BOOL(WINAPI *write_dump)(HANDLE, DWORD, HANDLE, MINIDUMP_TYPE,
                                 PMINIDUMP_EXCEPTION_INFORMATION, PMINIDUMP_USER_STREAM_INFORMATION,
                                 PMINIDUMP_CALLBACK_INFORMATION);

static struct target now;

/* ---- Writing --------------------------------------------------------------------------------- */

static bool write(write_dump call, HANDLE file)
{
    return call(now.process, now.id, file,
                MiniDumpWithDataSegs | MiniDumpWithHandleData | MiniDumpWithUnloadedModules |
                    MiniDumpWithProcessThreadData | MiniDumpWithThreadInfo,
                NULL, NULL, NULL);
}

/* ---- The report ------------------------------------------------------------------------------ */

/* The thread whose registers lead to the worker's frames. */
static uint32_t thread_of(const struct seen *seen)
{
    return seen->host && seen->scheduler && seen->scheduler <= now.count
               ? now.all[seen->scheduler - 1].thread
               : seen->thread;
}

static void say_workers(int parked)
{
    static const char *const states[] = {"", "queued", "ready", "running", "blocked", "stopped"};
    unsigned said = 0, left = 0;
    printf("%d parked workers have their own registers in the dump\n", parked);
    for (unsigned i = 0; i < now.count; i++) {
        struct seen *seen = &now.all[i];
        if (seen->state == SEEN_OTHER || seen->state == SEEN_SCHEDULER)
            continue;
        if (said++ >= MOST_SAID) {
            left++;
            continue;
        }
        target_name(seen);
        printf("worker %u%s%s%s, %s: ~~[%lx]k\n", i + 1, seen->name[0] ? " \"" : "", seen->name,
               seen->name[0] ? "\"" : "", states[seen->state], (unsigned long)thread_of(seen));
    }
    if (left)
        printf("and %u workers more\n", left);
}

/* ---- The whole dump -------------------------------------------------------------------------- */

static const char *dump_halted(write_dump call, HANDLE file)
{
    if (!target_read(&now))
        return "its memory cannot be read: it may have ended just now";
    if (!write(call, file))
        return "the dump cannot be written: it may have ended just now, or the disk is full";
    int parked = dump_file_park(file, &now);
    if (parked < 0)
        return "the stacks of its workers cannot be added: the disk is full, or the dump has "
               "another form";
    say_workers(parked);
    return NULL;
}

const char *dump(DWORD process, const wchar_t *path)
{
    struct halt halt;
    HMODULE dbghelp = LoadLibraryExW(L"dbghelp.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    write_dump call =
        dbghelp ? (write_dump)(uintptr_t)GetProcAddress(dbghelp, "MiniDumpWriteDump") : NULL;
    if (!call)
        return "the system has no dbghelp.dll that writes dumps";
    const char *problem = target_open(&now, process);
    if (problem)
        return problem;
    HANDLE file = CreateFileW(path, GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_READ, NULL,
                              CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return "the file cannot be made";
    SetConsoleCtrlHandler(NULL, TRUE); /* Ctrl-C must not end umsrun while the process is halted */
    if (halt_process(&halt, process)) {
        problem = dump_halted(call, file);
        halt_over(&halt);
    } else {
        problem = "a thread of it cannot be stopped";
    }
    CloseHandle(file);
    if (problem)
        DeleteFileW(path);
    return problem;
}
