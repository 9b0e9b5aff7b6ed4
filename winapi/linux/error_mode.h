/* SPDX-License-Identifier: MIT
 *
 * error_mode.h - the error mode, for the end by an exception.
 */
#ifndef UMSSHIM_WINAPI_LINUX_ERROR_MODE_H
#define UMSSHIM_WINAPI_LINUX_ERROR_MODE_H

#include "winapi/linux/surface.h"

/* Whether an unhandled exception of the calling thread ends the process without a line on
 * stderr. */
bool win__errors_are_silent(void);

#endif
