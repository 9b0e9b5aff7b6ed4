/* SPDX-License-Identifier: MIT
 *
 * ums_functions.h - finds the UMS functions as an old program does: by GetProcAddress on kernel32,
 * after umsshim.dll was loaded.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_UMS_FUNCTIONS_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_UMS_FUNCTIONS_H

#include <windows.h>

/* umsrun has its own names for the functions, as not every Windows header declares them. */
struct ums_functions {
    BOOL(WINAPI *create_list)(PUMS_COMPLETION_LIST *);
    BOOL(WINAPI *delete_list)(PUMS_COMPLETION_LIST);
    BOOL(WINAPI *dequeue)(PUMS_COMPLETION_LIST, DWORD, PUMS_CONTEXT *);
    PUMS_CONTEXT(WINAPI *next)(PUMS_CONTEXT);
    BOOL(WINAPI *create_context)(PUMS_CONTEXT *);
    BOOL(WINAPI *delete_context)(PUMS_CONTEXT);
    BOOL(WINAPI *enter)(PUMS_SCHEDULER_STARTUP_INFO);
    BOOL(WINAPI *execute)(PUMS_CONTEXT);
    BOOL(WINAPI *yield)(PVOID);
    BOOL(WINAPI *query)(PUMS_CONTEXT, UMS_THREAD_INFO_CLASS, PVOID, ULONG, PULONG);
    BOOL(WINAPI *update)
    (LPPROC_THREAD_ATTRIBUTE_LIST, DWORD, DWORD_PTR, PVOID, SIZE_T, PVOID, PSIZE_T);
    HANDLE(WINAPI *create_thread)
    (HANDLE, LPSECURITY_ATTRIBUTES, SIZE_T, LPTHREAD_START_ROUTINE, LPVOID, DWORD,
     LPPROC_THREAD_ATTRIBUTE_LIST, LPDWORD);
};
extern struct ums_functions ums;

/* NULL: all are there; else the name of one that is missing. */
const char *ums_find(void);

/* Makes a worker. Returns its thread's handle; NULL: it could not be made. */
HANDLE ums_start(PUMS_CONTEXT context, PUMS_COMPLETION_LIST list, LPTHREAD_START_ROUTINE body,
                 void *arg);

#endif
