/* SPDX-License-Identifier: MIT
 *
 * loaded.c - what Windows' loader and linker make otherwise than Wine's.
 */
#include "as_windows.h"

#include <stdint.h>
#include <string.h>

#include "tests/support/ums_calls.h"
#include "platform/windows/os/export_table.h"

/* InitialThread and RanProcessInit: of the first thread only. */
void loaded_flags(void)
{
    __asm__ volatile("orw $0x420, %%gs:0x17ee" : : : "memory", "cc");
}

static const char *const ums_names[] = {UMS_CALLS(UMS_NAME)};
enum { UMS_NAMES = sizeof ums_names / sizeof ums_names[0] };

/* They do the same, so the linker may have made them one. */
void loaded_exports(void)
{
    HMODULE kernel32 = GetModuleHandleW(L"kernel32.dll");
    const DWORD *first = export_entry(kernel32, ums_names[0]);

    for (int i = 0; i < UMS_NAMES; i++) {
        DWORD *entry = export_entry(kernel32, ums_names[i]);

        if (entry && first && !write_protected(entry, first, sizeof *entry))
            as_windows_ends("an export cannot be changed: ", ums_names[i]);
    }
}

static void judge_imports(const char *base, const IMAGE_IMPORT_DESCRIPTOR *import)
{
    HMODULE module = GetModuleHandleA(base + import->Name);
    const ULONGLONG *lookup = (const void *)(base + import->OriginalFirstThunk);

    for (; module && import->OriginalFirstThunk && *lookup; lookup++) {
        const IMAGE_IMPORT_BY_NAME *by_name = (const void *)(base + *lookup);

        if (!IMAGE_SNAP_BY_ORDINAL64(*lookup) && !GetProcAddress(module, by_name->Name))
            as_windows_ends("an import is not there: ", by_name->Name);
    }
}

/* Wine puts a function there that ends the process when it is called. */
void loaded_imports(void)
{
    HMODULE program = GetModuleHandleW(NULL);
    const char *base = (const char *)program;
    DWORD at = image_headers(program)
                   ->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT]
                   .VirtualAddress;

    for (const IMAGE_IMPORT_DESCRIPTOR *import = (const void *)(base + at); at && import->Name;
         import++)
        judge_imports(base, import);
}
