/* SPDX-License-Identifier: MIT
 *
 * folder.h - a folder of a test's own, with files in it.
 */
#ifndef UMSSHIM_TESTS_API_FOLDER_H
#define UMSSHIM_TESTS_API_FOLDER_H

#include <windows.h>

/* Makes a new folder, empty. in_folder gives paths in it from now on. */
void folder_make(void);
/* Removes the folder, and the files of these names that are left in it. NULL ends the names. */
void folder_remove(const char *name, ...);

/* The path of a thing in it, good for seven more calls (path_in.h); of "": the folder's own. */
const char *in_folder(const char *name);
void file_make(const char *name, const char *text);
void file_expect(const char *name, const char *text);

#endif
