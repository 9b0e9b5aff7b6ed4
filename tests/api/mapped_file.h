/* SPDX-License-Identifier: MIT
 *
 * mapped_file.h - a file and memory to be mapped, and checks of their content. Each function
 * records its failure.
 */
#ifndef UMSSHIM_TESTS_API_MAPPED_FILE_H
#define UMSSHIM_TESTS_API_MAPPED_FILE_H

#include <windows.h>

enum { PAGE = 4096, GRAIN = 65536 };

/* A new file of that many bytes, open for reading and writing; byte n of it is n / PAGE + 1. */
HANDLE fresh_file(DWORD bytes);
/* Opens the file that fresh_file made last once more. */
HANDLE reopen(DWORD access);
/* Closes it, by its last handle, and deletes it. */
void drop_file(HANDLE file);
/* The byte that ReadFile finds there; -1 behind the file's end. */
int byte_of_file(HANDLE file, DWORD offset);

/* Makes a section that has no file. */
HANDLE memory(DWORD protect, DWORD bytes);

MEMORY_BASIC_INFORMATION query(const void *address);

#endif
