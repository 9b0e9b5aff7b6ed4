/* SPDX-License-Identifier: MIT
 *
 * granted.h - the package as one that shares the machine.
 */
#ifndef FASTTHREADS_GRANTED_H
#define FASTTHREADS_GRANTED_H

#include "processor_share.h"

extern const struct ft__sharer ft__package_shares;

/* What the package's processors are bound to, all together. */
DWORD_PTR ft__usable(void);

#endif
