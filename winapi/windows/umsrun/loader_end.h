/* SPDX-License-Identifier: MIT
 *
 * loader_end.h - exit codes by which the system's loader ends a program that it cannot start.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_LOADER_END_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_LOADER_END_H

#include <stdint.h>

/* The code's meaning and the remedy, for the end of a line. NULL: the loader has no such code. */
const char *loader_end(uint32_t code);

#endif
