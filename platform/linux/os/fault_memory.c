/* SPDX-License-Identifier: MIT
 *
 * fault_memory.c - libc's memory functions in a checked build: the linker redirects the library's
 * calls here (--wrap, cmake/linux.cmake).
 */
#include <stddef.h>

#include "platform/linux/os/fault_points.h"

#define STANDS_BEFORE(type, name, parameters, arguments)                                           \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        return fault_asked(FAULT_MEMORY, 0) ? NULL : __real_##name arguments;                      \
    }

STANDS_BEFORE(void *, malloc, (size_t bytes), (bytes))
STANDS_BEFORE(void *, calloc, (size_t count, size_t bytes), (count, bytes))
STANDS_BEFORE(void *, realloc, (void *block, size_t bytes), (block, bytes))
STANDS_BEFORE(char *, strdup, (const char *text), (text))
STANDS_BEFORE(char *, strndup, (const char *text, size_t bytes), (text, bytes))
