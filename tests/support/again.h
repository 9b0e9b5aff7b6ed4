/* SPDX-License-Identifier: MIT
 *
 * again.h - a part of a test in a process of its own, which is this program started once more: for
 * tests that end the process, and for tests between processes.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_AGAIN_H
#define UMSSHIM_TESTS_SUPPORT_AGAIN_H

#include <windows.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the second process the name of the part that it is to run; in the first one NULL. A test asks
 * this first. In the second process faults show no message box. */
const char *again_part(void);

/* Runs the test "Suite.name" of this program, with a part, in a new process. Returns that one's
 * exit code, or AGAIN_FAILED after a recorded failure: the process could not be started, or took
 * longer than 20 s. */
#define AGAIN_FAILED 0xDEADu
DWORD again_run(const char *test, const char *part);

#ifdef __cplusplus
}
#endif
#endif
