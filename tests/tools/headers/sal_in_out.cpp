// SPDX-License-Identifier: MIT
//
// sal_in_out.cpp - the oldest annotations in C++, with -DUMSSHIM_SAL_IN_OUT.
#include <windows.h>

#include <iostream>
#include <string>
#include <thread>

DWORD WINAPI ThreadProc(__in LPVOID lpParameter, __out DWORD *Result);
DWORD WINAPI ThreadProc(__in LPVOID lpParameter, __out DWORD *Result)
{
    *Result = lpParameter != NULL;
    return *Result;
}
