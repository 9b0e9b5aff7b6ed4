/* SPDX-License-Identifier: MIT
 *
 * check.h - umsrun --check: what this system offers, for a report of a problem.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_CHECK_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_CHECK_H

/* Prints it and runs a short self-test. 0 when all is well. */
int check(void);

#endif
