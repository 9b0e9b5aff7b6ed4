/* SPDX-License-Identifier: MIT
 *
 * module_name.h - whether the module that the loader tells of has a certain name.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_MODULE_NAME_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_MODULE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>
#include <winternl.h>

/* Calls no function. `wanted` is ASCII in lower case. */
static inline bool module_name_is(const UNICODE_STRING *name, const wchar_t *wanted)
{
    size_t length = name->Length / sizeof *wanted, i = 0;
    for (; i < length && wanted[i]; i++) {
        wchar_t c = name->Buffer[i];
        if ((c >= L'A' && c <= L'Z' ? c + (L'a' - L'A') : c) != wanted[i])
            return false;
    }
    return i == length && !wanted[i];
}

#endif
