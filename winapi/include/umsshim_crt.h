/* SPDX-License-Identifier: MIT
 *
 * umsshim_crt.h - what the C run-time headers here share: errno_t, and the program's handler for a
 * parameter that a function must not have.
 *
 * Without a handler a line on stderr says which function it was, and SIGABRT ends the program. A
 * handler that returns makes the function fail. The handler is the program's; a shared library that
 * hides its symbols has one of its own.
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
/* The process's: from any thread, at any time. The former one is returned; NULL is none. Weak: what
 * is built of the headers alone has no handler. */
_invalid_parameter_handler _set_invalid_parameter_handler(_invalid_parameter_handler handler);
__attribute__((__weak__)) _invalid_parameter_handler _get_invalid_parameter_handler(void);
#ifdef __cplusplus
}
#endif

/* Returns where there is a handler, and it does. It is told no names, as in Microsoft's libraries
 * but for debugging. */
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

/* Returns `result` from the function that it stands in where the parameters are not as they must
 * be. */
#define umsshim_require(holds, function, error, result)                                            \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            umsshim_invalid((function), (error));                                                  \
            return (result);                                                                       \
        }                                                                                          \
    } while (0)

#endif
