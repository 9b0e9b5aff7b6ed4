/* SPDX-License-Identifier: MIT
 *
 * call_walk.c - calls that lead to a walk through all TEBs (teb_fence.h). The third,
 * NtSetInformationThread for a thread-local slot that is freed, is in call_identity.c.
 */
#include "platform/windows/switch/call.h"

HANDLER(NtSetInformationProcess, HANDLE process, int class, void *information, ULONG length)
{
    enum { TLS_INFORMATION = 35 };
    if (class != TLS_INFORMATION)
        return ORIGINAL(NtSetInformationProcess)(process, class, information, length);
    teb_fence_raise();
    NTSTATUS status = ORIGINAL(NtSetInformationProcess)(process, class, information, length);
    teb_fence_lower();
    return status;
}

static bool has_static_tls(const char *view)
{
    const IMAGE_DOS_HEADER *dos = (const void *)view;
    if (dos->e_magic != IMAGE_DOS_SIGNATURE || dos->e_lfanew <= 0 || dos->e_lfanew > 1024)
        return false;
    const IMAGE_NT_HEADERS *headers = (const void *)(view + dos->e_lfanew);
    return headers->Signature == IMAGE_NT_SIGNATURE &&
           headers->OptionalHeader.Magic == IMAGE_NT_OPTIONAL_HDR64_MAGIC &&
           headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_TLS].VirtualAddress;
}

HANDLER(NtMapViewOfSection, HANDLE section, HANDLE process, void **view, ULONG_PTR zero_bits,
        SIZE_T commit, LARGE_INTEGER *offset, SIZE_T *size, int inherit, ULONG type, ULONG protect)
{
    MEMORY_BASIC_INFORMATION region;
    NTSTATUS status = ORIGINAL(NtMapViewOfSection)(section, process, view, zero_bits, commit,
                                                   offset, size, inherit, type, protect);
    if (status >= 0 && process == GetCurrentProcess() &&
        VirtualQuery(*view, &region, sizeof region) && region.Type == MEM_IMAGE &&
        has_static_tls(*view))
        teb_fence_raise_for_loader();
    return status;
}
