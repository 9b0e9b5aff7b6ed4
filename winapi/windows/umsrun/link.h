/* SPDX-License-Identifier: MIT
 *
 * link.h - umsrun --link and --unlink: files in, a new file out (pe_link.h).
 *
 * The first file is only read. The new one must not be there yet; it is written under another name
 * in its folder and renamed when it is whole, so that there is all of it or none.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_LINK_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_LINK_H

#include <windows.h>

struct link_result {
    const wchar_t *about; /* the file that the problem is with */
    DWORD error;          /* of the system; 0: it had no part in it */
    unsigned notes;       /* of pe_link.h */
};

/* NULL, or the problem: the end of a sentence about that file. */
const char *link_program(const wchar_t *from, const wchar_t *to, struct link_result *result);
const char *unlink_program(const wchar_t *from, const wchar_t *to, struct link_result *result);

#endif
