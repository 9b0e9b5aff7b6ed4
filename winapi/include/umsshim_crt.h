/* SPDX-License-Identifier: MIT
 *
 * umsshim_crt.h - shared by the C run-time headers here: errno_t, and the program's handler for
 * invalid parameters.
 *
 * Without a handler a line on stderr names the function, and SIGABRT ends the program. A handler
 * that returns makes the function fail. The program has one handler. A shared library that hides
 * its symbols has its own.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_CRT_H
#define UMSSHIM_CRT_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "umsshim_msvc.h"

typedef int errno_t;
typedef size_t rsize_t;

#define _TRUNCATE ((size_t)-1)
#define STRUNCATE 80

typedef void (*_invalid_parameter_handler)(const wchar_t *expression, const wchar_t *function,
                                           const wchar_t *file, unsigned line, uintptr_t reserved);

#ifdef __cplusplus
extern "C" {
#endif
/* Sets the process's handler and returns the former one; NULL: none. Any thread may call these at
 * any time. Weak: a program built of the headers alone has no handler. */
_invalid_parameter_handler _set_invalid_parameter_handler(_invalid_parameter_handler handler);
__attribute__((__weak__)) _invalid_parameter_handler _get_invalid_parameter_handler(void);
#ifdef __cplusplus
}
#endif

/* Calls the handler, and returns if the handler does. The handler gets no names, as from
 * Microsoft's release libraries. */
static inline void umsshim_invalid(const char *function, int error)
{
    static const char text[] = ": invalid parameter\n";
    _invalid_parameter_handler handler = NULL;

    if (_get_invalid_parameter_handler)
        handler = _get_invalid_parameter_handler();

    if (handler) {
        handler(NULL, NULL, NULL, 0, 0);
        errno = error;
        return;
    }
    if (write(2, function, __builtin_strlen(function)) < 0 || write(2, text, sizeof(text) - 1) < 0)
        __builtin_abort();
    __builtin_abort();
}

/* If `holds` is false, makes the calling function return `result`. */
#define umsshim_require(holds, function, error, result)                                            \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            umsshim_invalid((function), (error));                                                  \
            return (result);                                                                       \
        }                                                                                          \
    } while (0)

#endif
