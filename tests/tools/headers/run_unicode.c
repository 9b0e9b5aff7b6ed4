/* SPDX-License-Identifier: MIT
 *
 * run_unicode.c - the generic names with UNICODE: text is made of 16-bit units.
 */
#ifndef UNICODE
#define UNICODE
#endif
#ifndef _UNICODE
#define _UNICODE
#endif
#include <windows.h>

#include <tchar.h>

C_ASSERT(sizeof(TCHAR) == 2);
C_ASSERT(sizeof(TEXT("ab")) == 6);

int main(void)
{
    TCHAR text[8];

    _tcscpy_s(text, _countof(text), _T("ab"));
    _tcscat_s(text, _countof(text), TEXT("17"));
    return !(_tcslen(text) == 4 && _tcscmp(text, _T("ab17")) == 0 && _tcscmp(text, _T("ab2")) < 0 &&
             _ttoi(text + 2) == 17 && _tcschr(text, '1') == text + 2);
}
