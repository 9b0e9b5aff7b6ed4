/* SPDX-License-Identifier: MIT
 *
 * program.c - see program.h.
 */
#include "winapi/windows/umsrun/program.h"

#include <stdbool.h>
#include <stddef.h>

static bool get(HANDLE file, LONG offset, void *to, DWORD bytes)
{
    DWORD got;
    return SetFilePointer(file, offset, NULL, FILE_BEGIN) != INVALID_SET_FILE_POINTER &&
           ReadFile(file, to, bytes, &got, NULL) && got == bytes;
}

static const char *objection(HANDLE file)
{
    IMAGE_DOS_HEADER dos;
    IMAGE_NT_HEADERS64 nt;
    if (!get(file, 0, &dos, sizeof dos) || dos.e_magic != IMAGE_DOS_SIGNATURE ||
        !get(file, dos.e_lfanew, &nt, offsetof(IMAGE_NT_HEADERS64, OptionalHeader) + 2) ||
        nt.Signature != IMAGE_NT_SIGNATURE)
        return "is not a Windows program";
    if (nt.FileHeader.Machine == IMAGE_FILE_MACHINE_I386)
        return "is a 32-bit program: UMS was for 64-bit ones only";
    if (nt.FileHeader.Machine != IMAGE_FILE_MACHINE_AMD64 ||
        nt.OptionalHeader.Magic != IMAGE_NT_OPTIONAL_HDR64_MAGIC)
        return "is not a program for x86-64";
    if (nt.FileHeader.Characteristics & IMAGE_FILE_DLL)
        return "is a DLL, not a program";
    if (!get(file, dos.e_lfanew, &nt, sizeof nt))
        return "is cut off";
    if (nt.OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR].VirtualAddress)
        return "is a .NET program: they find no UMS functions";
    return NULL;
}

const char *program_objection(const wchar_t *path)
{
    HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return "cannot be opened";
    const char *why = objection(file);
    CloseHandle(file);
    return why;
}

bool program_has_windows(const wchar_t *path)
{
    HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, 0, NULL);
    IMAGE_DOS_HEADER dos;
    IMAGE_NT_HEADERS64 nt;
    bool yes = file != INVALID_HANDLE_VALUE && get(file, 0, &dos, sizeof dos) &&
               get(file, dos.e_lfanew, &nt, sizeof nt) && nt.Signature == IMAGE_NT_SIGNATURE &&
               nt.OptionalHeader.Subsystem == IMAGE_SUBSYSTEM_WINDOWS_GUI;
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    return yes;
}
