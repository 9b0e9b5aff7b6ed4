/* SPDX-License-Identifier: MIT
 *
 * printing.h - printf's formats as Windows has them, for 8-bit or 16-bit text.
 *
 * Windows' formats differ: %s and %c take text of the format's own width, and %S and %C of the
 * other one, unless h or l before them says which; a long has 32 bits; I64, I32 and I are sizes.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PRINTING_H
#define UMSSHIM_WINAPI_LINUX_PRINTING_H

#include <stdarg.h>

#include "winapi/linux/surface.h"

struct printing {
    bool wide;     /* whether format and result are of 16 bits */
    bool user32;   /* wsprintf's dialect: no plus, no blank, no star, no fractions */
    bool longs;    /* a long has 64 bits, as in the program */
    void *to;      /* gets the text that fits, without a zero at the end */
    size_t room;   /* in units */
    size_t length; /* of the whole text, with the part that does not fit */
    bool failed;   /* no memory */
};

void win__print(struct printing *out, const void *format, va_list *arguments);

#endif
