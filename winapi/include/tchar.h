/* SPDX-License-Identifier: MIT
 *
 * tchar.h - Wine's mappings with what it lacks, or umsshim_tchar.h's when _UNICODE is defined and a
 * wchar_t has 32 bits.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/tchar.h>
#elif defined(_MSC_VER)
#include_next <tchar.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <tchar.h>
#elif !defined(UMSSHIM_TCHAR_H)
#define UMSSHIM_TCHAR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "umsshim_msvc.h"

#if defined(_UNICODE) && __SIZEOF_WCHAR_T__ == 2
#include "umsshim_wide_crt.h"
#ifndef __TEXT
#define __TEXT(quote) L##quote
#endif
#ifndef _WCTYPE_T_DEFINED /* wctype_t is libc's */
#define _WCTYPE_T_DEFINED
#endif
#include_next <tchar.h>

/* Wine's names that stand for other functions than Microsoft's. */
#undef _putts
#undef _stprintf
#undef _vstprintf
#undef _tcstok
#define _putts _putws
#define _stprintf _swprintf
#define _vstprintf _vswprintf
#define _tcstok _wcstok

#define _ftprintf_s fwprintf_s
#define _sctprintf _scwprintf
#define _sntprintf_s _snwprintf_s
#define _stprintf_s swprintf_s
#define _tcsnccat_s wcsncat_s
#define _tcsnccpy_s wcsncpy_s
#define _tcstoi64 _wcstoi64
#define _tcstok_s wcstok_s
#define _tfopen_s _wfopen_s
#define _tprintf_s wprintf_s
#define _tputenv_s _wputenv_s
#define _tstof _wtof
#define _tstoi _wtoi
#define _tstoi64 _wtoi64
#define _tstol _wtol
#define _ttof _wtof
#define _ttoi64 _wtoi64
#define _tunlink _wunlink
#define _vsctprintf _vscwprintf
#define _vsntprintf_s _vsnwprintf_s
#define _vstprintf_s vswprintf_s
#elif defined(_UNICODE)
#include "umsshim_tchar.h"
#else
#ifndef __TEXT
#define __TEXT(quote) quote
#endif
#include_next <tchar.h>

/* Wine maps these two to libc's functions. Where the text does not fit, libc returns another count
 * than Windows, and ends the text with a zero where Windows does not. */
#undef _sntprintf
#undef _vsntprintf
#define _sntprintf _snprintf
#define _vsntprintf _vsnprintf

#define _ftprintf_s fprintf_s
#define _sntprintf_s _snprintf_s
#define _stprintf_s sprintf_s
#define _tasctime_s asctime_s
#define _tcserror strerror
#define _tcserror_s strerror_s
#define _tcsnccat_s strncat_s
#define _tcsnccpy_s strncpy_s
#define _tcstok_s strtok_s
#define _tctime_s ctime_s
#define _tdupenv_s _dupenv_s
#define _tfopen_s fopen_s
#define _tgetenv_s getenv_s
#define _tprintf_s printf_s
#define _tstof atof
#define _tstoi atoi
#define _tstoi64 _atoi64
#define _tstol atol
#define _ttoi64 _atoi64
#define _vsntprintf_s _vsnprintf_s
#define _vstprintf_s vsprintf_s
#endif

#endif
#endif /* _MSC_VER */
