/* SPDX-License-Identifier: MIT
 *
 * message.h - message definitions with inserts, turned into text.
 */
#ifndef UMSSHIM_WINAPI_LINUX_MESSAGE_H
#define UMSSHIM_WINAPI_LINUX_MESSAGE_H

#include <stdarg.h>

#include "winapi/linux/surface.h"

enum { MESSAGE_MAX = 65535 };

struct inserts {
    const DWORD_PTR *array; /* FORMAT_MESSAGE_ARGUMENT_ARRAY */
    va_list *list;          /* else */
    DWORD_PTR taken[99];    /* what has been read from the list so far */
    int taken_count;
    bool wide; /* strings are 16-bit unless the format says otherwise */
};

/* In malloc's memory, for the caller to free, with its length; or NULL and *error. */
char *win__format_message(const char *definition, DWORD flags, struct inserts *inserts,
                          SIZE_T *length, DWORD *error);

#endif
