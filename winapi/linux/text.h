/* SPDX-License-Identifier: MIT
 *
 * text.h - between the 16-bit text of the W calls and the UTF-8 that everything else here speaks.
 */
#ifndef UMSSHIM_WINAPI_LINUX_TEXT_H
#define UMSSHIM_WINAPI_LINUX_TEXT_H

#include "winapi/linux/surface.h"

SIZE_T win__wide_length(const WCHAR *wide);

/* The text in malloc's memory, for the caller to free; NULL: no memory. Invalid text becomes
 * U+FFFD. The length, without the zero that is always added, goes to *length unless that is NULL.
 * */
char *win__narrow(const WCHAR *wide, SIZE_T units, SIZE_T *length);
WCHAR *win__widen(const char *narrow, SIZE_T bytes, SIZE_T *length);

#endif
