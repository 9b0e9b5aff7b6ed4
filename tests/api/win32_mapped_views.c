/* SPDX-License-Identifier: MIT
 *
 * win32_mapped_views.c - views of files and of memory: their addresses, their contents for each
 * process, how long they last, and addresses that are no view's.
 *
 * modes: win32
 * with: mapped_file.c
 * except: flushing_what_is_no_view
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"
#include "mapped_file.h"

#include <stdint.h>
#include <string.h>

TEST_IN_EACH_KIND(Win32MappedViews, a_file_is_read_and_written)
{
    HANDLE file = fresh_file(2 * PAGE + 100);
    HANDLE section = CreateFileMappingA(file, NULL, PAGE_READWRITE, 0, 0, NULL);
    unsigned char *view;

    ASSERT_OK(section != NULL);
    view = MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, 0);
    ASSERT_OK(view != NULL);
    EXPECT_EQ((uintptr_t)view % GRAIN, 0);
    EXPECT_EQ(view[0], 1);
    EXPECT_EQ(view[PAGE], 2);
    EXPECT_EQ(view[2 * PAGE + 99], 3);
    EXPECT_EQ(view[2 * PAGE + 100], 0); /* the rest of the last page */
    view[PAGE] = 77;
    EXPECT_OK(FlushViewOfFile(view, 0));
    EXPECT_OK(FlushViewOfFile(view + PAGE + 5, 10));
    EXPECT_EQ(byte_of_file(file, PAGE), 77);
    EXPECT_OK(UnmapViewOfFile(view));
    EXPECT_FAILS(UnmapViewOfFile(view), ERROR_INVALID_ADDRESS);
    EXPECT_OK(CloseHandle(section));
    drop_file(file);
}

TEST_IN_EACH_KIND(Win32MappedViews, a_view_outlives_every_handle)
{
    HANDLE file = fresh_file(PAGE);
    HANDLE section = CreateFileMappingA(file, NULL, PAGE_READWRITE, 0, 0, NULL);
    unsigned char *view, *second;

    ASSERT_OK(section != NULL);
    EXPECT_OK(CloseHandle(file));
    view = MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, 0);
    second = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
    ASSERT_OK(view != NULL && second != NULL);
    EXPECT_OK(CloseHandle(section));
    view[10] = 99;
    EXPECT_EQ(second[10], 99);
    EXPECT_OK(UnmapViewOfFile(view));
    EXPECT_EQ(second[10], 99);
    EXPECT_OK(FlushViewOfFile(second, 0));
    EXPECT_OK(UnmapViewOfFile(second));
    file = reopen(GENERIC_READ);
    EXPECT_EQ(byte_of_file(file, 10), 99);
    drop_file(file);
}

TEST_IN_EACH_KIND(Win32MappedViews, memory_without_a_file)
{
    HANDLE section = memory(PAGE_READWRITE | SEC_COMMIT, 3 * PAGE);
    unsigned char *one = MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, 0);
    unsigned char *two = MapViewOfFile(section, FILE_MAP_WRITE | FILE_MAP_READ, 0, 0, PAGE);
    MEMORY_BASIC_INFORMATION info;

    ASSERT_OK(one != NULL && two != NULL);
    EXPECT_NE(one, two);
    EXPECT_EQ(one[0], 0);
    one[5] = 6;
    EXPECT_EQ(two[5], 6);
    info = query(one);
    EXPECT_EQ(info.State, MEM_COMMIT);
    EXPECT_EQ(info.Type, MEM_MAPPED);
    EXPECT_EQ(info.Protect, PAGE_READWRITE);
    EXPECT_EQ(info.AllocationProtect, PAGE_READWRITE);
    EXPECT_EQ(info.AllocationBase, one);
    EXPECT_EQ(info.RegionSize, 3 * PAGE);
    EXPECT_EQ(query(two).RegionSize, PAGE);
    EXPECT_OK(FlushViewOfFile(one, 0));
    EXPECT_OK(UnmapViewOfFile(two));
    EXPECT_OK(UnmapViewOfFile(one));
    EXPECT_NE(query(one).Type, MEM_MAPPED); /* another thread may have had the addresses since */
    EXPECT_OK(CloseHandle(section));
}

TEST_IN_EACH_KIND(Win32MappedViews, a_copy_keeps_what_is_written_to_itself)
{
    HANDLE file = fresh_file(PAGE), section, read_only = reopen(GENERIC_READ);
    unsigned char *view, *copy;

    section = CreateFileMappingA(read_only, NULL, PAGE_WRITECOPY, 0, 0, NULL);
    ASSERT_OK(section != NULL);
    EXPECT_FAILS(MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, 0), ERROR_ACCESS_DENIED);
    copy = MapViewOfFile(section, FILE_MAP_COPY, 0, 0, 0);
    view = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
    ASSERT_OK(copy != NULL && view != NULL);
    EXPECT_EQ(query(copy).AllocationProtect, PAGE_WRITECOPY);
    copy[0] = 55;
    EXPECT_EQ(copy[0], 55);
    EXPECT_EQ(view[0], 1);
    EXPECT_EQ(byte_of_file(file, 0), 1);
    EXPECT_OK(UnmapViewOfFile(copy));
    EXPECT_OK(UnmapViewOfFile(view));
    EXPECT_OK(CloseHandle(section));
    EXPECT_OK(CloseHandle(read_only));
    drop_file(file);
}

/* A section may be smaller than its file; then a view cannot show more than the section. */
TEST_IN_EACH_KIND(Win32MappedViews, the_parts_of_a_section)
{
    HANDLE file = fresh_file(2 * GRAIN);
    HANDLE section = CreateFileMappingA(file, NULL, PAGE_READONLY, 0, GRAIN + PAGE, NULL);
    unsigned char *view;

    ASSERT_OK(section != NULL);
    view = MapViewOfFile(section, FILE_MAP_READ, 0, GRAIN, 0);
    ASSERT_OK(view != NULL);
    EXPECT_EQ(view[0], GRAIN / PAGE + 1);
    EXPECT_EQ(query(view).RegionSize, PAGE);
    EXPECT_OK(UnmapViewOfFile(view + 5)); /* any address in it */
    EXPECT_FAILS(MapViewOfFile(section, FILE_MAP_READ, 0, GRAIN, 2 * PAGE), ERROR_ACCESS_DENIED);
    EXPECT_EQ(MapViewOfFile(section, FILE_MAP_READ, 0, 2 * GRAIN, 0), NULL);
    EXPECT_FAILS(MapViewOfFile(section, FILE_MAP_READ, 0, PAGE, 0), ERROR_MAPPED_ALIGNMENT);
    EXPECT_FAILS(MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, 0), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(MapViewOfFile(section, FILE_MAP_READ | FILE_MAP_EXECUTE, 0, 0, 0),
                 ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(section));
    drop_file(file);
}

TEST_IN_EACH_KIND(Win32MappedViews, at_an_address)
{
    HANDLE section = memory(PAGE_READWRITE, GRAIN);
    SIZE_T huge = (SIZE_T)1 << 38;
    char *base = VirtualAlloc(NULL, huge, MEM_RESERVE, PAGE_READWRITE);
    char *place =
        base + huge / 2; /* in the middle of so much nobody else settles as soon as it is free */
    char *view;

    ASSERT_OK(base != NULL);
    EXPECT_FAILS(MapViewOfFileEx(section, FILE_MAP_WRITE, 0, 0, 0, place), ERROR_INVALID_ADDRESS);
    EXPECT_FAILS(MapViewOfFileEx(section, FILE_MAP_WRITE, 0, 0, 0, place + PAGE),
                 ERROR_MAPPED_ALIGNMENT);
    EXPECT_OK(VirtualFree(base, 0, MEM_RELEASE));
    view = MapViewOfFileEx(section, FILE_MAP_WRITE, 0, 0, 0, place + GRAIN);
    ASSERT_EQ(view, place + GRAIN);
    view[0] = 1;
    EXPECT_FAILS(VirtualAlloc(view, PAGE, MEM_RESERVE, PAGE_READWRITE), ERROR_INVALID_ADDRESS);
    EXPECT_OK(UnmapViewOfFile(view));
    EXPECT_OK(CloseHandle(section));
}

TEST_IN_EACH_KIND(Win32MappedViews, addresses_that_are_no_views)
{
    char *base = VirtualAlloc(NULL, PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE), *view;
    HANDLE section = memory(PAGE_READWRITE, PAGE);

    EXPECT_FAILS(UnmapViewOfFile(NULL), ERROR_INVALID_ADDRESS);
    EXPECT_FAILS(UnmapViewOfFile(base), ERROR_INVALID_ADDRESS);
    EXPECT_OK(VirtualFree(base, 0, MEM_RELEASE));
    view = MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, 0);
    ASSERT_OK(view != NULL);
    EXPECT_FAILS(VirtualFree(view, 0, MEM_RELEASE), ERROR_INVALID_PARAMETER);
    view[0] = 1;
    EXPECT_OK(UnmapViewOfFile(view));
    EXPECT_OK(CloseHandle(section));
}

TEST_IN_EACH_KIND(Win32MappedViews, flushing_what_is_no_view)
{
    char *base = VirtualAlloc(NULL, PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE), *view;
    HANDLE section = memory(PAGE_READWRITE, PAGE);

    EXPECT_FAILS(FlushViewOfFile(base, 0), ERROR_INVALID_ADDRESS);
    EXPECT_OK(VirtualFree(base, 0, MEM_RELEASE));
    view = MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, 0);
    ASSERT_OK(view != NULL);
    EXPECT_FAILS(FlushViewOfFile(view, 2 * PAGE), ERROR_INVALID_ADDRESS);
    EXPECT_OK(UnmapViewOfFile(view));
    EXPECT_FAILS(FlushViewOfFile(view, 0), ERROR_INVALID_ADDRESS);
    EXPECT_OK(CloseHandle(section));
}

TEST_IN_EACH_KIND(Win32MappedViews, protection)
{
    HANDLE section = memory(PAGE_READWRITE, 2 * PAGE);
    unsigned char *view = MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, 0);
    DWORD old = 0;

    ASSERT_OK(view != NULL);
    view[0] = 9;
    EXPECT_OK(VirtualProtect(view, PAGE, PAGE_READONLY, &old));
    EXPECT_EQ(old, PAGE_READWRITE);
    EXPECT_EQ(query(view).Protect, PAGE_READONLY);
    EXPECT_EQ(query(view).RegionSize, PAGE);
    EXPECT_EQ(view[0], 9);
    EXPECT_OK(VirtualProtect(view, 2 * PAGE, PAGE_READWRITE, &old));
    EXPECT_EQ(old, PAGE_READONLY);
    view[0] = 10;
    EXPECT_OK(UnmapViewOfFile(view));
    EXPECT_OK(CloseHandle(section));
}

/* "mov eax, 42; ret" of x86-64. */
static const unsigned char code[] = {0xB8, 42, 0, 0, 0, 0xC3};

TEST(Win32MappedViews, code)
{
    HANDLE section = memory(PAGE_EXECUTE_READWRITE, PAGE);
    unsigned char *data = MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, 0);
    unsigned char *view = MapViewOfFile(section, FILE_MAP_READ | FILE_MAP_EXECUTE, 0, 0, 0);

    ASSERT_OK(data != NULL && view != NULL);
    EXPECT_EQ(query(view).Protect, PAGE_EXECUTE_READ);
    memcpy(data, code, sizeof code);
    EXPECT_EQ(((int (*)(void))(uintptr_t)view)(), 42);
    EXPECT_OK(UnmapViewOfFile(view));
    EXPECT_OK(UnmapViewOfFile(data));
    EXPECT_OK(CloseHandle(section));
}
