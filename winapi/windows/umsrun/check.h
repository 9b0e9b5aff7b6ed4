/* SPDX-License-Identifier: MIT
 *
 * check.h - umsrun --check: describes this system, for a report of a problem.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_CHECK_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_CHECK_H

/* Prints the description, and runs a short self-test. 0: all is well. */
int check(void);

#endif
