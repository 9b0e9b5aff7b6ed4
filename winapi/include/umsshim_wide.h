/* SPDX-License-Identifier: MIT
 *
 * umsshim_wide.h - for a wchar_t of 16 bits (-fshort-wchar), as in a Unicode build of Windows: a
 * program gets libumsshim.so's functions on wide text, because libc's take 32-bit text.
 *
 * umsshim_msvc.h includes this header before all else, so it declares no function: each keeps
 * libc's declaration and gets another name for the linker. The second list has functions that the
 * library lacks: a program that calls one does not link, and the linker's message has the name.
 */
#ifndef UMSSHIM_WIDE_H
#define UMSSHIM_WIDE_H

/* Tells Wine's headers that WCHAR is wchar_t. */
#ifndef WINE_UNICODE_NATIVE
#define WINE_UNICODE_NATIVE
#endif

#ifdef __cplusplus
/* libstdc++.so has the templates of strings compiled for a wchar_t of 32 bits. With -1 the compiler
 * makes them anew in the program. */
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
/* libstdc++'s wide streams cannot work: a program that uses one does not link. */
#define wcin umsshim_has_no_wcin
#define wcout umsshim_has_no_wcout
#define wcerr umsshim_has_no_wcerr
#define wclog umsshim_has_no_wclog
#endif

#pragma redefine_extname wcslen umsshim_w_wcslen
#pragma redefine_extname wcsnlen umsshim_w_wcsnlen
#pragma redefine_extname wcscpy umsshim_w_wcscpy
#pragma redefine_extname wcpcpy umsshim_w_wcpcpy
#pragma redefine_extname wcsncpy umsshim_w_wcsncpy
#pragma redefine_extname wcscat umsshim_w_wcscat
#pragma redefine_extname wcsncat umsshim_w_wcsncat
#pragma redefine_extname wcscmp umsshim_w_wcscmp
#pragma redefine_extname wcsncmp umsshim_w_wcsncmp
#pragma redefine_extname wcscasecmp umsshim_w_wcscasecmp
#pragma redefine_extname wcsncasecmp umsshim_w_wcsncasecmp
#pragma redefine_extname wcscoll umsshim_w_wcscoll
#pragma redefine_extname wcschr umsshim_w_wcschr
#pragma redefine_extname wcsrchr umsshim_w_wcsrchr
#pragma redefine_extname wcsstr umsshim_w_wcsstr
#pragma redefine_extname wcspbrk umsshim_w_wcspbrk
#pragma redefine_extname wcsspn umsshim_w_wcsspn
#pragma redefine_extname wcscspn umsshim_w_wcscspn
#pragma redefine_extname wcstok umsshim_w_wcstok
#pragma redefine_extname wcsdup umsshim_w_wcsdup
#pragma redefine_extname wmemcpy umsshim_w_wmemcpy
#pragma redefine_extname wmemmove umsshim_w_wmemmove
#pragma redefine_extname wmemset umsshim_w_wmemset
#pragma redefine_extname wmemcmp umsshim_w_wmemcmp
#pragma redefine_extname wmemchr umsshim_w_wmemchr
#pragma redefine_extname wcstol umsshim_w_wcstol
#pragma redefine_extname wcstoul umsshim_w_wcstoul
#pragma redefine_extname wcstoll umsshim_w_wcstoll
#pragma redefine_extname wcstoull umsshim_w_wcstoull
#pragma redefine_extname wcstod umsshim_w_wcstod
#pragma redefine_extname wcstof umsshim_w_wcstof
#pragma redefine_extname wcstold umsshim_w_wcstold
#pragma redefine_extname mbstowcs umsshim_w_mbstowcs
#pragma redefine_extname wcstombs umsshim_w_wcstombs
#pragma redefine_extname mbtowc umsshim_w_mbtowc
#pragma redefine_extname wctomb umsshim_w_wctomb
#pragma redefine_extname wcsftime umsshim_w_wcsftime
#pragma redefine_extname vfwprintf umsshim_w_vfwprintf
#pragma redefine_extname vwprintf umsshim_w_vwprintf
#pragma redefine_extname fwprintf umsshim_w_fwprintf
#pragma redefine_extname wprintf umsshim_w_wprintf
#pragma redefine_extname vswprintf umsshim_w_vswprintf
#pragma redefine_extname swprintf umsshim_w_swprintf
#pragma redefine_extname vfprintf umsshim_w_vfprintf
#pragma redefine_extname vprintf umsshim_w_vprintf
#pragma redefine_extname fprintf umsshim_w_fprintf
#pragma redefine_extname printf umsshim_w_printf
#pragma redefine_extname vsnprintf umsshim_w_vsnprintf
#pragma redefine_extname snprintf umsshim_w_snprintf
#pragma redefine_extname vsprintf umsshim_w_vsprintf
#pragma redefine_extname sprintf umsshim_w_sprintf
#pragma redefine_extname fputwc umsshim_w_fputwc
#pragma redefine_extname putwchar umsshim_w_putwchar
#pragma redefine_extname fputws umsshim_w_fputws
#pragma redefine_extname fgetwc umsshim_w_fgetwc
#pragma redefine_extname getwchar umsshim_w_getwchar
#pragma redefine_extname fgetws umsshim_w_fgetws
#pragma redefine_extname ungetwc umsshim_w_ungetwc
#pragma redefine_extname fwide umsshim_w_fwide
#pragma redefine_extname putwc umsshim_w_fputwc
#pragma redefine_extname getwc umsshim_w_fgetwc

/* ---- Functions that the library lacks -------------------------------------------------------- */

#pragma redefine_extname wcpncpy umsshim_w_wcpncpy
#pragma redefine_extname wmempcpy umsshim_w_wmempcpy
#pragma redefine_extname wcschrnul umsshim_w_wcschrnul
#pragma redefine_extname wcswcs umsshim_w_wcswcs
#pragma redefine_extname wcsxfrm umsshim_w_wcsxfrm
#pragma redefine_extname wcswidth umsshim_w_wcswidth
#pragma redefine_extname wcstoimax umsshim_w_wcstoimax
#pragma redefine_extname wcstoumax umsshim_w_wcstoumax
#pragma redefine_extname mbrtowc umsshim_w_mbrtowc
#pragma redefine_extname wcrtomb umsshim_w_wcrtomb
#pragma redefine_extname mbsrtowcs umsshim_w_mbsrtowcs
#pragma redefine_extname wcsrtombs umsshim_w_wcsrtombs
#pragma redefine_extname mbsnrtowcs umsshim_w_mbsnrtowcs
#pragma redefine_extname wcsnrtombs umsshim_w_wcsnrtombs
#pragma redefine_extname wscanf umsshim_w_wscanf
#pragma redefine_extname fwscanf umsshim_w_fwscanf
#pragma redefine_extname swscanf umsshim_w_swscanf
#pragma redefine_extname vwscanf umsshim_w_vwscanf
#pragma redefine_extname vfwscanf umsshim_w_vfwscanf
#pragma redefine_extname vswscanf umsshim_w_vswscanf
#pragma redefine_extname open_wmemstream umsshim_w_open_wmemstream
#pragma redefine_extname fgetwc_unlocked umsshim_w_fgetwc_unlocked
#pragma redefine_extname getwc_unlocked umsshim_w_getwc_unlocked
#pragma redefine_extname getwchar_unlocked umsshim_w_getwchar_unlocked
#pragma redefine_extname fputwc_unlocked umsshim_w_fputwc_unlocked
#pragma redefine_extname putwc_unlocked umsshim_w_putwc_unlocked
#pragma redefine_extname putwchar_unlocked umsshim_w_putwchar_unlocked
#pragma redefine_extname fgetws_unlocked umsshim_w_fgetws_unlocked
#pragma redefine_extname fputws_unlocked umsshim_w_fputws_unlocked
#pragma redefine_extname wcscoll_l umsshim_w_wcscoll_l
#pragma redefine_extname wcscasecmp_l umsshim_w_wcscasecmp_l
#pragma redefine_extname wcsncasecmp_l umsshim_w_wcsncasecmp_l
#pragma redefine_extname wcsxfrm_l umsshim_w_wcsxfrm_l
#pragma redefine_extname wcstol_l umsshim_w_wcstol_l
#pragma redefine_extname wcstoul_l umsshim_w_wcstoul_l
#pragma redefine_extname wcstoll_l umsshim_w_wcstoll_l
#pragma redefine_extname wcstoull_l umsshim_w_wcstoull_l
#pragma redefine_extname wcstod_l umsshim_w_wcstod_l
#pragma redefine_extname wcstof_l umsshim_w_wcstof_l
#pragma redefine_extname wcstold_l umsshim_w_wcstold_l
#pragma redefine_extname wcsftime_l umsshim_w_wcsftime_l

#endif
