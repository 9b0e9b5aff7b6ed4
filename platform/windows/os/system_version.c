/* SPDX-License-Identifier: MIT
 *
 * system_version.c - see system_version.h.
 */
#include "platform/windows/os/system_version.h"

#include <stdint.h>
#include <stdio.h>

#include "platform/windows/os/export_table.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/system_images.h"

static UNICODE_STRING unicode(const wchar_t *text)
{
    USHORT bytes = (USHORT)(lstrlenW(text) * 2);
    return (UNICODE_STRING){bytes, (USHORT)(bytes + 2), (wchar_t *)(uintptr_t)text};
}

/* The revision, read from the registry by ntdll's calls: the documented functions are in a DLL that
 * is not in every process. */
static uint32_t revision(void)
{
    enum { PARTIAL_INFORMATION = 2 };
    NTSTATUS(NTAPI * open)
    (HANDLE *, ACCESS_MASK, OBJECT_ATTRIBUTES *) = ntapi_find("NtOpenKey");
    NTSTATUS(NTAPI * query)
    (HANDLE, UNICODE_STRING *, int, void *, ULONG, ULONG *) = ntapi_find("NtQueryValueKey");
    UNICODE_STRING path =
        unicode(L"\\Registry\\Machine\\Software\\Microsoft\\Windows NT\\CurrentVersion");
    UNICODE_STRING name = unicode(L"UBR");
    OBJECT_ATTRIBUTES key_name = {
        .Length = sizeof key_name, .ObjectName = &path, .Attributes = 0x40 /* any case */};
    struct {
        ULONG index, type, length;
        uint32_t value;
    } value = {.value = 0};
    ULONG needed;
    HANDLE key;
    if (!open || !query || open(&key, KEY_QUERY_VALUE, &key_name) < 0)
        return 0;
    bool found = query(key, &name, PARTIAL_INFORMATION, &value, sizeof value, &needed) >= 0 &&
                 value.type == REG_DWORD;
    CloseHandle(key);
    return found ? value.value : 0;
}

static uint32_t stamp(HMODULE image)
{
    const IMAGE_NT_HEADERS *headers = image ? image_headers(image) : NULL;
    if (!headers)
        return 0;
    return headers->FileHeader.TimeDateStamp ^ headers->OptionalHeader.CheckSum;
}

void system_version_text(char *text, size_t room)
{
    NTSTATUS(NTAPI * version)(OSVERSIONINFOW *) = ntapi_find("RtlGetVersion");
    OSVERSIONINFOW info = {.dwOSVersionInfoSize = sizeof info};
    if (version)
        version(&info);
    snprintf(text, room, "%lu.%lu.%lu.%u, ntdll %08x kernelbase %08x", info.dwMajorVersion,
             info.dwMinorVersion, info.dwBuildNumber, (unsigned)revision(),
             (unsigned)stamp(system_images.ntdll), (unsigned)stamp(system_images.kernelbase));
}

bool system_emulates_x64(void)
{
    enum { ARM64 = 0xAA64 };
    BOOL(WINAPI * ask)
    (HANDLE, USHORT *, USHORT *) = system_function(system_images.kernelbase, "IsWow64Process2");
    USHORT process, machine;
    return ask && ask(GetCurrentProcess(), &process, &machine) && machine == ARM64;
}
