/* SPDX-License-Identifier: MIT
 *
 * actctx.h - activation contexts, for the tests of whose they are.
 */
#ifndef UMSSHIM_TESTS_WINDOWS_ACTCTX_H
#define UMSSHIM_TESTS_WINDOWS_ACTCTX_H

#include <windows.h>

#include <stdbool.h>

/* Each from a manifest of its own. False after a recorded failure. */
bool actctx_create(HANDLE *contexts, int count);
void actctx_release(HANDLE *contexts, int count);

/* The one that is in force for the calling thread, or NULL. */
HANDLE actctx_in_force(void);

#endif
