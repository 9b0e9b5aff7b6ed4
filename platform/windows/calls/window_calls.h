/* SPDX-License-Identifier: MIT
 *
 * window_calls.h - see window_calls.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_WINDOW_CALLS_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_WINDOW_CALLS_H

#include <windows.h>
#include <winternl.h>

/* Hooks win32u.dll if it is there already; once. The caller has called loader_notices_start
 * before. */
void window_calls_start(void);

/* The loader tells of a module that has come or gone. */
void window_calls_loaded(HMODULE module, const UNICODE_STRING *name);
void window_calls_unloaded(HMODULE module);

/* Writes one line for umsrun --check, and returns what snprintf returns. */
int window_calls_describe(char *text, size_t room);

#endif
