/* SPDX-License-Identifier: MIT
 *
 * system_names.c - GetComputerName, GetUserName and their kin.
 *
 * The machine's NetBIOS name is the host's name up to its first dot, in upper case, and at most 15
 * characters. The DNS domain is the text behind that dot.
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "winapi/linux/text.h"

/* Gives a name and its length, without the zero. If the buffer is too small, the length counts the
 * zero. */
static BOOL give(const char *name, LPSTR buffer, LPDWORD size, DWORD too_small)
{
    DWORD length = (DWORD)strlen(name);
    if (!size)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (!buffer || *size <= length) {
        *size = length + 1;
        return win__fail(too_small);
    }
    memcpy(buffer, name, length + 1);
    *size = length;
    return TRUE;
}

static BOOL give_wide(const char *name, LPWSTR buffer, LPDWORD size, DWORD too_small)
{
    SIZE_T length = 0;
    if (!size)
        return win__fail(ERROR_INVALID_PARAMETER);
    WCHAR *wide = win__widen(name, strlen(name), &length);
    if (!wide)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    bool fits = buffer && *size > length;
    if (fits)
        memcpy(buffer, wide, (length + 1) * sizeof *wide);
    *size = (DWORD)(fits ? length : length + 1);
    free(wide);
    return fits ? TRUE : win__fail(too_small);
}

/* ---- The machine ----------------------------------------------------------------------------- */

enum { NAME_ROOM = sizeof((struct utsname *)0)->nodename + 1 };

static bool name_machine(COMPUTER_NAME_FORMAT format, char *name)
{
    struct utsname names;
    uname(&names);
    char *dot = strchr(names.nodename, '.');
    switch (format) {
    case ComputerNameDnsFullyQualified:
    case ComputerNamePhysicalDnsFullyQualified:
        break;
    case ComputerNameDnsDomain:
    case ComputerNamePhysicalDnsDomain:
        strcpy(name, dot ? dot + 1 : "");
        return true;
    case ComputerNameDnsHostname:
    case ComputerNamePhysicalDnsHostname:
    case ComputerNameNetBIOS:
    case ComputerNamePhysicalNetBIOS:
        if (dot)
            *dot = 0;
        break;
    default:
        return false;
    }
    strcpy(name, names.nodename);
    if (format == ComputerNameNetBIOS || format == ComputerNamePhysicalNetBIOS) {
        name[strnlen(name, MAX_COMPUTERNAME_LENGTH)] = 0;
        for (; *name; name++)
            if (*name >= 'a' && *name <= 'z')
                *name = (char)(*name - 'a' + 'A');
    }
    return true;
}

BOOL WINAPI GetComputerNameExA(COMPUTER_NAME_FORMAT NameType, LPSTR lpBuffer, LPDWORD nSize)
{
    char name[NAME_ROOM];
    return name_machine(NameType, name) ? give(name, lpBuffer, nSize, ERROR_MORE_DATA)
                                        : win__fail(ERROR_INVALID_PARAMETER);
}

BOOL WINAPI GetComputerNameExW(COMPUTER_NAME_FORMAT NameType, LPWSTR lpBuffer, LPDWORD nSize)
{
    char name[NAME_ROOM];
    return name_machine(NameType, name) ? give_wide(name, lpBuffer, nSize, ERROR_MORE_DATA)
                                        : win__fail(ERROR_INVALID_PARAMETER);
}

BOOL WINAPI GetComputerNameA(LPSTR lpBuffer, LPDWORD nSize)
{
    char name[NAME_ROOM];
    name_machine(ComputerNameNetBIOS, name);
    return give(name, lpBuffer, nSize, ERROR_BUFFER_OVERFLOW);
}

BOOL WINAPI GetComputerNameW(LPWSTR lpBuffer, LPDWORD nSize)
{
    char name[NAME_ROOM];
    name_machine(ComputerNameNetBIOS, name);
    return give_wide(name, lpBuffer, nSize, ERROR_BUFFER_OVERFLOW);
}

/* ---- The user -------------------------------------------------------------------------------- */

/* The name of the effective user, in malloc's memory. A user without an entry gets its number. */
static char *user_name(void)
{
    uid_t user = geteuid();
    struct passwd entry, *found = NULL;
    char *name = NULL, *room = NULL;
    for (size_t bytes = 1024; bytes <= 1024 * 1024; bytes *= 2) {
        char *larger = realloc(room, bytes);
        if (!larger)
            break;
        room = larger;
        if (getpwuid_r(user, &entry, room, bytes, &found) != ERANGE)
            break;
    }
    if (found)
        name = strdup(entry.pw_name);
    else if (asprintf(&name, "%u", (unsigned)user) < 0)
        name = NULL;
    free(room);
    return name;
}

BOOL WINAPI GetUserNameA(LPSTR lpBuffer, LPDWORD pcbBuffer)
{
    char *name = user_name();
    BOOL given = name ? give(name, lpBuffer, pcbBuffer, ERROR_INSUFFICIENT_BUFFER)
                      : win__fail(ERROR_NOT_ENOUGH_MEMORY);
    if (given)
        ++*pcbBuffer; /* this call counts the zero */
    free(name);
    return given;
}

BOOL WINAPI GetUserNameW(LPWSTR lpBuffer, LPDWORD pcbBuffer)
{
    char *name = user_name();
    BOOL given = name ? give_wide(name, lpBuffer, pcbBuffer, ERROR_INSUFFICIENT_BUFFER)
                      : win__fail(ERROR_NOT_ENOUGH_MEMORY);
    if (given)
        ++*pcbBuffer;
    free(name);
    return given;
}
