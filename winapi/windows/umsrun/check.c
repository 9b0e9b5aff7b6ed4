/* SPDX-License-Identifier: MIT
 *
 * check.c - see check.h.
 *
 * The self-test finds the functions as an old program would: by GetProcAddress on kernel32, after
 * umsshim.dll was loaded. Two workers yield to each other and sleep.
 */
#include "winapi/windows/umsrun/check.h"

#include "winapi/windows/umsrun/ums_functions.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <windows.h>

enum { WORKERS = 2, TURNS = 100, LIMIT_MS = 10000 };

/* ---- The system ------------------------------------------------------------------------------ */

static void *from(const wchar_t *module, const char *name)
{
    return (void *)(uintptr_t)GetProcAddress(GetModuleHandleW(module), name);
}

static void print_system(void)
{
    LONG(WINAPI * version)(OSVERSIONINFOW *) = from(L"ntdll.dll", "RtlGetVersion");
    const char *(*wine)(void) = from(L"ntdll.dll", "wine_get_version");
    LONG(WINAPI * timer)(ULONG *, ULONG *, ULONG *) = from(L"ntdll.dll", "NtQueryTimerResolution");
    OSVERSIONINFOW info = {.dwOSVersionInfoSize = sizeof info};
    SYSTEM_INFO system;
    ULONG coarsest = 0, finest = 0, now = 0;

    if (version && version(&info) >= 0)
        printf("Windows %lu.%lu build %lu", info.dwMajorVersion, info.dwMinorVersion,
               info.dwBuildNumber);
    printf(wine ? " (Wine %s)\n" : "\n", wine ? wine() : "");
    GetSystemInfo(&system);
    printf("processors: %lu\n", system.dwNumberOfProcessors);
    if (timer && timer(&coarsest, &finest, &now) >= 0)
        printf("timer resolution: %.4f ms now, %.4f ms finest\n", now / 1e4, finest / 1e4);
}

static void print_policy(const char *name, int policy)
{
    BOOL(WINAPI * get)
    (HANDLE, int, void *, SIZE_T) = from(L"kernel32.dll", "GetProcessMitigationPolicy");
    DWORD flags = 0;
    if (!get || !get(GetCurrentProcess(), policy, &flags, sizeof flags))
        printf("%s: not told\n", name);
    else
        printf("%s: %s (flags 0x%lx)\n", name, flags & 1 ? "on" : "off", flags);
}

/* ---- The self-test --------------------------------------------------------------------------- */

static PUMS_COMPLETION_LIST list;
static PUMS_CONTEXT ready[WORKERS + 1];
static unsigned first, end, ended, blocks, yields;
static volatile LONG turns;

static DWORD WINAPI take_turns(LPVOID param)
{
    (void)param;
    for (int i = 0; i < TURNS; i++) {
        InterlockedIncrement(&turns);
        ums.yield(NULL);
    }
    Sleep(1);
    return 0;
}

static VOID WINAPI schedule(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)param;
    blocks += reason == UmsSchedulerThreadBlocked;
    yields += reason == UmsSchedulerThreadYield;
    if (reason == UmsSchedulerThreadYield)
        ready[end++ % (WORKERS + 1)] = (PUMS_CONTEXT)payload;
    while (ended < WORKERS) {
        PUMS_CONTEXT context;
        if (!ums.dequeue(list, first == end ? LIMIT_MS : 0, &context))
            return;
        if (!context && first == end)
            return;
        for (; context; context = ums.next(context)) {
            BOOLEAN over = FALSE;
            ums.query(context, UmsThreadIsTerminated, &over, sizeof over, NULL);
            if (over)
                ended++;
            else
                ready[end++ % (WORKERS + 1)] = context;
        }
        if (first != end && !ums.execute(ready[first++ % (WORKERS + 1)]))
            return;
    }
}

static const char *self_test(void)
{
    PUMS_CONTEXT contexts[WORKERS];
    HANDLE threads[WORKERS];
    const char *missing = ums_find();
    if (missing)
        return missing;
    if (!ums.create_list(&list))
        return "creating a completion list";
    for (int i = 0; i < WORKERS; i++) {
        if (!ums.create_context(&contexts[i]))
            return "creating a context";
        threads[i] = ums_start(contexts[i], list, take_turns, NULL);
        if (!threads[i])
            return "creating a worker";
    }
    UMS_SCHEDULER_STARTUP_INFO info = {UMS_VERSION, list, schedule, NULL};
    if (!ums.enter(&info))
        return "entering UMS mode";
    if (ended != WORKERS || turns != WORKERS * TURNS || yields != WORKERS * TURNS)
        return "running the workers to their end";
    for (int i = 0; i < WORKERS; i++)
        if (WaitForSingleObject(threads[i], LIMIT_MS) != WAIT_OBJECT_0 ||
            !CloseHandle(threads[i]) || !ums.delete_context(contexts[i]))
            return "cleaning up";
    if (!ums.delete_list(list))
        return "deleting the list";
    /* Each worker blocks twice: in its Sleep, and at its end. */
    return blocks >= 2 * WORKERS ? NULL
                                 : "seeing Sleep block (hooks are off or refused, see above)";
}

int check(void)
{
    print_system();
    print_policy("user shadow stacks", 15);
    print_policy("dynamic code prohibited", 2);
    HMODULE dll = LoadLibraryW(L"umsshim.dll");
    if (!dll) {
        printf("umsshim.dll: cannot be loaded, error %lu\nself-test: FAILED\n", GetLastError());
        return 1;
    }
    int (*describe)(char *, size_t) = (void *)(uintptr_t)GetProcAddress(dll, "umsshim_describe");
    static char text[16384];
    if (describe && describe(text, sizeof text))
        fputs(text, stdout);
    const char *failed = self_test();
    if (failed)
        printf("self-test: FAILED at %s, last error %lu\n", failed, GetLastError());
    else
        printf("self-test: passed (%u yields, %u blocks)\n", yields, blocks);
    fflush(stdout);
    return failed ? 1 : 0;
}
