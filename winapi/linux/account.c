/* SPDX-License-Identifier: MIT
 *
 * account.c - see account.h; also the names of accounts and privileges.
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "winapi/linux/account.h"
#include "winapi/linux/text.h"

/* ---- SIDs ------------------------------------------------------------------------------------ */

const SID_IDENTIFIER_AUTHORITY win__unix_authority = {{0, 0, 0, 0, 0, 22}};
static const SID_IDENTIFIER_AUTHORITY world_authority = {{0, 0, 0, 0, 0, 1}};
static const SID_IDENTIFIER_AUTHORITY nt_authority = {{0, 0, 0, 0, 0, 5}};
enum { BUILTIN = 32, ADMINISTRATORS = 544, LOCAL_SYSTEM = 18 };

void win__make_sid(struct two_part_sid *to, DWORD kind, DWORD id)
{
    to->sid.Revision = SID_REVISION;
    to->sid.SubAuthorityCount = 2;
    to->sid.IdentifierAuthority = win__unix_authority;
    to->sid.SubAuthority[0] = kind;
    to->second = id;
}

bool win__sid_is_of(const SID *sid, const SID_IDENTIFIER_AUTHORITY *authority, unsigned parts)
{
    return sid->SubAuthorityCount == parts &&
           !memcmp(&sid->IdentifierAuthority, authority, sizeof *authority);
}

DWORD win__sid_part(const SID *sid, unsigned index)
{
    DWORD value;
    memcpy(&value, (const char *)sid + offsetof(SID, SubAuthority) + index * sizeof value,
           sizeof value);
    return value;
}

bool win__is_everyone(const SID *sid)
{
    return win__sid_is_of(sid, &world_authority, 1) && win__sid_part(sid, 0) == 0;
}

bool win__is_administrators(const SID *sid)
{
    return win__sid_is_of(sid, &nt_authority, 2) && win__sid_part(sid, 0) == BUILTIN &&
           win__sid_part(sid, 1) == ADMINISTRATORS;
}

static bool is_local_system(const SID *sid)
{
    return win__sid_is_of(sid, &nt_authority, 1) && win__sid_part(sid, 0) == LOCAL_SYSTEM;
}

BOOL WINAPI IsWellKnownSid(PSID pSid, WELL_KNOWN_SID_TYPE WellKnownSidType)
{
    if (!IsValidSid(pSid))
        return FALSE;
    switch (WellKnownSidType) {
    case WinWorldSid:
        return win__is_everyone(pSid);
    case WinBuiltinAdministratorsSid:
        return win__is_administrators(pSid);
    case WinLocalSystemSid:
        return is_local_system(pSid);
    default:
        return FALSE;
    }
}

/* ---- Names of accounts ----------------------------------------------------------------------- */

struct account {
    char name[256], domain[256];
    SID_NAME_USE use;
};

static void name_user(DWORD id, char *name, size_t size)
{
    char room[4096];
    struct passwd entry, *found = NULL;
    getpwuid_r(id, &entry, room, sizeof room, &found);
    if (found)
        snprintf(name, size, "%s", found->pw_name);
}

static void name_group(DWORD id, char *name, size_t size)
{
    char room[16384];
    struct group entry, *found = NULL;
    getgrgid_r(id, &entry, room, sizeof room, &found);
    if (found)
        snprintf(name, size, "%s", found->gr_name);
}

/* False: no user or group has the SID. */
static bool account_of(const SID *sid, struct account *account)
{
    DWORD size = sizeof account->domain;
    account->name[0] = account->domain[0] = 0;
    if (win__is_everyone(sid) || win__is_administrators(sid) || is_local_system(sid)) {
        bool everyone = win__is_everyone(sid), administrators = win__is_administrators(sid);
        account->use = administrators ? SidTypeAlias : SidTypeWellKnownGroup;
        strcpy(account->name, everyone ? "Everyone" : administrators ? "Administrators" : "SYSTEM");
        strcpy(account->domain, everyone ? "" : administrators ? "BUILTIN" : "NT AUTHORITY");
        return true;
    }
    if (!win__sid_is_of(sid, &win__unix_authority, 2))
        return false;
    GetComputerNameA(account->domain, &size);
    if (win__sid_part(sid, 0) == SID_OF_USER)
        name_user(win__sid_part(sid, 1), account->name, sizeof account->name);
    else if (win__sid_part(sid, 0) == SID_OF_GROUP)
        name_group(win__sid_part(sid, 1), account->name, sizeof account->name);
    account->use = win__sid_part(sid, 0) == SID_OF_USER ? SidTypeUser : SidTypeGroup;
    return account->name[0];
}

/* *size counts the zero only if the buffer is too small, as on Windows. */
static bool fits(const char *text, const void *buffer, DWORD *size)
{
    DWORD length = (DWORD)strlen(text);
    bool enough = buffer && *size > length;
    *size = enough ? length : length + 1;
    return enough;
}

/* 0, or a Win32 error. */
static DWORD look_up(LPCSTR system, PSID sid, struct account *account)
{
    if (system && *system)
        return ERROR_NOT_SUPPORTED; /* the accounts of another machine */
    if (!IsValidSid(sid))
        return ERROR_INVALID_SID;
    return account_of(sid, account) ? ERROR_SUCCESS : (DWORD)ERROR_NONE_MAPPED;
}

BOOL WINAPI LookupAccountSidA(LPCSTR lpSystemName, PSID Sid, LPSTR Name, LPDWORD cchName,
                              LPSTR ReferencedDomainName, LPDWORD cchReferencedDomainName,
                              PSID_NAME_USE peUse)
{
    struct account account;
    if (!cchName || !cchReferencedDomainName || !peUse)
        return win__fail(ERROR_INVALID_PARAMETER);
    DWORD error = look_up(lpSystemName, Sid, &account);
    if (error)
        return win__fail(error);
    bool whole = fits(account.name, Name, cchName);
    whole &= fits(account.domain, ReferencedDomainName, cchReferencedDomainName);
    if (!whole)
        return win__fail(ERROR_INSUFFICIENT_BUFFER);
    strcpy(Name, account.name);
    strcpy(ReferencedDomainName, account.domain);
    *peUse = account.use;
    return TRUE;
}

BOOL WINAPI LookupAccountSidW(LPCWSTR lpSystemName, PSID Sid, LPWSTR Name, LPDWORD cchName,
                              LPWSTR ReferencedDomainName, LPDWORD cchReferencedDomainName,
                              PSID_NAME_USE peUse)
{
    struct account account;
    if (!cchName || !cchReferencedDomainName || !peUse)
        return win__fail(ERROR_INVALID_PARAMETER);
    DWORD error = look_up(lpSystemName && *lpSystemName ? "x" : NULL, Sid, &account);
    if (error)
        return win__fail(error);
    SIZE_T name_length = 0, domain_length = 0;
    WCHAR *name = win__widen(account.name, strlen(account.name), &name_length);
    WCHAR *domain = win__widen(account.domain, strlen(account.domain), &domain_length);
    bool known = name && domain;
    bool whole = known && Name && *cchName > name_length && ReferencedDomainName &&
                 *cchReferencedDomainName > domain_length;
    if (whole) {
        memcpy(Name, name, (name_length + 1) * sizeof *name);
        memcpy(ReferencedDomainName, domain, (domain_length + 1) * sizeof *domain);
        *peUse = account.use;
    }
    *cchName = (DWORD)name_length + !whole;
    *cchReferencedDomainName = (DWORD)domain_length + !whole;
    free(name);
    free(domain);
    return whole ? TRUE : win__fail(known ? ERROR_INSUFFICIENT_BUFFER : ERROR_NOT_ENOUGH_MEMORY);
}

/* ---- Names of privileges --------------------------------------------------------------------- */

static const struct {
    const char *name;
    DWORD number;
} privileges[] = {
    {"SeCreateTokenPrivilege", 2},
    {"SeAssignPrimaryTokenPrivilege", 3},
    {"SeLockMemoryPrivilege", 4},
    {"SeIncreaseQuotaPrivilege", 5},
    {"SeMachineAccountPrivilege", 6},
    {"SeTcbPrivilege", 7},
    {"SeSecurityPrivilege", 8},
    {"SeTakeOwnershipPrivilege", 9},
    {"SeLoadDriverPrivilege", 10},
    {"SeSystemProfilePrivilege", 11},
    {"SeSystemtimePrivilege", 12},
    {"SeProfileSingleProcessPrivilege", 13},
    {"SeIncreaseBasePriorityPrivilege", 14},
    {"SeCreatePagefilePrivilege", 15},
    {"SeCreatePermanentPrivilege", 16},
    {"SeBackupPrivilege", 17},
    {"SeRestorePrivilege", 18},
    {"SeShutdownPrivilege", 19},
    {"SeDebugPrivilege", 20},
    {"SeAuditPrivilege", 21},
    {"SeSystemEnvironmentPrivilege", 22},
    {"SeChangeNotifyPrivilege", CHANGE_NOTIFY},
    {"SeRemoteShutdownPrivilege", 24},
    {"SeUndockPrivilege", 25},
    {"SeManageVolumePrivilege", 28},
    {"SeImpersonatePrivilege", 29},
    {"SeCreateGlobalPrivilege", 30},
    {"SeIncreaseWorkingSetPrivilege", 33},
    {"SeTimeZonePrivilege", 34},
    {"SeCreateSymbolicLinkPrivilege", 35},
};

BOOL WINAPI LookupPrivilegeValueA(LPCSTR lpSystemName, LPCSTR lpName, PLUID lpLuid)
{
    if (lpSystemName && *lpSystemName)
        return win__fail(ERROR_NOT_SUPPORTED);
    if (!lpName || !lpLuid)
        return win__fail(ERROR_INVALID_PARAMETER);
    for (size_t i = 0; i < sizeof privileges / sizeof *privileges; i++) {
        if (strcasecmp(privileges[i].name, lpName) != 0)
            continue;
        *lpLuid = (LUID){.LowPart = privileges[i].number};
        return TRUE;
    }
    return win__fail(ERROR_NO_SUCH_PRIVILEGE);
}

BOOL WINAPI LookupPrivilegeValueW(LPCWSTR lpSystemName, LPCWSTR lpName, PLUID lpLuid)
{
    char *name;
    if (!win__narrow_if_given(lpName, &name))
        return FALSE;
    BOOL found = LookupPrivilegeValueA(lpSystemName && *lpSystemName ? "x" : NULL, name, lpLuid);
    free(name);
    return found;
}
