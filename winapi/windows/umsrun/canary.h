/* SPDX-License-Identifier: MIT
 *
 * canary.h - a test for in-place switching (canary.c).
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_CANARY_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_CANARY_H

/* The option by which umsrun --try starts the test; not for users. */
#define CANARY_OPTION L"--canary"

/* Runs the test, for a second or two, in a process of its own: it may hang or crash. Returns the
 * process's exit code: 0 if all went well. */
int canary(void);

/* The meaning of such an exit code. */
const char *canary_text(unsigned long code);

#endif
