/* SPDX-License-Identifier: MIT
 *
 * win32_virtual.c - address space: to reserve, commit, protect, release and query it.
 *
 * modes: win32
 * except: bad_parameters, reserve_commit_decommit_release
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <stdint.h>
#include <string.h>

enum { PAGE = 4096, GRAIN = 65536 };

static MEMORY_BASIC_INFORMATION query(const void *address)
{
    MEMORY_BASIC_INFORMATION info;

    memset(&info, 0, sizeof info);
    EXPECT_EQ(VirtualQuery(address, &info, sizeof info), sizeof info);
    return info;
}

TEST_IN_EACH_KIND(Win32Virtual, reserve_commit_decommit_release)
{
    char *base = VirtualAlloc(NULL, 10 * PAGE, MEM_RESERVE, PAGE_READWRITE);
    MEMORY_BASIC_INFORMATION info;

    ASSERT_OK(base != NULL);
    EXPECT_EQ((uintptr_t)base % GRAIN, 0);
    info = query(base + PAGE + 5);
    EXPECT_EQ(info.State, MEM_RESERVE);
    EXPECT_EQ(info.BaseAddress, base + PAGE);
    EXPECT_EQ(info.AllocationBase, base);
    EXPECT_EQ(info.AllocationProtect, PAGE_READWRITE);
    EXPECT_EQ(info.RegionSize, 9 * PAGE);
    EXPECT_EQ(info.Type, MEM_PRIVATE);

    /* Two bytes across a page's end are two pages. */
    EXPECT_EQ(VirtualAlloc(base + 3 * PAGE - 1, 2, MEM_COMMIT, PAGE_READWRITE), base + 2 * PAGE);
    info = query(base + 2 * PAGE);
    EXPECT_EQ(info.State, MEM_COMMIT);
    EXPECT_EQ(info.Protect, PAGE_READWRITE);
    EXPECT_EQ(info.RegionSize, 2 * PAGE);
    base[2 * PAGE] = 1;
    base[4 * PAGE - 1] = 2;

    EXPECT_OK(VirtualFree(base + 2 * PAGE, PAGE, MEM_DECOMMIT));
    EXPECT_EQ(query(base + 2 * PAGE).State, MEM_RESERVE);
    EXPECT_EQ(VirtualAlloc(base + 2 * PAGE, PAGE, MEM_COMMIT, PAGE_READWRITE), base + 2 * PAGE);
    EXPECT_EQ(base[2 * PAGE], 0); /* what was decommitted is gone */
    EXPECT_EQ(base[4 * PAGE - 1], 2);
    EXPECT_OK(VirtualFree(base, 0, MEM_DECOMMIT)); /* all of it */
    EXPECT_EQ(query(base + 3 * PAGE).State, MEM_RESERVE);
    EXPECT_OK(VirtualFree(base, 0, MEM_RELEASE));
    EXPECT_FAILS(VirtualFree(base, 0, MEM_RELEASE), ERROR_INVALID_ADDRESS);
}

TEST_IN_EACH_KIND(Win32Virtual, reserve_and_commit_at_once)
{
    char *both = VirtualAlloc(NULL, 100, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    char *commit = VirtualAlloc(NULL, 100, MEM_COMMIT, PAGE_READWRITE); /* reserves as well */

    ASSERT_OK(both != NULL);
    ASSERT_OK(commit != NULL);
    EXPECT_EQ(both[PAGE - 1], 0);
    memset(both, 1, PAGE);
    memset(commit, 1, PAGE);
    EXPECT_EQ(query(both).RegionSize, PAGE);
    EXPECT_OK(VirtualFree(both, 0, MEM_RELEASE));
    EXPECT_OK(VirtualFree(commit, 0, MEM_RELEASE));
}

TEST(Win32Virtual, committed_twice_keeps_its_contents)
{
    char *base = VirtualAlloc(NULL, 2 * PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);

    ASSERT_OK(base != NULL);
    base[0] = 42;
    EXPECT_EQ(VirtualAlloc(base, 2 * PAGE, MEM_COMMIT, PAGE_READWRITE), base);
    EXPECT_EQ(base[0], 42);
    EXPECT_OK(VirtualFree(base, 0, MEM_RELEASE));
}

TEST(Win32Virtual, at_an_address)
{
    char *base = VirtualAlloc(NULL, 8 * GRAIN, MEM_RESERVE, PAGE_NOACCESS);
    char *again;

    ASSERT_OK(base != NULL);
    EXPECT_FAILS(VirtualAlloc(base, GRAIN, MEM_RESERVE, PAGE_READWRITE), ERROR_INVALID_ADDRESS);
    EXPECT_OK(VirtualFree(base, 0, MEM_RELEASE));
    /* Rounded down to 64 KiB; the size goes up to the page's end. */
    again = VirtualAlloc(base + GRAIN + 100, GRAIN, MEM_RESERVE, PAGE_READWRITE);
    ASSERT_EQ(again, base + GRAIN);
    EXPECT_EQ(query(again).RegionSize, GRAIN + PAGE);
    EXPECT_OK(VirtualFree(again, 0, MEM_RELEASE));
}

TEST_IN_EACH_KIND(Win32Virtual, bad_parameters)
{
    char *base = VirtualAlloc(NULL, 4 * PAGE, MEM_RESERVE, PAGE_READWRITE);
    DWORD old;

    ASSERT_OK(base != NULL);
    EXPECT_FAILS(VirtualAlloc(NULL, 0, MEM_RESERVE, PAGE_READWRITE), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(VirtualAlloc(NULL, PAGE, 0, PAGE_READWRITE), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(VirtualAlloc(NULL, PAGE, MEM_RESERVE, 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(VirtualAlloc(NULL, PAGE, MEM_RESERVE, 0x777), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(VirtualAlloc(NULL, SIZE_MAX, MEM_RESERVE, PAGE_READWRITE),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(VirtualAlloc(base + 3 * PAGE, 2 * PAGE, MEM_COMMIT, PAGE_READWRITE),
                 ERROR_INVALID_ADDRESS);
    EXPECT_FAILS(VirtualFree(base, PAGE, MEM_RELEASE), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(VirtualFree(base, 0, 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(VirtualFree(base, 0, MEM_RELEASE | MEM_DECOMMIT), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(VirtualFree(base + PAGE, 0, MEM_RELEASE), ERROR_INVALID_ADDRESS);
    EXPECT_FAILS(VirtualProtect(base, PAGE, PAGE_READONLY, &old), ERROR_INVALID_ADDRESS);
    EXPECT_FAILS(VirtualProtect(base, PAGE, PAGE_READONLY, NULL), ERROR_NOACCESS);
    EXPECT_OK(VirtualFree(base, 0, MEM_RELEASE));
    EXPECT_FAILS(VirtualFree(base, 0, MEM_RELEASE), ERROR_INVALID_ADDRESS);
    EXPECT_FAILS(VirtualAlloc(base, PAGE, MEM_COMMIT, PAGE_READWRITE), ERROR_INVALID_ADDRESS);
}

TEST_IN_EACH_KIND(Win32Virtual, protection)
{
    char *base = VirtualAlloc(NULL, 4 * PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    MEMORY_BASIC_INFORMATION info;
    DWORD old = 0;

    ASSERT_OK(base != NULL);
    base[PAGE] = 9;
    EXPECT_OK(VirtualProtect(base + PAGE, 2 * PAGE, PAGE_READONLY, &old));
    EXPECT_EQ(old, PAGE_READWRITE);
    EXPECT_EQ(base[PAGE], 9);
    info = query(base + PAGE);
    EXPECT_EQ(info.Protect, PAGE_READONLY);
    EXPECT_EQ(info.AllocationProtect, PAGE_READWRITE);
    EXPECT_EQ(info.RegionSize, 2 * PAGE);
    EXPECT_EQ(query(base).RegionSize, PAGE);
    EXPECT_OK(VirtualProtect(base + PAGE, PAGE, PAGE_READWRITE, &old));
    EXPECT_EQ(old, PAGE_READONLY);
    base[PAGE] = 10;
    EXPECT_OK(VirtualFree(base, 0, MEM_RELEASE));
}

/* "mov eax, 42; ret" of x86-64. */
static const unsigned char code[] = {0xB8, 42, 0, 0, 0, 0xC3};

TEST(Win32Virtual, code_made_at_run_time)
{
    char *base = VirtualAlloc(NULL, PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    DWORD old;

    ASSERT_OK(base != NULL);
    memcpy(base, code, sizeof code);
    EXPECT_OK(VirtualProtect(base, PAGE, PAGE_EXECUTE_READ, &old));
    EXPECT_EQ(((int (*)(void))(uintptr_t)base)(), 42);
    EXPECT_OK(VirtualFree(base, 0, MEM_RELEASE));
}

static const char constant[] = "in the image";

TEST_IN_EACH_KIND(Win32Virtual, memory_of_others)
{
    int local = 0;
    MEMORY_BASIC_INFORMATION info = query(&local);

    EXPECT_EQ(info.State, MEM_COMMIT);
    EXPECT_EQ(info.Protect, PAGE_READWRITE);
    EXPECT_THAT((char *)info.BaseAddress + info.RegionSize > (char *)&local, "the range is short");
    info = query(constant);
    EXPECT_EQ(info.State, MEM_COMMIT);
    EXPECT_EQ(info.Type, MEM_IMAGE);
    SetLastError(SENTINEL);
    EXPECT_EQ(VirtualQuery(&local, &info, 8), 0);
    EXPECT_EQ(GetLastError(), ERROR_BAD_LENGTH);
}

TEST(Win32Virtual, lock)
{
    char *base = VirtualAlloc(NULL, PAGE, MEM_RESERVE, PAGE_READWRITE);

    ASSERT_OK(base != NULL);
    EXPECT_EQ(VirtualAlloc(base, PAGE, MEM_COMMIT, PAGE_READWRITE), base);
    EXPECT_OK(VirtualLock(base, PAGE));
    EXPECT_OK(VirtualUnlock(base, PAGE));
    EXPECT_OK(VirtualFree(base, 0, MEM_RELEASE));
}

TEST(Win32Virtual, a_lot_of_address_space)
{
    SIZE_T huge = (SIZE_T)1 << 38;
    char *base = VirtualAlloc(NULL, huge, MEM_RESERVE, PAGE_READWRITE);

    ASSERT_OK(base != NULL);
    EXPECT_EQ(VirtualAlloc(base + huge / 2, PAGE, MEM_COMMIT, PAGE_READWRITE), base + huge / 2);
    base[huge / 2] = 1;
    EXPECT_EQ(query(base + huge / 2).RegionSize, PAGE);
    EXPECT_OK(VirtualFree(base, 0, MEM_RELEASE));
    /* In the middle of so much nobody else has settled in the meantime. */
    EXPECT_EQ(query(base + huge / 2).State, MEM_FREE);
    EXPECT_EQ(query(base + huge / 2).AllocationBase, NULL);
}
