/* SPDX-License-Identifier: MIT
 *
 * as_windows.c - see as_windows.h.
 */
#include "as_windows.h"

#include <string.h>

static const char *const points[] = {"hooks",      "ticks",   "files",    "ends",   "flags",
                                     "exports",    "imports", "teb",      "loader", "effect",
                                     "exceptions", "alerts",  "strangers"};
enum { POINT_COUNT = sizeof points / sizeof points[0] };

static char wanted[128];

/* Nothing of the C library: its start may not be through. */
static void say(const char *text)
{
    DWORD written;

    WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, (DWORD)strlen(text), &written, NULL);
}

_Noreturn void as_windows_ends(const char *why, const char *which)
{
    enum { EXIT_CODE = 97 };

    say("as on Windows: ");
    say(why);
    say(which);
    say("\n");
    TerminateProcess(GetCurrentProcess(), EXIT_CODE);
    for (;;)
        Sleep(INFINITE);
}

/* The point in the list, as a whole word. */
static const char *find(const char *point, const char *list)
{
    size_t length = strlen(point);

    for (const char *at = list; (at = strstr(at, point)) != NULL; at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return at;
    return NULL;
}

bool as_windows_wants(const char *point)
{
    return strcmp(wanted, "all") == 0 || find(point, wanted);
}

static void judge_list(void)
{
    size_t known = 0;
    size_t length = strlen(wanted);

    for (size_t i = 0; i < POINT_COUNT; i++)
        known += find(points[i], wanted) ? strlen(points[i]) + 1 : 0;
    if (strcmp(wanted, "all") != 0 && known != length + 1)
        as_windows_ends("UMSSHIM_TEST_AS_WINDOWS has a point that is not known: ", wanted);
}

/* Behaviours before the other jumps: each stub is led once. */
static void start(void)
{
    if (as_windows_wants("files"))
        files_start();
    if (as_windows_wants("ticks"))
        ticks_start();
    if (as_windows_wants("ends"))
        ends_start();
    if (as_windows_wants("exceptions"))
        exceptions_start();
    if (as_windows_wants("hooks")) {
        stubs_lead_all(GetModuleHandleW(L"ntdll.dll"));
        stubs_lead_all(LoadLibraryW(L"win32u.dll"));
    }
    if (find("strangers", wanted))
        stubs_of_strangers();
    if (find("effect", wanted))
        effect_start();
    if (find("alerts", wanted))
        alerts_start();
    if (as_windows_wants("teb"))
        teb_start();
    if (as_windows_wants("loader"))
        teb_loader_start();
    if (as_windows_wants("flags"))
        loaded_flags();
    if (as_windows_wants("exports"))
        loaded_exports();
    if (as_windows_wants("imports"))
        loaded_imports();
}

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved);

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved)
{
    if (reason == DLL_PROCESS_ATTACH &&
        GetEnvironmentVariableA("UMSSHIM_TEST_AS_WINDOWS", wanted, sizeof wanted)) {
        judge_list();
        start();
    }
    return TRUE;
}

/* What launch.c's import names (winapi/windows/umsrun/inject.c). Never called. The newer headers declare the system's
 * own, so it has another name in C. */
__declspec(dllexport) BOOL WINAPI imported_name(PVOID thread) __asm__("ExecuteUmsThread");

BOOL WINAPI imported_name(PVOID thread)
{
    return FALSE;
}
