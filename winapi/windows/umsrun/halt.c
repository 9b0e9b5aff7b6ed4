/* SPDX-License-Identifier: MIT
 *
 * halt.c - see halt.h. Windows has no documented call that stops a process, so halt_process
 * suspends its threads one by one, until it finds no other.
 */
#include "winapi/windows/umsrun/halt.h"

#include <stdlib.h>
#include <tlhelp32.h>

static bool is_held(const struct halt *halt, DWORD id)
{
    for (unsigned i = 0; i < halt->count; i++)
        if (halt->ids[i] == id)
            return true;
    return false;
}

static bool make_room(struct halt *halt)
{
    if (halt->count < halt->room)
        return true;
    unsigned room = halt->room ? 2 * halt->room : 256;
    HANDLE *threads = realloc(halt->threads, room * sizeof *threads);
    if (threads)
        halt->threads = threads;
    DWORD *ids = realloc(halt->ids, room * sizeof *ids);
    if (ids)
        halt->ids = ids;
    if (threads && ids)
        halt->room = room;
    return threads && ids;
}

/* Suspends one thread. True also for a thread that has ended meanwhile: it does not run. */
static bool hold(struct halt *halt, DWORD id)
{
    CONTEXT registers = {.ContextFlags = CONTEXT_CONTROL};
    if (!make_room(halt))
        return false;
    HANDLE thread = OpenThread(THREAD_SUSPEND_RESUME | THREAD_GET_CONTEXT, FALSE, id);
    if (!thread)
        return GetLastError() == ERROR_INVALID_PARAMETER;
    if (SuspendThread(thread) == (DWORD)-1) {
        CloseHandle(thread);
        return true;
    }
    GetThreadContext(thread, &registers); /* returns only when the thread has stopped */
    halt->threads[halt->count] = thread;
    halt->ids[halt->count++] = id;
    return true;
}

/* Suspends the threads that are not held yet. */
static bool hold_more(struct halt *halt, DWORD process)
{
    THREADENTRY32 entry = {.dwSize = sizeof entry};
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    if (all == INVALID_HANDLE_VALUE)
        return false;
    bool good = true;
    for (BOOL any = Thread32First(all, &entry); any && good; any = Thread32Next(all, &entry))
        if (entry.th32OwnerProcessID == process && !is_held(halt, entry.th32ThreadID))
            good = hold(halt, entry.th32ThreadID);
    CloseHandle(all);
    return good;
}

bool halt_process(struct halt *halt, DWORD process)
{
    unsigned before;
    *halt = (struct halt){NULL, NULL, 0, 0};
    do {
        before = halt->count;
        if (!hold_more(halt, process)) {
            halt_over(halt);
            return false;
        }
    } while (halt->count != before);
    return true;
}

void halt_over(struct halt *halt)
{
    for (unsigned i = 0; i < halt->count; i++) {
        ResumeThread(halt->threads[i]);
        CloseHandle(halt->threads[i]);
    }
    free(halt->threads);
    free(halt->ids);
    *halt = (struct halt){NULL, NULL, 0, 0};
}
