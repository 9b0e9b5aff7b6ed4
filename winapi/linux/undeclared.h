/* SPDX-License-Identifier: MIT
 *
 * undeclared.h - exported calls that the installed headers do not declare, or not in <windows.h>.
 *
 * The same declarations may stand in headers for programs; these are what the definitions are held
 * against.
 */
#ifndef UMSSHIM_WINAPI_LINUX_UNDECLARED_H
#define UMSSHIM_WINAPI_LINUX_UNDECLARED_H

#include "winapi/linux/surface.h"

#pragma GCC visibility push(default)
BOOL WINAPI QueryUnbiasedInterruptTime(ULONGLONG *UnbiasedTime);
BOOL WINAPI SetThreadIdealProcessorEx(HANDLE hThread, PPROCESSOR_NUMBER lpIdealProcessor,
                                      PPROCESSOR_NUMBER lpPreviousIdealProcessor);
PSLIST_ENTRY WINAPI InterlockedPushListSListEx(PSLIST_HEADER ListHead, PSLIST_ENTRY List,
                                               PSLIST_ENTRY ListEnd, ULONG Count);

uintptr_t _beginthread(void (*start)(void *), unsigned stack_bytes, void *arg);
uintptr_t _beginthreadex(void *security, unsigned stack_bytes, unsigned (*start)(void *), void *arg,
                         unsigned flags, unsigned *id);
_Noreturn void _endthread(void);
_Noreturn void _endthreadex(unsigned code);
#pragma GCC visibility pop

#endif
