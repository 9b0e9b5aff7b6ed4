/* SPDX-License-Identifier: MIT
 *
 * conversion.c - MultiByteToWideChar and WideCharToMultiByte, and the properties of a code page.
 *
 * The program's own page (CP_ACP, CP_OEMCP) is UTF-8, as with a manifest that asks for it.
 */
#include <limits.h>
#include <string.h>

#include "winapi/linux/code_page.h"
#include "winapi/linux/text.h"

/* Where units are written. Past the room, or without a buffer, they are only counted. */
struct sink {
    void *to;
    size_t room, count;
    bool full;
};

static void put_units(struct sink *sink, const void *units, size_t count, size_t size)
{
    sink->full |= sink->room && count > sink->room - sink->count;
    if (sink->room && !sink->full)
        memcpy((char *)sink->to + sink->count * size, units, count * size);
    sink->count += count;
}

/* A conversion's return value; a failure sets the last error. */
static int counted(const struct sink *sink)
{
    if (sink->full)
        return win__fail(ERROR_INSUFFICIENT_BUFFER);
    if (sink->count > INT_MAX)
        return win__fail(ERROR_INVALID_PARAMETER);
    return (int)sink->count;
}

static bool good_buffers(const void *from, int length, const void *to, int room)
{
    return from && length && room >= 0 && (to || !room) && from != to;
}

int WINAPI MultiByteToWideChar(UINT CodePage, DWORD dwFlags, LPCSTR lpMultiByteStr, int cbMultiByte,
                               LPWSTR lpWideCharStr, int cchWideChar)
{
    UINT number = win__page_number(CodePage);
    DWORD known = number == CP_UTF8 ? MB_ERR_INVALID_CHARS : MB_ERR_INVALID_CHARS | MB_PRECOMPOSED;
    if (!good_buffers(lpMultiByteStr, cbMultiByte, lpWideCharStr, cchWideChar))
        return win__fail(ERROR_INVALID_PARAMETER);
    const struct code_page *page = number == CP_UTF8 ? NULL : win__code_page(number);
    if (number != CP_UTF8 && !page)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (dwFlags & ~known)
        return win__fail(ERROR_INVALID_FLAGS);
    struct sink sink = {lpWideCharStr, (size_t)cchWideChar, 0, false};
    const unsigned char *at = (const unsigned char *)lpMultiByteStr;
    const unsigned char *end =
        at + (cbMultiByte < 0 ? strlen(lpMultiByteStr) + 1 : (size_t)cbMultiByte);
    while (at < end) {
        uint32_t point = page ? page->points[*at++] : win__next_of_utf8(&at, end);
        if (point == BAD_POINT && dwFlags & MB_ERR_INVALID_CHARS)
            return win__fail(ERROR_NO_UNICODE_TRANSLATION);
        WCHAR units[2];
        unsigned count = win__put_utf16(units, point == BAD_POINT ? REPLACEMENT_POINT : point);
        put_units(&sink, units, count, sizeof *units);
    }
    return counted(&sink);
}

static int to_utf8(const WCHAR *at, const WCHAR *end, bool strict, struct sink *sink)
{
    while (at < end) {
        uint32_t point = win__next_of_utf16(&at, end);
        if (point == BAD_POINT && strict)
            return win__fail(ERROR_NO_UNICODE_TRANSLATION);
        char bytes[MOST_UTF8];
        unsigned count = win__put_utf8(bytes, point == BAD_POINT ? REPLACEMENT_POINT : point);
        put_units(sink, bytes, count, 1);
    }
    return counted(sink);
}

int WINAPI WideCharToMultiByte(UINT CodePage, DWORD dwFlags, LPCWSTR lpWideCharStr, int cchWideChar,
                               LPSTR lpMultiByteStr, int cbMultiByte, LPCSTR lpDefaultChar,
                               LPBOOL lpUsedDefaultChar)
{
    enum { COMPOSITES = WC_COMPOSITECHECK | WC_DISCARDNS | WC_SEPCHARS | WC_DEFAULTCHAR };
    UINT number = win__page_number(CodePage);
    bool utf8 = number == CP_UTF8;
    if (!good_buffers(lpWideCharStr, cchWideChar, lpMultiByteStr, cbMultiByte))
        return win__fail(ERROR_INVALID_PARAMETER);
    if (utf8 && (lpDefaultChar || lpUsedDefaultChar))
        return win__fail(ERROR_INVALID_PARAMETER);
    const struct code_page *page = utf8 ? NULL : win__code_page(number);
    if (!utf8 && !page)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (dwFlags & ~(DWORD)(utf8 ? WC_ERR_INVALID_CHARS : COMPOSITES | WC_NO_BEST_FIT_CHARS))
        return win__fail(ERROR_INVALID_FLAGS);
    struct sink sink = {lpMultiByteStr, (size_t)cbMultiByte, 0, false};
    const WCHAR *at = lpWideCharStr;
    const WCHAR *end =
        at + (cchWideChar < 0 ? win__wide_length(lpWideCharStr) + 1 : (size_t)cchWideChar);
    if (utf8)
        return to_utf8(at, end, dwFlags & WC_ERR_INVALID_CHARS, &sink);
    BOOL used_default = FALSE;
    for (; at < end; at++) { /* each half of a surrogate pair is a character that the page lacks */
        int byte = win__byte_of(page, *at);
        used_default |= byte < 0;
        char put = byte < 0 ? lpDefaultChar ? *lpDefaultChar : '?' : (char)byte;
        put_units(&sink, &put, 1, 1);
    }
    if (lpUsedDefaultChar)
        *lpUsedDefaultChar = used_default;
    return counted(&sink);
}

/* ---- Pages --------------------------------------------------------------------------------- */

UINT WINAPI GetACP(VOID)
{
    return CP_UTF8;
}

UINT WINAPI GetOEMCP(VOID)
{
    return CP_UTF8;
}

BOOL WINAPI IsValidCodePage(UINT CodePage)
{
    return win__page_known(CodePage);
}

BOOL WINAPI GetCPInfo(UINT CodePage, LPCPINFO lpCPInfo)
{
    UINT number = win__page_number(CodePage);
    if (!lpCPInfo || !win__page_known(number))
        return win__fail(ERROR_INVALID_PARAMETER);
    *lpCPInfo = (CPINFO){.MaxCharSize = number == CP_UTF8 ? MOST_UTF8 : 1, .DefaultChar = "?"};
    return TRUE;
}

/* No page here has characters of two bytes. As on Windows, bytes of UTF-8 do not count. */
BOOL WINAPI IsDBCSLeadByte(BYTE TestChar)
{
    (void)TestChar;
    return FALSE;
}

BOOL WINAPI IsDBCSLeadByteEx(UINT CodePage, BYTE TestChar)
{
    (void)TestChar;
    return win__page_known(win__page_number(CodePage)) ? FALSE : win__fail(ERROR_INVALID_PARAMETER);
}
