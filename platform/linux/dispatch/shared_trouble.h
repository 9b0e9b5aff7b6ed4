/* SPDX-License-Identifier: MIT
 *
 * shared_trouble.h - tells the program why a name cannot be shared (shared_folder.h).
 *
 * The cause lies outside the program. So the name is known within this process only, and a line on
 * stderr says why. It is an error only where another process may have the name: this process must
 * not have another object by it.
 *
 * Any thread, with no lock held.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_SHARED_TROUBLE_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_SHARED_TROUBLE_H

/* Turns a FOLDER_* into SHARED_NOT or an error. Any other number stays as it is. */
int shared_trouble(int error);

#endif
