/* SPDX-License-Identifier: MIT
 *
 * changes_folders.h - the folders of a `struct changes` and their watches. For the owner of its
 * table: changes.h.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CHANGES_FOLDERS_H
#define UMSSHIM_WINAPI_LINUX_CHANGES_FOLDERS_H

#include "winapi/linux/changes.h"

bool changes_names_are_wanted(const struct changes *changes, bool folder);
/* A path in malloc's memory; NULL: no memory. */
char *changes_joined(const char *folder, const char *name);
/* By inotify's number; NULL: it is gone. */
struct changes_folder *changes_folder_of(struct changes *changes, int watch);
void changes_forget_folder(struct changes *changes, struct changes_folder *folder);
/* A folder has left, with all below it. */
void changes_unwatch_below(struct changes *changes, const char *folder);
/* False: no memory, and some paths are still the old ones. */
bool changes_rename_below(struct changes *changes, const char *from, const char *to);
/* Watches the folder and, if wanted, all below it. `tells`: whatever is in there is new. 0, or an
 * errno. */
int changes_add_tree(struct changes *changes, const char *path, bool tells);

#endif
