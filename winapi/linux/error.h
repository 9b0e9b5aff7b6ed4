/* SPDX-License-Identifier: MIT
 *
 * error.h - what a failed POSIX call is called in Win32.
 */
#ifndef UMSSHIM_WINAPI_LINUX_ERROR_H
#define UMSSHIM_WINAPI_LINUX_ERROR_H

#include "winapi/linux/surface.h"

DWORD win__error_of(int posix_error);

/* Sets the last error from errno; FALSE. */
BOOL win__fail_errno(void);

#endif
