/* SPDX-License-Identifier: MIT
 *
 * again.h - a part of a test in a process of its own, which is this program started once more: for
 * what ends the process, and for what goes between processes.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_AGAIN_H
#define UMSSHIM_TESTS_SUPPORT_AGAIN_H

#include <windows.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the second process the name of the part that it is to run, in the first one NULL: a test
 * begins with asking. Faults show no message box there. */
const char *again_part(void);

/* Runs the test "Suite.name" of this program, with a part, and returns its exit code. After a
 * recorded failure (it could not be started, or took longer than 20 s) AGAIN_FAILED. */
#define AGAIN_FAILED 0xDEADu
DWORD again_run(const char *test, const char *part);

#ifdef __cplusplus
}
#endif
#endif
