/* SPDX-License-Identifier: MIT
 *
 * at_end.h - the exit codes of a process with at_end.dll whose end is not as it should be.
 */
#ifndef UMSSHIM_TESTS_WINDOWS_AT_END_H
#define UMSSHIM_TESTS_WINDOWS_AT_END_H

#include <windows.h>

enum { AT_END_OTHER_THREAD = 101, AT_END_OTHER_STACK = 102 };

#endif
