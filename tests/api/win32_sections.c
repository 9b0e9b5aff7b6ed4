/* SPDX-License-Identifier: MIT
 *
 * win32_sections.c - sections, which views are made of: their sizes, names and reserved pages,
 * their effects on their files, and files and sizes that cannot be a section.
 *
 * modes: win32
 * with: mapped_file.c
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"
#include "mapped_file.h"

#include <stdio.h>
#include <string.h>

TEST_IN_EACH_KIND(Win32Sections, a_file_grows_to_the_size_asked_for)
{
    HANDLE file = fresh_file(100), section;
    LARGE_INTEGER size;
    unsigned char *view;

    EXPECT_FAILS(CreateFileMappingA(file, NULL, PAGE_READONLY, 0, GRAIN, NULL),
                 ERROR_NOT_ENOUGH_MEMORY);
    EXPECT_OK(GetFileSizeEx(file, &size));
    EXPECT_EQ(size.QuadPart, 100);
    section = CreateFileMappingA(file, NULL, PAGE_READWRITE, 0, GRAIN + 7, NULL);
    ASSERT_OK(section != NULL);
    EXPECT_OK(GetFileSizeEx(file, &size));
    EXPECT_EQ(size.QuadPart, GRAIN + 7);
    view = MapViewOfFile(section, FILE_MAP_WRITE, 0, GRAIN, 7);
    ASSERT_OK(view != NULL);
    EXPECT_EQ(view[6], 0);
    view[6] = 3;
    EXPECT_OK(UnmapViewOfFile(view));
    EXPECT_OK(CloseHandle(section));
    EXPECT_EQ(byte_of_file(file, GRAIN + 6), 3);
    drop_file(file);
}

TEST_IN_EACH_KIND(Win32Sections, names)
{
    char name[64];
    WCHAR wide[64];
    HANDLE first, again, opened, event;
    char *one, *two;
    unsigned i;

    snprintf(name, sizeof name, "umsshim view %u", (unsigned)GetCurrentProcessId());
    for (i = 0; i == 0 || name[i - 1]; i++)
        wide[i] = (WCHAR)name[i];
    EXPECT_FAILS(OpenFileMappingA(FILE_MAP_READ, FALSE, name), ERROR_FILE_NOT_FOUND);
    SetLastError(SENTINEL);
    first = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, PAGE, name);
    ASSERT_OK(first != NULL);
    EXPECT_EQ(GetLastError(), ERROR_SUCCESS);
    again = CreateFileMappingW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 2 * PAGE, wide);
    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    ASSERT_OK(again != NULL);
    opened = OpenFileMappingW(FILE_MAP_ALL_ACCESS, FALSE, wide);
    ASSERT_OK(opened != NULL);
    EXPECT_FAILS(CreateEventA(NULL, FALSE, FALSE, name), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(OpenEventA(EVENT_ALL_ACCESS, FALSE, name), ERROR_INVALID_HANDLE);
    one = MapViewOfFile(first, FILE_MAP_WRITE, 0, 0, 0);
    two = MapViewOfFile(again, FILE_MAP_READ, 0, 0, PAGE);
    ASSERT_OK(one != NULL && two != NULL);
    EXPECT_FAILS(MapViewOfFile(again, FILE_MAP_READ, 0, 0, 2 * PAGE), ERROR_ACCESS_DENIED);
    strcpy(one, "hello");
    EXPECT_STREQ(two, "hello");
    EXPECT_OK(UnmapViewOfFile(two));
    two = MapViewOfFile(opened, FILE_MAP_READ, 0, 0, 0);
    ASSERT_OK(two != NULL);
    EXPECT_STREQ(two, "hello");
    EXPECT_OK(CloseHandle(opened));
    EXPECT_OK(CloseHandle(again));
    EXPECT_OK(CloseHandle(first));
    EXPECT_OK(UnmapViewOfFile(two));
    EXPECT_OK(UnmapViewOfFile(one));
    EXPECT_FAILS(OpenFileMappingA(FILE_MAP_READ, FALSE, name), ERROR_FILE_NOT_FOUND);
    event = CreateEventA(NULL, FALSE, FALSE, name);
    ASSERT_OK(event != NULL);
    EXPECT_FAILS(OpenFileMappingA(FILE_MAP_READ, FALSE, name), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event));
}

TEST_IN_EACH_KIND(Win32Sections, what_cannot_be_mapped)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL), file, writer, reader, reads, writes;

    EXPECT_FAILS(CreateFileMappingA(event, NULL, PAGE_READWRITE, 0, PAGE, NULL),
                 ERROR_INVALID_HANDLE);
    EXPECT_FAILS(MapViewOfFile(event, FILE_MAP_READ, 0, 0, 0), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(MapViewOfFile(NULL, FILE_MAP_READ, 0, 0, 0), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event));
    EXPECT_FAILS(CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 0, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, 0x777, 0, PAGE, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_NOACCESS, 0, PAGE, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateFileMappingA(INVALID_HANDLE_VALUE, NULL,
                                    PAGE_READWRITE | SEC_COMMIT | SEC_RESERVE, 0, PAGE, NULL),
                 ERROR_INVALID_PARAMETER);
    file = fresh_file(0);
    EXPECT_FAILS(CreateFileMappingA(file, NULL, PAGE_READWRITE, 0, 0, NULL), ERROR_FILE_INVALID);
    drop_file(file);
    file = fresh_file(PAGE);
    reader = reopen(GENERIC_READ);
    writer = reopen(GENERIC_WRITE);
    EXPECT_FAILS(CreateFileMappingA(reader, NULL, PAGE_READWRITE, 0, 0, NULL), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(CreateFileMappingA(writer, NULL, PAGE_READWRITE, 0, 0, NULL), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(CreateFileMappingA(writer, NULL, PAGE_READONLY, 0, 0, NULL), ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(reader));
    EXPECT_OK(CloseHandle(writer));
    drop_file(file);
    ASSERT_OK(CreatePipe(&reads, &writes, NULL, 0));
    EXPECT_EQ(CreateFileMappingA(reads, NULL, PAGE_READONLY, 0, PAGE, NULL), NULL);
    EXPECT_OK(CloseHandle(reads));
    EXPECT_OK(CloseHandle(writes));
}

TEST_IN_EACH_KIND(Win32Sections, reserved_pages_are_committed_for_all_views)
{
    HANDLE section = memory(PAGE_READWRITE | SEC_RESERVE, 8 * PAGE);
    unsigned char *one = MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, 0), *two, *late;
    MEMORY_BASIC_INFORMATION info;

    two = MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, 4 * PAGE);
    ASSERT_OK(one != NULL && two != NULL);
    info = query(one);
    EXPECT_EQ(info.State, MEM_RESERVE);
    EXPECT_EQ(info.Type, MEM_MAPPED);
    EXPECT_EQ(info.RegionSize, 8 * PAGE);
    EXPECT_EQ(VirtualAlloc(one + 2 * PAGE, 3 * PAGE, MEM_COMMIT, PAGE_READWRITE), one + 2 * PAGE);
    EXPECT_EQ(query(one).RegionSize, 2 * PAGE);
    info = query(one + 2 * PAGE);
    EXPECT_EQ(info.State, MEM_COMMIT);
    EXPECT_EQ(info.Protect, PAGE_READWRITE);
    EXPECT_EQ(info.RegionSize, 3 * PAGE);
    one[2 * PAGE] = 11;
    one[5 * PAGE - 1] = 12;
    EXPECT_EQ(query(two).State, MEM_RESERVE);
    EXPECT_EQ(query(two + 2 * PAGE).State, MEM_COMMIT);
    EXPECT_EQ(query(two + 2 * PAGE).RegionSize, 2 * PAGE);
    EXPECT_EQ(two[2 * PAGE], 11);
    late = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
    ASSERT_OK(late != NULL);
    EXPECT_EQ(query(late).State, MEM_RESERVE);
    EXPECT_EQ(query(late + 2 * PAGE).RegionSize, 3 * PAGE);
    EXPECT_EQ(late[5 * PAGE - 1], 12);
    EXPECT_OK(UnmapViewOfFile(late));
    EXPECT_OK(UnmapViewOfFile(two));
    EXPECT_OK(UnmapViewOfFile(one));
    EXPECT_OK(CloseHandle(section));
}

/* While a section shows them, the bytes of a file stay. */
TEST_IN_EACH_KIND(Win32Sections, a_mapped_file_is_not_shortened)
{
    HANDLE file = fresh_file(2 * GRAIN), section;
    unsigned char *view;

    section = CreateFileMappingA(file, NULL, PAGE_READWRITE, 0, 0, NULL);
    ASSERT_OK(section != NULL);
    view = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
    ASSERT_OK(view != NULL);
    EXPECT_OK(CloseHandle(section));
    EXPECT_EQ(SetFilePointer(file, PAGE, NULL, FILE_BEGIN), PAGE);
    EXPECT_FAILS(SetEndOfFile(file), ERROR_USER_MAPPED_FILE);
    EXPECT_EQ(view[2 * GRAIN - 1], 2 * GRAIN / PAGE);
    EXPECT_EQ(SetFilePointer(file, 3 * GRAIN, NULL, FILE_BEGIN), 3 * GRAIN);
    EXPECT_OK(SetEndOfFile(file)); /* longer it may be */
    EXPECT_OK(UnmapViewOfFile(view));
    EXPECT_EQ(SetFilePointer(file, PAGE, NULL, FILE_BEGIN), PAGE);
    EXPECT_OK(SetEndOfFile(file));
    drop_file(file);
}

TEST_IN_EACH_KIND(Win32Sections, nobody_waits_for_a_section)
{
    HANDLE section = memory(PAGE_READWRITE, PAGE);

    SetLastError(SENTINEL);
    EXPECT_EQ(WaitForSingleObject(section, INFINITE), WAIT_FAILED);
    EXPECT_EQ(GetLastError(), ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(section));
}
