/* SPDX-License-Identifier: MIT
 *
 * interpose.h - gives programs that know nothing of umsshim.dll its functions under the system's
 * names.
 *
 * The library changes two kinds of data. For a few names it has the export tables of kernel32,
 * kernelbase and ntdll lead to its own functions: every GetProcAddress and every module that is
 * loaded later finds those. And it goes once through the import tables of the modules that are
 * loaded already, with the delayed imports that are bound already. It identifies an import by its
 * name and its DLL. The address is less certain: in a system's DLL several functions may be one, as
 * all 14 that only fail may be. So the address decides only for imports without names, and only for
 * functions with an address of their own.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_INTERPOSE_H
#define UMSSHIM_WINAPI_WINDOWS_INTERPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

enum interposed_source { FROM_KERNEL32, FROM_KERNELBASE, FROM_NTDLL, INTERPOSED_SOURCES };

struct interposed {
    const char *name;
    void *ours;
    bool in_ntdll;                    /* ntdll's name; else one of kernel32 and kernelbase */
    void *theirs[INTERPOSED_SOURCES]; /* the system's function before, in each module */
    bool alone[INTERPOSED_SOURCES];   /* no other export leads to that function */
};

/* Changes the import and export tables. Returns how many exports it could not change: there
 * GetProcAddress and later modules find the system's functions. */
int interpose(HMODULE self, struct interposed *names, size_t count);
void interpose_undo(HMODULE self, struct interposed *names, size_t count);

#endif
