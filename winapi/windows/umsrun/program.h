/* SPDX-License-Identifier: MIT
 *
 * program.h - the kind of a program's file, before it is started.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_PROGRAM_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_PROGRAM_H

#include <stdbool.h>
#include <windows.h>

/* NULL, or why umsrun cannot serve it. */
const char *program_objection(const wchar_t *path);
/* Whether the program makes windows, and has no console unless it asks for one. */
bool program_has_windows(const wchar_t *path);

#endif
