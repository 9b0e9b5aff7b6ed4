/* SPDX-License-Identifier: MIT
 *
 * directory_changes.h - the lock of ReadDirectoryChangesW after a fork.
 */
#ifndef UMSSHIM_WINAPI_LINUX_DIRECTORY_CHANGES_H
#define UMSSHIM_WINAPI_LINUX_DIRECTORY_CHANGES_H

void directory_changes_forget(void); /* in a child after fork */

#endif
