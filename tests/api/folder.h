/* SPDX-License-Identifier: MIT
 *
 * folder.h - a folder of a test's own, with files in it.
 */
#ifndef UMSSHIM_TESTS_API_FOLDER_H
#define UMSSHIM_TESTS_API_FOLDER_H

#include <windows.h>

/* A new one, empty, which in_folder names things in from now on. */
void folder_make(void);
/* With the files of these names that are left in it; NULL ends them. */
void folder_remove(const char *name, ...);

/* The path of a thing in it; good for eight more calls. */
const char *in_folder(const char *name);
void file_make(const char *name, const char *text);
void file_expect(const char *name, const char *text);

#endif
