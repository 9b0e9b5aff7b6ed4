/* SPDX-License-Identifier: MIT
 *
 * program.c - see program.h.
 */
#include "winapi/windows/umsrun/program.h"

#include "winapi/windows/pe_image.h"

enum { MOST_HEADERS = 1 << 16, IS_DLL = 0x2000, WINDOWS_GUI = 2 };

/* Reads the headers' fields. The image has no bytes afterwards. */
static const char *read_headers(const wchar_t *path, struct pe_image *image)
{
    HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return "cannot be opened";
    DWORD got = 0;
    void *bytes = HeapAlloc(GetProcessHeap(), 0, MOST_HEADERS);
    const char *why = "cannot be read";
    if (bytes && ReadFile(file, bytes, MOST_HEADERS, &got, NULL))
        why = pe_read(image, bytes, got, false);
    if (bytes)
        HeapFree(GetProcessHeap(), 0, bytes);
    CloseHandle(file);
    return why;
}

const char *program_objection(const wchar_t *path)
{
    struct pe_image image;
    const char *why = read_headers(path, &image);
    if (!why && image.characteristics & IS_DLL)
        why = "is a DLL, not a program";
    if (!why && image.directories[PE_DOTNET].at)
        why = "is a .NET program: they find no UMS functions";
    return why;
}

bool program_has_windows(const wchar_t *path)
{
    struct pe_image image;
    return !read_headers(path, &image) && image.subsystem == WINDOWS_GUI;
}
