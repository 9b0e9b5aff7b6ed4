/* SPDX-License-Identifier: MIT
 *
 * canary.h - see canary.c.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_CANARY_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_CANARY_H

/* How umsrun --try asks umsrun for it: no option for people. */
#define CANARY_OPTION L"--canary"

/* Runs in a process that nobody needs, for a second or two. Its result is that process's exit code:
 * 0 if all went well. It may as well hang or crash: that is what it is for. */
int canary(void);

/* What an exit code of such a process means. */
const char *canary_text(unsigned long code);

#endif
