/* SPDX-License-Identifier: MIT
 *
 * names.h - see names.c.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_NAMES_H
#define UMSSHIM_WINAPI_WINDOWS_NAMES_H

#include <windows.h>

/* How many names GetProcAddress and later modules will not find ours by. */
int names_serve(HMODULE self);
/* A line in words, for umsrun --check; what snprintf returns. */
int names_describe(char *text, size_t room);
void names_withdraw(HMODULE self);

#endif
