/* SPDX-License-Identifier: MIT
 *
 * atom.h - what a fork's child does about atoms.
 */
#ifndef UMSSHIM_WINAPI_LINUX_ATOM_H
#define UMSSHIM_WINAPI_LINUX_ATOM_H

#include "winapi/linux/surface.h"

/* In a child after fork: nobody holds a table's lock. */
void atoms_forget(void);

#endif
