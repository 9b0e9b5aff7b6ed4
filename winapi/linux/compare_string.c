/* SPDX-License-Identifier: MIT
 *
 * compare_string.c - CompareString, in the order of collation.h for each locale;
 * CompareStringOrdinal, by units; lstrcmp, which is CompareString for whole strings.
 */
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/collation.h"
#include "winapi/linux/letter.h"
#include "winapi/linux/text.h"

enum {
    COMPARE_FLAGS = NORM_IGNORECASE | NORM_IGNORENONSPACE | NORM_IGNORESYMBOLS | SORT_STRINGSORT |
                    NORM_IGNOREKANATYPE | NORM_IGNOREWIDTH | LINGUISTIC_IGNORECASE |
                    LINGUISTIC_IGNOREDIACRITIC | NORM_LINGUISTIC_CASING,
    ALSO_KNOWN = LOCALE_USE_CP_ACP,
};

static int result_of(int order)
{
    return order < 0 ? CSTR_LESS_THAN : order > 0 ? CSTR_GREATER_THAN : CSTR_EQUAL;
}

static SIZE_T units_of(LPCWSTR text, INT count)
{
    return count < 0 ? win__wide_length(text) : (SIZE_T)count;
}

INT WINAPI CompareStringW(LCID lcid, DWORD dwCmpFlags, LPCWSTR lpString1, INT cchCount1,
                          LPCWSTR lpString2, INT cchCount2)
{
    (void)lcid;
    if (!lpString1 || !lpString2)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (dwCmpFlags & ~(DWORD)(COMPARE_FLAGS | ALSO_KNOWN))
        return win__fail(ERROR_INVALID_FLAGS);
    if (dwCmpFlags & LINGUISTIC_IGNOREDIACRITIC)
        dwCmpFlags |= NORM_IGNORENONSPACE;
    return result_of(win__collate(lpString1, units_of(lpString1, cchCount1), lpString2,
                                  units_of(lpString2, cchCount2), dwCmpFlags));
}

INT WINAPI CompareStringA(LCID lcid, DWORD dwCmpFlags, LPCSTR lpString1, INT cchCount1,
                          LPCSTR lpString2, INT cchCount2)
{
    if (!lpString1 || !lpString2)
        return win__fail(ERROR_INVALID_PARAMETER);
    SIZE_T count1 = cchCount1 < 0 ? strlen(lpString1) : (SIZE_T)cchCount1;
    SIZE_T count2 = cchCount2 < 0 ? strlen(lpString2) : (SIZE_T)cchCount2;
    WCHAR *wide1 = win__widen(lpString1, count1, &count1);
    WCHAR *wide2 = win__widen(lpString2, count2, &count2);
    INT result = wide1 && wide2
                     ? CompareStringW(lcid, dwCmpFlags, wide1, (INT)count1, wide2, (INT)count2)
                     : win__fail(ERROR_NOT_ENOUGH_MEMORY);
    free(wide1);
    free(wide2);
    return result;
}

INT WINAPI CompareStringOrdinal(const WCHAR *lpString1, INT cchCount1, const WCHAR *lpString2,
                                INT cchCount2, BOOL bIgnoreCase)
{
    if (!lpString1 || !lpString2 || cchCount1 < -1 || cchCount2 < -1)
        return win__fail(ERROR_INVALID_PARAMETER);
    SIZE_T count1 = units_of(lpString1, cchCount1), count2 = units_of(lpString2, cchCount2);
    for (SIZE_T i = 0; i < count1 && i < count2; i++) {
        WCHAR one = bIgnoreCase ? win__upper(lpString1[i]) : lpString1[i];
        WCHAR other = bIgnoreCase ? win__upper(lpString2[i]) : lpString2[i];
        if (one != other)
            return one < other ? CSTR_LESS_THAN : CSTR_GREATER_THAN;
    }
    return result_of((count1 > count2) - (count1 < count2));
}

/* ---- Whole strings; NULL comes first ------------------------------------------------------- */

static INT compare_wide(LPCWSTR one, LPCWSTR other, DWORD flags)
{
    if (!one || !other)
        return (one != NULL) - (other != NULL);
    return win__collate(one, win__wide_length(one), other, win__wide_length(other), flags);
}

static INT compare_bytes(LPCSTR one, LPCSTR other, DWORD flags)
{
    if (!one || !other)
        return (one != NULL) - (other != NULL);
    INT result = CompareStringA(LOCALE_USER_DEFAULT, flags, one, -1, other, -1);
    return result ? result - CSTR_EQUAL : strcmp(one, other); /* no memory: at least some order */
}

INT WINAPI lstrcmpW(LPCWSTR str1, LPCWSTR str2)
{
    return compare_wide(str1, str2, 0);
}

INT WINAPI lstrcmpiW(LPCWSTR str1, LPCWSTR str2)
{
    return compare_wide(str1, str2, NORM_IGNORECASE);
}

INT WINAPI lstrcmpA(LPCSTR str1, LPCSTR str2)
{
    return compare_bytes(str1, str2, 0);
}

INT WINAPI lstrcmpiA(LPCSTR str1, LPCSTR str2)
{
    return compare_bytes(str1, str2, NORM_IGNORECASE);
}
