/* SPDX-License-Identifier: MIT
 *
 * file_link.c - CreateHardLink, CreateSymbolicLink.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "winapi/linux/drive.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/path_steps.h"

BOOL WINAPI CreateHardLinkA(LPCSTR lpFileName, LPCSTR lpExistingFileName,
                            LPSECURITY_ATTRIBUTES lpSecurityAttributes)
{
    if (lpSecurityAttributes) /* reserved on Windows, too: the link has the security of its file */
        return win__fail(ERROR_INVALID_PARAMETER);
    char *name = win__plain_path(lpFileName);
    char *existing = name ? win__plain_path(lpExistingFileName) : NULL;
    DWORD error = existing ? ERROR_SUCCESS : GetLastError();
    if (existing && link(existing, name))
        error = errno == ENOENT && access(existing, F_OK) ? win__open_error(existing)
                                                          : win__open_error(name);
    free(existing);
    free(name);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI CreateHardLinkW(LPCWSTR lpFileName, LPCWSTR lpExistingFileName,
                            LPSECURITY_ATTRIBUTES lpSecurityAttributes)
{
    char *name = win__name(lpFileName), *existing = name ? win__name(lpExistingFileName) : NULL;
    BOOL done = existing && CreateHardLinkA(name, existing, lpSecurityAttributes);
    free(existing);
    free(name);
    return done;
}

/* The target's text. A relative target stays relative to the link's folder, not to the current
 * one. */
static char *target_of(LPCSTR name)
{
    bool relative = name && *name && !win__is_slash(*name) && !win__letter_of(name);
    char *target = relative ? strdup(name) : win__path(name);
    if (target)
        win__forward(target);
    else if (relative)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    return target;
}

/* On Linux a link's target may be a file or a folder, so the flag for folders has no effect. */
BOOLEAN WINAPI CreateSymbolicLinkA(LPCSTR lpSymlinkFileName, LPCSTR lpTargetFileName, DWORD dwFlags)
{
    enum { UNPRIVILEGED = 2 }; /* SYMBOLIC_LINK_FLAG_ALLOW_UNPRIVILEGED_CREATE */
    if (dwFlags & ~(DWORD)(SYMBOLIC_LINK_FLAG_DIRECTORY | UNPRIVILEGED))
        return (BOOLEAN)win__fail(ERROR_INVALID_PARAMETER);
    char *name = win__plain_path(lpSymlinkFileName);
    char *target = name ? target_of(lpTargetFileName) : NULL;
    DWORD error = target ? ERROR_SUCCESS : GetLastError();
    if (target && symlink(target, name))
        error = win__open_error(name);
    free(target);
    free(name);
    return error ? (BOOLEAN)win__fail(error) : TRUE;
}

BOOLEAN WINAPI CreateSymbolicLinkW(LPCWSTR lpSymlinkFileName, LPCWSTR lpTargetFileName,
                                   DWORD dwFlags)
{
    char *name = win__name(lpSymlinkFileName);
    char *target = name ? win__name(lpTargetFileName) : NULL;
    BOOLEAN done = target && CreateSymbolicLinkA(name, target, dwFlags);
    free(target);
    free(name);
    return done;
}
