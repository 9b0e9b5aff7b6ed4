/* SPDX-License-Identifier: MIT
 *
 * umsshim_crt.h - what the C run-time headers here share: errno_t, and the end of a program that
 * hands a function a parameter it must not have.
 *
 * On Windows the secure functions call a handler, which ends the process unless the program has set
 * one of its own. Here there is none to set: a line on stderr, and SIGABRT.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_CRT_H
#define UMSSHIM_CRT_H

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "umsshim_msvc.h"

typedef int errno_t;
typedef size_t rsize_t;

#define _TRUNCATE ((size_t)-1)
#define STRUNCATE 80

static inline void umsshim_require(int holds, const char *function)
{
    static const char text[] = ": invalid parameter\n";

    if (holds)
        return;
    if (write(2, function, __builtin_strlen(function)) < 0 || write(2, text, sizeof(text) - 1) < 0)
        __builtin_abort();
    __builtin_abort();
}

#endif
