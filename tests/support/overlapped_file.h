/* SPDX-License-Identifier: MIT
 *
 * overlapped_file.h - a file whose operations take an OVERLAPPED, for tests.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_OVERLAPPED_FILE_H
#define UMSSHIM_TESTS_SUPPORT_OVERLAPPED_FILE_H

#include <windows.h>

/* Makes the file in the folder for temporary files. It is deleted at its close.
 * INVALID_HANDLE_VALUE after a recorded failure. */
HANDLE new_file(void);
/* Checks the result of a call that has begun or done its operation. */
void expect_begun(BOOL done);

#endif
