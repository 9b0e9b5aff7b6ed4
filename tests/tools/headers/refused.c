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
    __try {
        return *p;
    } __except (1) {
        return 0;
    }
}
#elif CASE == 3
__declspec(allocate(".CRT$XCU")) int placed = 1;
#endif
