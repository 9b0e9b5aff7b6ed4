/* SPDX-License-Identifier: MIT
 *
 * children.c - see children.h. umsrun --children asks for it, and each child passes it on to its
 * own children with the DLL (inject.h). A child that cannot be served (32-bit, .NET) runs as it
 * would have.
 */
#include "winapi/windows/children.h"

#include "winapi/windows/umsrun/inject.h"
#include "winapi/windows/umsrun/program.h"

static const char *serve(HANDLE process)
{
    wchar_t path[MAX_PATH * 4];
    DWORD length = sizeof path / sizeof path[0];
    HMODULE self;
    if (!QueryFullProcessImageNameW(process, 0, path, &length))
        return "the program has no name";
    const char *why = program_objection(path);
    if (why)
        return why;
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            (LPCWSTR)(void *)serve, &self) ||
        !GetModuleFileNameW(self, path, sizeof path / sizeof path[0]))
        return "umsshim.dll has no name";
    return inject(process, path, true);
}

/* The child is suspended at its very start. */
static void finish(DWORD flags, const PROCESS_INFORMATION *information)
{
    DWORD error = GetLastError();
    serve(information->hProcess);
    if (!(flags & CREATE_SUSPENDED))
        ResumeThread(information->hThread);
    SetLastError(error);
}

BOOL WINAPI umsshim_CreateProcessA(LPCSTR program, LPSTR command, LPSECURITY_ATTRIBUTES process,
                                   LPSECURITY_ATTRIBUTES thread, BOOL inherit, DWORD flags,
                                   LPVOID environment, LPCSTR folder, LPSTARTUPINFOA startup,
                                   LPPROCESS_INFORMATION information)
{
    BOOL ok = CreateProcessA(program, command, process, thread, inherit, flags | CREATE_SUSPENDED,
                             environment, folder, startup, information);
    if (ok)
        finish(flags, information);
    return ok;
}

BOOL WINAPI umsshim_CreateProcessW(LPCWSTR program, LPWSTR command, LPSECURITY_ATTRIBUTES process,
                                   LPSECURITY_ATTRIBUTES thread, BOOL inherit, DWORD flags,
                                   LPVOID environment, LPCWSTR folder, LPSTARTUPINFOW startup,
                                   LPPROCESS_INFORMATION information)
{
    BOOL ok = CreateProcessW(program, command, process, thread, inherit, flags | CREATE_SUSPENDED,
                             environment, folder, startup, information);
    if (ok)
        finish(flags, information);
    return ok;
}
