/* SPDX-License-Identifier: MIT
 *
 * nt_importer.c - a DLL that imports UMS functions from ntdll by name.
 */
#include <windows.h>

LONG NTAPI RtlGetCurrentUmsThread(void **context);
LONG NTAPI RtlUmsThreadYield(void *param);

__declspec(dllexport) LONG ask_ntdll(void);

/* What both say on a plain thread; 1 where that is not what it has to be. */
__declspec(dllexport) LONG ask_ntdll(void)
{
    void *context = &context;
    LONG status = RtlGetCurrentUmsThread(&context);

    if (context || RtlUmsThreadYield(NULL) != (LONG)0xC000000D)
        return 1;
    return status;
}
