/* SPDX-License-Identifier: MIT
 *
 * child.c - a program for tests/windows/as_windows.c. "elsewhere": ends its process as if it stood on another
 * thread's stack. Built with MISSING it imports a function that kernel32 has not.
 */
#include <string.h>
#include <windows.h>

enum { ITS_OWN = 5 };

#ifdef MISSING
__declspec(dllimport) void WINAPI NoSuchFunction(void);
#endif

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "elsewhere") == 0)
        __asm__ volatile("addq $4, %%gs:0x7e0" : : : "memory", "cc");
#ifdef MISSING
    if (argc > 1)
        NoSuchFunction();
#endif
    ExitProcess(ITS_OWN);
}
