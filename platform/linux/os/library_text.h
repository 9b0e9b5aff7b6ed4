/* SPDX-License-Identifier: MIT
 *
 * library_text.h - where this library's own code lies.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_LIBRARY_TEXT_H
#define UMSSHIM_PLATFORM_LINUX_OS_LIBRARY_TEXT_H

#include <stdbool.h>

/* The linker's names for the two ends of the library's code. */
extern const char library_start[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern const char library_end[] __asm__("etext") __attribute__((visibility("hidden")));
static inline bool library_holds(const void *code)
{
    return (const char *)code >= library_start && (const char *)code < library_end;
}

#endif
