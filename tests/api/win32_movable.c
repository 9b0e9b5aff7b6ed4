/* SPDX-License-Identifier: MIT
 *
 * win32_movable.c - memory whose handle is not its address: locks, sizes, moves; and fixed memory
 * in the same calls.
 *
 * modes: win32
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

TEST_IN_EACH_KIND(Win32Movable, locked_and_unlocked)
{
    HGLOBAL handle = GlobalAlloc(GHND, 1000);
    char *memory;

    ASSERT_OK(handle != NULL);
    EXPECT_GE(GlobalSize(handle), 1000);
    EXPECT_EQ(GlobalFlags(handle) & GMEM_LOCKCOUNT, 0);
    memory = GlobalLock(handle);
    ASSERT_OK(memory != NULL);
    EXPECT_NE((void *)memory, handle);
    EXPECT_EQ(memory[0], 0);
    EXPECT_EQ(memory[999], 0);
    memset(memory, 'x', 1000);
    EXPECT_EQ(GlobalHandle(memory), handle);
    EXPECT_EQ(GlobalLock(handle), memory);
    EXPECT_EQ(GlobalFlags(handle) & GMEM_LOCKCOUNT, 2);
    EXPECT_OK(GlobalUnlock(handle));
    EXPECT_FAILS(GlobalUnlock(handle), NO_ERROR);
    EXPECT_FAILS(GlobalUnlock(handle), ERROR_NOT_LOCKED);
    EXPECT_EQ(GlobalFree(handle), NULL);
}

TEST_IN_EACH_KIND(Win32Movable, grows_with_what_is_in_it)
{
    HLOCAL handle = LocalAlloc(LHND, 10);
    char *memory = LocalLock(handle);

    ASSERT_OK(memory != NULL);
    strcpy(memory, "nine char");
    EXPECT_FAILS(LocalUnlock(handle), NO_ERROR);
    EXPECT_EQ(LocalReAlloc(handle, 200000, LMEM_MOVEABLE | LMEM_ZEROINIT), handle);
    EXPECT_GE(LocalSize(handle), 200000);
    memory = LocalLock(handle);
    ASSERT_OK(memory != NULL);
    EXPECT_STREQ(memory, "nine char");
    EXPECT_EQ(memory[199999], 0);
    EXPECT_EQ(LocalHandle(memory), handle);
    EXPECT_FAILS(LocalUnlock(handle), NO_ERROR);
    EXPECT_EQ(LocalFree(handle), NULL);
}

TEST_IN_EACH_KIND(Win32Movable, discarded)
{
    HGLOBAL handle = GlobalAlloc(GMEM_MOVEABLE, 0);

    ASSERT_OK(handle != NULL);
    EXPECT_EQ(GlobalSize(handle), 0);
    EXPECT_EQ(GlobalFlags(handle) & GMEM_DISCARDED, GMEM_DISCARDED);
    EXPECT_EQ(GlobalLock(handle), NULL);
    EXPECT_EQ(GlobalReAlloc(handle, 100, GMEM_MOVEABLE), handle);
    EXPECT_EQ(GlobalFlags(handle) & GMEM_DISCARDED, 0);
    EXPECT_OK(GlobalLock(handle) != NULL);
    EXPECT_EQ(GlobalFree(handle), NULL);
}

TEST_IN_EACH_KIND(Win32Movable, fixed_memory)
{
    HGLOBAL memory = GlobalAlloc(GPTR, 100);

    ASSERT_OK(memory != NULL);
    EXPECT_EQ(GlobalLock(memory), memory);
    EXPECT_OK(GlobalUnlock(memory));
    EXPECT_EQ(GlobalHandle(memory), memory);
    EXPECT_EQ(GlobalFlags(memory), 0);
    memory = GlobalReAlloc(memory, 100000, GMEM_MOVEABLE | GMEM_ZEROINIT);
    ASSERT_OK(memory != NULL);
    EXPECT_EQ(((char *)memory)[99999], 0);
    EXPECT_EQ(GlobalFree(memory), NULL);
}

TEST_IN_EACH_KIND(Win32Movable, many)
{
    enum { MANY = 1000 };
    HLOCAL handles[MANY];

    for (int i = 0; i < MANY; i++) {
        int *number;

        handles[i] = LocalAlloc(LMEM_MOVEABLE, sizeof *number);
        number = LocalLock(handles[i]);
        ASSERT_OK(number != NULL);
        *number = i;
        EXPECT_FAILS(LocalUnlock(handles[i]), NO_ERROR);
    }
    for (int i = 0; i < MANY; i++) {
        EXPECT_EQ(*(int *)LocalLock(handles[i]), i);
        EXPECT_EQ(LocalFree(handles[i]), NULL);
    }
}
