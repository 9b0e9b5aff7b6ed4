/* SPDX-License-Identifier: MIT
 *
 * names.h - the names by which programs find the library's functions (names.c).
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_NAMES_H
#define UMSSHIM_WINAPI_WINDOWS_NAMES_H

#include <windows.h>

/* Returns the number of names that GetProcAddress and later modules do not find. */
int names_serve(HMODULE self);
/* Writes a line of text for umsrun --check; returns snprintf's result. */
int names_describe(char *text, size_t room);
void names_withdraw(HMODULE self);

#endif
