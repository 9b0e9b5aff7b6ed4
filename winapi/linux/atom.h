/* SPDX-License-Identifier: MIT
 *
 * atom.h - frees the tables of atoms from locks after a fork.
 */
#ifndef UMSSHIM_WINAPI_LINUX_ATOM_H
#define UMSSHIM_WINAPI_LINUX_ATOM_H

#include "winapi/linux/surface.h"

/* In a child after fork: no thread of the child holds a table's lock. */
void atoms_forget(void);

#endif
