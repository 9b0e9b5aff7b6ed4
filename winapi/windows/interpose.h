/* SPDX-License-Identifier: MIT
 *
 * interpose.h - serving programs that know nothing of umsshim.dll, by the names they do know.
 *
 * Two things are changed, and both are data. The export tables of kernel32, kernelbase and ntdll
 * lead to us for a few names: so does every GetProcAddress, under whatever name the module was
 * asked for, and every module that is loaded from then on. And the import tables of modules that
 * were bound before are gone through once, delayed imports that are bound already included. An
 * import is known by what it is called and whom it asks. Where it leads tells less: functions that
 * do the same may be one in a system's DLL, as 14 that all fail may be, or others that fail in the
 * same way. So the address decides only for imports whose names are not told, and only for
 * functions that have one for themselves.
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
    void *theirs[INTERPOSED_SOURCES]; /* where it led before, by way of each */
    bool alone[INTERPOSED_SOURCES];   /* and no other export leads there */
};

/* All or nothing for each name; how many names could not be served by the export tables. */
int interpose(HMODULE self, struct interposed *names, size_t count);
void interpose_undo(HMODULE self, struct interposed *names, size_t count);

#endif
