/* SPDX-License-Identifier: MIT
 *
 * refused.c - what must not compile, and must say why: one of them with each -DCASE.
 */
#include <windows.h>

#if CASE == 1
__declspec(naked) void Naked(void);
#elif CASE == 2
int Guarded(int *p)
{
    _try
    {
        return *p;
    }
    _except(1)
    {
        return 0;
    }
}
#elif CASE == 3
__declspec(allocate(".CRT$XCU")) int placed = 1;
#elif CASE == 4
_declspec(naked) void Naked(void);
#elif CASE == 5
int Guarded(int *p)
{
    _try
    {
        return *p;
    }
    _finally
    {
    }
}
#elif CASE == 6
int Guarded(int *p)
{
    if (*p)
        _leave;
    return 0;
}
#elif CASE == 7
int Assembly(void)
{
    _asm mov eax, 1
}
#elif CASE == 8
int Assembly(void)
{
    _asm {
        mov eax, 1
    }
}
#elif CASE == 9
int _based(Base) * Pointer;
#elif CASE == 10 /* a variable of a thread has no address before the thread */
_declspec(thread) int Mine;
int *Pointer = &Mine;
#elif CASE == 11
_declspec(no_such_word) int Wrong;
#elif CASE == 12
int Guarded(int *p)
{
    __try {
        return *p;
    } __except (1) {
        return 0;
    }
}
#endif
