/* SPDX-License-Identifier: MIT
 *
 * shared_trouble.h - what the program is told where a name cannot be shared (shared_folder.h).
 *
 * Something outside is odd then, and the program is not at fault: the name is this process's own,
 * as all names were once, and a line says why. It is an error only where another process may have
 * the name, and this one must not have another object by it.
 *
 * Any thread, with no lock held.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_SHARED_TROUBLE_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_SHARED_TROUBLE_H

/* Of a FOLDER_*: SHARED_NOT or an error. Any other number stays what it is. */
int shared_trouble(int error);

#endif
