/* SPDX-License-Identifier: MIT
 *
 * changes_folders.h - the folders of a `struct changes` and their watches. Only for the owner of
 * the table (changes.h).
 */
#ifndef UMSSHIM_WINAPI_LINUX_CHANGES_FOLDERS_H
#define UMSSHIM_WINAPI_LINUX_CHANGES_FOLDERS_H

#include "winapi/linux/changes.h"

bool changes_names_are_wanted(const struct changes *changes, bool folder);
/* The path of a name in a folder, in malloc's memory. NULL: no memory. */
char *changes_joined(const char *folder, const char *name);
/* The folder of a watch's number. NULL: it is gone. */
struct changes_folder *changes_folder_of(struct changes *changes, int watch);
void changes_forget_folder(struct changes *changes, struct changes_folder *folder);
/* Stops to watch a folder, which has left, and all folders below it. */
void changes_unwatch_below(struct changes *changes, const char *folder);
/* False: no memory, and some folders keep their old paths. */
bool changes_rename_below(struct changes *changes, const char *from, const char *to);
/* Watches the folder and, if the user wants them, all folders below. `tells`: the names in there
 * are new, and the user is told of them. 0, or an errno. */
int changes_add_tree(struct changes *changes, const char *path, bool tells);

#endif
