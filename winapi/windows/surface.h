/* SPDX-License-Identifier: MIT
 *
 * surface.h - functions of umsshim.dll's Win32 files, and of umsrun's.
 *
 * The four functions below take the place of the system's of the same names (without "umsshim_"):
 * linked programs get them as the DLL's exports, other programs by interpose.h. They add the one
 * attribute that makes a worker, and pass everything else on to the system.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_SURFACE_H
#define UMSSHIM_WINAPI_WINDOWS_SURFACE_H

#include <stdbool.h>

#include "umsshim/core.h"

BOOL WINAPI umsshim_InitializeProcThreadAttributeList(LPPROC_THREAD_ATTRIBUTE_LIST list,
                                                      DWORD count, DWORD flags, PSIZE_T size);
BOOL WINAPI umsshim_UpdateProcThreadAttribute(LPPROC_THREAD_ATTRIBUTE_LIST list, DWORD flags,
                                              DWORD_PTR attribute, PVOID value, SIZE_T size,
                                              PVOID previous, PSIZE_T returned);
VOID WINAPI umsshim_DeleteProcThreadAttributeList(LPPROC_THREAD_ATTRIBUTE_LIST list);
HANDLE WINAPI umsshim_CreateRemoteThreadEx(HANDLE process, LPSECURITY_ATTRIBUTES security,
                                           SIZE_T stack, LPTHREAD_START_ROUTINE start, LPVOID param,
                                           DWORD flags, LPPROC_THREAD_ATTRIBUTE_LIST list,
                                           LPDWORD id);

/* Describes the hooks in text with line ends; 0: the text did not fit. umsrun finds it by
 * GetProcAddress. */
int umsshim_describe(char *text, size_t room);

/* Notes for all programs of the user whether a trial of in-place switching has passed on this
 * system. `text` gets the place of the note, and the system. 0: no note can be made. For umsrun,
 * too. */
int umsshim_tried(int passed, char *text, size_t room);

/* Whether an alert arrives at its hook when wake(arg) wakes a thread that waits for an address; 0:
 * no alert does. For umsrun, too. */
int umsshim_alert_arrives(void (*wake)(void *arg), void *arg);

/* attribute_list.c: whether the list asks for a UMS worker; then *attributes says with which
 * context and list. The caller checks the version. */
bool win__ums_attribute(LPPROC_THREAD_ATTRIBUTE_LIST list,
                        UMS_CREATE_THREAD_ATTRIBUTES *attributes);

#endif
