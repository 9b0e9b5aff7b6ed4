/* SPDX-License-Identifier: MIT
 *
 * wide.h - the C run-time library's functions on 16-bit text, for programs that are compiled with
 * -fshort-wchar. Such a program calls wcslen by the name umsshim_w_wcslen
 * (winapi/include/umsshim_wide.h).
 *
 * Text has 16-bit units in memory, and is UTF-8 in files and on terminals, whatever the locale.
 */
#ifndef UMSSHIM_WINAPI_LINUX_WIDE_H
#define UMSSHIM_WINAPI_LINUX_WIDE_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <wchar.h>

#include "winapi/linux/surface.h"

#pragma GCC visibility push(default) /* umsshim.map has the last word */

/* In wide_string.c: */
size_t umsshim_w_wcslen(const WCHAR *string);
size_t umsshim_w_wcsnlen(const WCHAR *string, size_t most);
WCHAR *umsshim_w_wcscpy(WCHAR *to, const WCHAR *from);
WCHAR *umsshim_w_wcpcpy(WCHAR *to, const WCHAR *from);
WCHAR *umsshim_w_wcsncpy(WCHAR *to, const WCHAR *from, size_t count);
WCHAR *umsshim_w_wcscat(WCHAR *to, const WCHAR *from);
WCHAR *umsshim_w_wcsncat(WCHAR *to, const WCHAR *from, size_t count);
int umsshim_w_wcscmp(const WCHAR *left, const WCHAR *right);
int umsshim_w_wcsncmp(const WCHAR *left, const WCHAR *right, size_t count);
int umsshim_w_wcscasecmp(const WCHAR *left, const WCHAR *right);
int umsshim_w_wcsncasecmp(const WCHAR *left, const WCHAR *right, size_t count);
int umsshim_w_wcscoll(const WCHAR *left, const WCHAR *right);
WCHAR *umsshim_w_wcschr(const WCHAR *string, WCHAR wanted);
WCHAR *umsshim_w_wcsrchr(const WCHAR *string, WCHAR wanted);
WCHAR *umsshim_w_wcsstr(const WCHAR *string, const WCHAR *wanted);
WCHAR *umsshim_w_wcspbrk(const WCHAR *string, const WCHAR *set);
size_t umsshim_w_wcsspn(const WCHAR *string, const WCHAR *set);
size_t umsshim_w_wcscspn(const WCHAR *string, const WCHAR *set);
WCHAR *umsshim_w_wcstok(WCHAR *string, const WCHAR *set, WCHAR **rest);
WCHAR *umsshim_w_wcsdup(const WCHAR *string);
WCHAR *umsshim_w_wmemcpy(WCHAR *to, const WCHAR *from, size_t count);
WCHAR *umsshim_w_wmemmove(WCHAR *to, const WCHAR *from, size_t count);
WCHAR *umsshim_w_wmemset(WCHAR *to, WCHAR value, size_t count);
int umsshim_w_wmemcmp(const WCHAR *left, const WCHAR *right, size_t count);
WCHAR *umsshim_w_wmemchr(const WCHAR *from, WCHAR wanted, size_t count);

/* In wide_number.c: */
long umsshim_w_wcstol(const WCHAR *string, WCHAR **end, int base);
unsigned long umsshim_w_wcstoul(const WCHAR *string, WCHAR **end, int base);
long long umsshim_w_wcstoll(const WCHAR *string, WCHAR **end, int base);
unsigned long long umsshim_w_wcstoull(const WCHAR *string, WCHAR **end, int base);
double umsshim_w_wcstod(const WCHAR *string, WCHAR **end);
float umsshim_w_wcstof(const WCHAR *string, WCHAR **end);
long double umsshim_w_wcstold(const WCHAR *string, WCHAR **end);
size_t umsshim_w_mbstowcs(WCHAR *to, const char *from, size_t count);
size_t umsshim_w_wcstombs(char *to, const WCHAR *from, size_t count);
int umsshim_w_mbtowc(WCHAR *to, const char *from, size_t count);
int umsshim_w_wctomb(char *to, WCHAR value);
size_t umsshim_w_wcsftime(WCHAR *to, size_t size, const WCHAR *format, const struct tm *date);

/* In wide_print.c: */
int umsshim_w_vfwprintf(FILE *file, const WCHAR *format, va_list arguments);
int umsshim_w_vwprintf(const WCHAR *format, va_list arguments);
int umsshim_w_fwprintf(FILE *file, const WCHAR *format, ...);
int umsshim_w_wprintf(const WCHAR *format, ...);
int umsshim_w_vswprintf(WCHAR *to, size_t size, const WCHAR *format, va_list arguments);
int umsshim_w_swprintf(WCHAR *to, size_t size, const WCHAR *format, ...);
/* Only counts the units of the text. */
int umsshim_w_vscwprintf(const WCHAR *format, va_list arguments);
int umsshim_w_vfprintf(FILE *file, const char *format, va_list arguments);
int umsshim_w_vprintf(const char *format, va_list arguments);
int umsshim_w_fprintf(FILE *file, const char *format, ...);
int umsshim_w_printf(const char *format, ...);
int umsshim_w_vsnprintf(char *to, size_t size, const char *format, va_list arguments);
int umsshim_w_snprintf(char *to, size_t size, const char *format, ...);
int umsshim_w_vsprintf(char *to, const char *format, va_list arguments);
int umsshim_w_sprintf(char *to, const char *format, ...);

/* In wide_stream.c: */
wint_t umsshim_w_fputwc(WCHAR value, FILE *file);
wint_t umsshim_w_putwchar(WCHAR value);
int umsshim_w_fputws(const WCHAR *string, FILE *file);
wint_t umsshim_w_fgetwc(FILE *file);
wint_t umsshim_w_getwchar(void);
WCHAR *umsshim_w_fgetws(WCHAR *to, int size, FILE *file);
wint_t umsshim_w_ungetwc(wint_t value, FILE *file);
int umsshim_w_fwide(FILE *file, int mode);

#pragma GCC visibility pop

#endif
