/* SPDX-License-Identifier: MIT
 *
 * window_calls.h - see window_calls.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_WINDOW_CALLS_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_WINDOW_CALLS_H

#include <windows.h>
#include <winternl.h>

/* Hooks win32u.dll if it is there already; once. The loader's notices are asked for before. */
void window_calls_start(void);

/* The loader tells of a module. */
void window_calls_loaded(HMODULE module, const UNICODE_STRING *name);
void window_calls_unloaded(HMODULE module);

/* One line in words, for umsrun --check; what snprintf returns. */
int window_calls_describe(char *text, size_t room);

#endif
