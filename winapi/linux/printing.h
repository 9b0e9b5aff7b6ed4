/* SPDX-License-Identifier: MIT
 *
 * printing.h - formats in the manner of Windows, over 8-bit or 16-bit text.
 *
 * Of Windows' manner are: %s and %c take text of the format's own width, %S and %C of the other
 * one, h and l before any of them say which; a long has 32 bits; I64, I32 and I are sizes.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PRINTING_H
#define UMSSHIM_WINAPI_LINUX_PRINTING_H

#include <stdarg.h>

#include "winapi/linux/surface.h"

struct printing {
    bool wide;     /* the format, and the text that is made */
    bool user32;   /* wsprintf's dialect: no plus, no blank, no star, no fractions */
    bool longs;    /* a long has 64 bits, as the program's own */
    void *to;      /* takes what fits, never a zero at the end */
    size_t room;   /* in units */
    size_t length; /* of the whole text; what is behind the room is only counted */
    bool failed;   /* no memory */
};

void win__print(struct printing *out, const void *format, va_list *arguments);

#endif
