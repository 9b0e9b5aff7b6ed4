/* SPDX-License-Identifier: MIT
 *
 * error_mode.h - what others here look at of the error mode.
 */
#ifndef UMSSHIM_WINAPI_LINUX_ERROR_MODE_H
#define UMSSHIM_WINAPI_LINUX_ERROR_MODE_H

#include "winapi/linux/surface.h"

/* Whether an unhandled exception of the calling thread ends the process without a word. */
bool win__errors_are_silent(void);

#endif
