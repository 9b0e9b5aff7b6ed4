/* SPDX-License-Identifier: MIT
 *
 * try.h - umsrun --try (try.c).
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_TRY_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_TRY_H

/* Returns an exit code: 0 if in-place switching works here. */
int try_inplace(void);

#endif
