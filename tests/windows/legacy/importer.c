/* SPDX-License-Identifier: MIT
 *
 * importer.c - a DLL that imports all UMS functions from kernel32, and says where its imports lead.
 */
#include <windows.h>

#include <string.h>

/* The import table's own entry, as the compiler reaches it. */
#define IMPORTED(name)                                                                             \
    extern void *__imp_##name;                                                                     \
    static void *where_##name(void)                                                                \
    {                                                                                              \
        return *(void *volatile *)&__imp_##name;                                                   \
    }
#include "ums_names.h"
#undef IMPORTED

__declspec(dllexport) void *where(const char *name);

void *where(const char *name)
{
#define IMPORTED(each)                                                                             \
    if (strcmp(name, #each) == 0)                                                                  \
        return where_##each();
#include "ums_names.h"
#undef IMPORTED
    return NULL;
}
