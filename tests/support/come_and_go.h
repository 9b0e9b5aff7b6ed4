/* SPDX-License-Identifier: MIT
 *
 * come_and_go.h - a thread of libc's and one of Win32's are created, give their result, and are waited for.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_COME_AND_GO_H
#define UMSSHIM_TESTS_SUPPORT_COME_AND_GO_H

/* Any kind of thread may call this. `result` is the result of libc's thread. */
void come_and_go(void *result);

#endif
