/* SPDX-License-Identifier: MIT
 *
 * error.h - the Win32 error of a failed POSIX call.
 */
#ifndef UMSSHIM_WINAPI_LINUX_ERROR_H
#define UMSSHIM_WINAPI_LINUX_ERROR_H

#include "winapi/linux/surface.h"

DWORD win__error_of(int posix_error);

/* Sets the last error from errno. Returns FALSE. */
BOOL win__fail_errno(void);

#endif
