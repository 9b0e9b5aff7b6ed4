/* SPDX-License-Identifier: MIT
 *
 * collation.h - the order of texts in a list that people read.
 */
#ifndef UMSSHIM_WINAPI_LINUX_COLLATION_H
#define UMSSHIM_WINAPI_LINUX_COLLATION_H

#include "winapi/linux/surface.h"

/* Negative: left comes first; 0: equal; positive: right. Flags: NORM_IGNORECASE and the others of
 * CompareString. */
int win__collate(const WCHAR *left, SIZE_T left_units, const WCHAR *right, SIZE_T right_units,
                 DWORD flags);

#endif
