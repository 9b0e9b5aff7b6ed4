/* SPDX-License-Identifier: MIT
 *
 * overlapped_file.h - a file whose operations take an OVERLAPPED, for tests.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_OVERLAPPED_FILE_H
#define UMSSHIM_TESTS_SUPPORT_OVERLAPPED_FILE_H

#include <windows.h>

/* In the folder for temporary files, and gone when it is closed. INVALID_HANDLE_VALUE after a
 * recorded failure. */
HANDLE new_file(void);
/* The result of a call that has begun or done its operation. */
void expect_begun(BOOL done);

#endif
