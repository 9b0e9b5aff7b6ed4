/* SPDX-License-Identifier: MIT
 *
 * string_type.c - GetStringType, which gives the classes of a text's characters, and LCMapString,
 * which maps a text to upper or lower case. All locales are the same.
 */
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/letter.h"
#include "winapi/linux/text.h"

BOOL WINAPI GetStringTypeW(DWORD dwInfoType, LPCWSTR lpSrcStr, INT cchSrc, LPWORD lpCharType)
{
    if (!lpSrcStr || !lpCharType || !cchSrc || dwInfoType != CT_CTYPE1)
        return win__fail(ERROR_INVALID_PARAMETER);
    SIZE_T units = cchSrc < 0 ? win__wide_length(lpSrcStr) + 1 : (SIZE_T)cchSrc;
    for (SIZE_T i = 0; i < units; i++)
        lpCharType[i] = win__class(lpSrcStr[i]);
    return TRUE;
}

BOOL WINAPI GetStringTypeExW(LCID Locale, DWORD dwInfoType, LPCWSTR lpSrcStr, INT cchSrc,
                             LPWORD lpCharType)
{
    (void)Locale;
    return GetStringTypeW(dwInfoType, lpSrcStr, cchSrc, lpCharType);
}

/* Gives one word for each 16-bit unit of the text. */
BOOL WINAPI GetStringTypeExA(LCID Locale, DWORD dwInfoType, LPCSTR lpSrcStr, INT cchSrc,
                             LPWORD lpCharType)
{
    if (!lpSrcStr || !cchSrc)
        return win__fail(ERROR_INVALID_PARAMETER);
    SIZE_T units = cchSrc < 0 ? strlen(lpSrcStr) + 1 : (SIZE_T)cchSrc;
    WCHAR *wide = win__widen(lpSrcStr, units, &units);
    if (!wide)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    BOOL done = GetStringTypeExW(Locale, dwInfoType, wide, (INT)units, lpCharType);
    free(wide);
    return done;
}

BOOL WINAPI GetStringTypeA(LCID Locale, DWORD dwInfoType, LPCSTR lpSrcStr, INT cchSrc,
                           LPWORD lpCharType)
{
    return GetStringTypeExA(Locale, dwInfoType, lpSrcStr, cchSrc, lpCharType);
}

/* ---- Case ---------------------------------------------------------------------------------- */

INT WINAPI LCMapStringW(LCID Locale, DWORD dwMapFlags, LPCWSTR lpSrcStr, INT cchSrc,
                        LPWSTR lpDestStr, INT cchDest)
{
    (void)Locale;
    DWORD which = dwMapFlags & ~(DWORD)LCMAP_LINGUISTIC_CASING;
    if (!lpSrcStr || !cchSrc || cchDest < 0 || (cchDest && !lpDestStr))
        return win__fail(ERROR_INVALID_PARAMETER);
    if (which != LCMAP_UPPERCASE && which != LCMAP_LOWERCASE)
        return win__fail(ERROR_INVALID_FLAGS);
    SIZE_T units = cchSrc < 0 ? win__wide_length(lpSrcStr) + 1 : (SIZE_T)cchSrc;
    if (cchDest && (SIZE_T)cchDest < units)
        return win__fail(ERROR_INSUFFICIENT_BUFFER);
    for (SIZE_T i = 0; cchDest && i < units; i++)
        lpDestStr[i] = which == LCMAP_UPPERCASE ? win__upper(lpSrcStr[i]) : win__lower(lpSrcStr[i]);
    return (INT)units;
}

INT WINAPI LCMapStringA(LCID Locale, DWORD dwMapFlags, LPCSTR lpSrcStr, INT cchSrc, LPSTR lpDestStr,
                        INT cchDest)
{
    if (!lpSrcStr || !cchSrc || cchDest < 0 || (cchDest && !lpDestStr))
        return win__fail(ERROR_INVALID_PARAMETER);
    SIZE_T units = cchSrc < 0 ? strlen(lpSrcStr) + 1 : (SIZE_T)cchSrc, bytes;
    WCHAR *wide = win__widen(lpSrcStr, units, &units);
    if (!wide)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    char *narrow = NULL;
    INT result = LCMapStringW(Locale, dwMapFlags, wide, (INT)units, wide, (INT)units);
    if (result && !(narrow = win__narrow(wide, units, &bytes)))
        result = win__fail(ERROR_NOT_ENOUGH_MEMORY);
    if (result && cchDest && (SIZE_T)cchDest < bytes)
        result = win__fail(ERROR_INSUFFICIENT_BUFFER);
    if (result && cchDest)
        memcpy(lpDestStr, narrow, bytes);
    free(narrow);
    free(wide);
    return result ? (INT)bytes : 0;
}
