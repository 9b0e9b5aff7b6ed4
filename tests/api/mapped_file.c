/* SPDX-License-Identifier: MIT
 *
 * mapped_file.c - see mapped_file.h.
 */
#include "mapped_file.h"

#include "gtest_c.h"

#include <stdio.h>
#include <string.h>

static char path[MAX_PATH + 32];

HANDLE fresh_file(DWORD bytes)
{
    static int count;
    static char page[PAGE];
    char folder[MAX_PATH];
    DWORD written;
    HANDLE file;

    EXPECT_GT(GetTempPathA(sizeof folder, folder), 0);
    snprintf(path, sizeof path, "%sums-view-%u-%d", folder, (unsigned)GetCurrentProcessId(),
             count++);
    file = CreateFileA(path, GENERIC_READ | GENERIC_WRITE,
                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, CREATE_ALWAYS,
                       FILE_ATTRIBUTE_NORMAL, NULL);
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    for (DWORD done = 0; done < bytes; done += written) {
        DWORD part = bytes - done < PAGE ? bytes - done : PAGE;

        memset(page, (int)(done / PAGE + 1), sizeof page);
        written = part;
        EXPECT_OK(WriteFile(file, page, part, &written, NULL));
        if (!written)
            break;
    }
    return file;
}

HANDLE reopen(DWORD access)
{
    HANDLE file = CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                              NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);

    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    return file;
}

void drop_file(HANDLE file)
{
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(DeleteFileA(path));
}

int byte_of_file(HANDLE file, DWORD offset)
{
    unsigned char byte = 0;
    DWORD got = 0;

    EXPECT_EQ(SetFilePointer(file, (LONG)offset, NULL, FILE_BEGIN), offset);
    EXPECT_OK(ReadFile(file, &byte, 1, &got, NULL));
    return got ? byte : -1;
}

HANDLE memory(DWORD protect, DWORD bytes)
{
    HANDLE section = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, protect, 0, bytes, NULL);

    EXPECT_NE(section, NULL);
    return section;
}

MEMORY_BASIC_INFORMATION query(const void *address)
{
    MEMORY_BASIC_INFORMATION info;

    memset(&info, 0, sizeof info);
    EXPECT_EQ(VirtualQuery(address, &info, sizeof info), sizeof info);
    return info;
}
