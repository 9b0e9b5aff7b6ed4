/* SPDX-License-Identifier: MIT
 *
 * dos_date.c - MS-DOS dates and times: two 16-bit words, from 1980 to 2107, in steps of two
 * seconds.
 */
#include "winapi/linux/calendar.h"

BOOL WINAPI FileTimeToDosDateTime(const FILETIME *lpFileTime, LPWORD lpFatDate, LPWORD lpFatTime)
{
    SYSTEMTIME date;
    if (!FileTimeToSystemTime(lpFileTime, &date))
        return FALSE;
    if (date.wYear < 1980 || date.wYear > 2107)
        return win__fail(ERROR_INVALID_PARAMETER);
    *lpFatDate = (WORD)((date.wYear - 1980) << 9 | date.wMonth << 5 | date.wDay);
    *lpFatTime = (WORD)(date.wHour << 11 | date.wMinute << 5 | date.wSecond / 2);
    return TRUE;
}

BOOL WINAPI DosDateTimeToFileTime(WORD wFatDate, WORD wFatTime, LPFILETIME lpFileTime)
{
    SYSTEMTIME date = {
        .wYear = (WORD)(1980 + (wFatDate >> 9)),
        .wMonth = wFatDate >> 5 & 15,
        .wDay = wFatDate & 31,
        .wHour = wFatTime >> 11,
        .wMinute = wFatTime >> 5 & 63,
        .wSecond = (WORD)((wFatTime & 31) * 2),
    };
    return SystemTimeToFileTime(&date, lpFileTime);
}
