/* SPDX-License-Identifier: MIT
 *
 * sid_text.c - converts SIDs to texts such as S-1-22-1-1000 and back, in LocalAlloc's memory.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "winapi/linux/account.h"
#include "winapi/linux/text.h"

#pragma GCC visibility push(default) /* umsshim.map has the last word */
#include <sddl.h>
#pragma GCC visibility pop

enum { LONGEST = 2 + 4 + 20 + SID_MAX_SUB_AUTHORITIES * 11 + 1 };

/* An authority of 2^32 or more is written in hexadecimal. */
static void write_sid(const SID *sid, char *to)
{
    uint64_t authority = 0;
    for (int i = 0; i < 6; i++)
        authority = authority << 8 | sid->IdentifierAuthority.Value[i];
    to += sprintf(to, authority >> 32 ? "S-%u-0x%012llX" : "S-%u-%llu", sid->Revision,
                  (unsigned long long)authority);
    for (unsigned i = 0; i < sid->SubAuthorityCount; i++)
        to += sprintf(to, "-%u", win__sid_part(sid, i));
}

static DWORD check(const void *sid, const void *to)
{
    if (!sid || !to)
        return ERROR_INVALID_PARAMETER;
    return IsValidSid((PSID)(uintptr_t)sid) ? ERROR_SUCCESS : ERROR_INVALID_SID;
}

BOOL WINAPI ConvertSidToStringSidA(PSID Sid, LPSTR *StringSid)
{
    char text[LONGEST];
    DWORD error = check(Sid, StringSid);
    if (error)
        return win__fail(error);
    write_sid(Sid, text);
    char *copy = LocalAlloc(LMEM_FIXED, strlen(text) + 1);
    if (!copy)
        return FALSE;
    *StringSid = strcpy(copy, text);
    return TRUE;
}

BOOL WINAPI ConvertSidToStringSidW(PSID Sid, LPWSTR *StringSid)
{
    char text[LONGEST];
    DWORD error = check(Sid, StringSid);
    if (error)
        return win__fail(error);
    write_sid(Sid, text);
    size_t size = strlen(text) + 1;
    WCHAR *copy = LocalAlloc(LMEM_FIXED, size * sizeof *copy);
    if (!copy)
        return FALSE;
    for (size_t i = 0; i < size; i++)
        copy[i] = (WCHAR)text[i];
    *StringSid = copy;
    return TRUE;
}

/* ---- And back -------------------------------------------------------------------------------- */

/* Reads digits, which are hexadecimal behind 0x. False: no digits, or too large. */
static bool read_number(const char **at, uint64_t most, uint64_t *number)
{
    char *end;
    bool hexadecimal = (*at)[0] == '0' && ((*at)[1] | 0x20) == 'x';
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    *number = strtoull(*at, &end, hexadecimal ? 16 : 10);
    bool fits = !errno && *number <= most && end > *at;
    *at = end;
    return fits;
}

/* `sid` has room for SID_MAX_SUB_AUTHORITIES. */
static bool read_sid(const char *text, SID *sid)
{
    static const struct {
        const char *name, *sid;
    } short_names[] = {{"WD", "S-1-1-0"}, {"BA", "S-1-5-32-544"}, {"SY", "S-1-5-18"}};
    uint64_t number;
    for (size_t i = 0; i < sizeof short_names / sizeof *short_names; i++)
        if (!strcasecmp(text, short_names[i].name))
            text = short_names[i].sid;
    if (strncasecmp(text, "S-1-", 4) != 0)
        return false;
    text += 4;
    if (!read_number(&text, 0xFFFFFFFFFFFF, &number) || *text != '-')
        return false;
    sid->Revision = SID_REVISION;
    for (int i = 5; i >= 0; i--, number >>= 8)
        sid->IdentifierAuthority.Value[i] = (BYTE)number;
    DWORD parts[SID_MAX_SUB_AUTHORITIES];
    unsigned count = 0;
    for (; *text == '-' && count < SID_MAX_SUB_AUTHORITIES; count++) {
        text++;
        if (!read_number(&text, MAXDWORD, &number))
            return false;
        parts[count] = (DWORD)number;
    }
    sid->SubAuthorityCount = (BYTE)count;
    memcpy((char *)sid + offsetof(SID, SubAuthority), parts, count * sizeof *parts);
    return !*text;
}

BOOL WINAPI ConvertStringSidToSidA(LPCSTR StringSid, PSID *Sid)
{
    if (!StringSid || !Sid)
        return win__fail(ERROR_INVALID_PARAMETER);
    SID *sid = LocalAlloc(LMEM_FIXED, GetSidLengthRequired(SID_MAX_SUB_AUTHORITIES));
    if (!sid)
        return FALSE;
    if (read_sid(StringSid, sid)) {
        *Sid = sid;
        return TRUE;
    }
    LocalFree(sid);
    return win__fail(ERROR_INVALID_SID);
}

BOOL WINAPI ConvertStringSidToSidW(LPCWSTR StringSid, PSID *Sid)
{
    char *text = StringSid && Sid ? win__narrow_string(StringSid) : NULL;
    if (!text)
        return StringSid && Sid ? FALSE : win__fail(ERROR_INVALID_PARAMETER);
    BOOL done = ConvertStringSidToSidA(text, Sid);
    free(text);
    return done;
}
