/* SPDX-License-Identifier: MIT
 *
 * message.h - message definitions with inserts, made into text.
 */
#ifndef UMSSHIM_WINAPI_LINUX_MESSAGE_H
#define UMSSHIM_WINAPI_LINUX_MESSAGE_H

#include <stdarg.h>

#include "winapi/linux/surface.h"

enum { MESSAGE_MAX = 65535 };

struct inserts {
    const DWORD_PTR *array; /* FORMAT_MESSAGE_ARGUMENT_ARRAY */
    va_list *list;          /* without that flag */
    DWORD_PTR taken[99];    /* the arguments read from the list so far */
    int taken_count;
    bool wide; /* strings are 16-bit, unless the format says otherwise */
};

/* The text in malloc's memory, which the caller frees, and its length. NULL with *error. */
char *win__format_message(const char *definition, DWORD flags, struct inserts *inserts,
                          SIZE_T *length, DWORD *error);

#endif
