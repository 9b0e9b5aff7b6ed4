/* SPDX-License-Identifier: MIT
 *
 * link.h - umsrun --link and --unlink: they read a program's file and write a new one (pe_link.h).
 *
 * The first file is only read. The new one must not exist yet. It is written under another name in
 * its folder, and renamed when it is whole, so that there is never a part of it.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_LINK_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_LINK_H

#include <windows.h>

struct link_result {
    const wchar_t *about; /* the file with the problem */
    DWORD error;          /* the system's error; 0: it was no error of the system's */
    unsigned notes;       /* enum pe_link_note */
};

/* NULL, or the problem: the end of a sentence about that file. */
const char *link_program(const wchar_t *from, const wchar_t *to, struct link_result *result);
const char *unlink_program(const wchar_t *from, const wchar_t *to, struct link_result *result);

#endif
