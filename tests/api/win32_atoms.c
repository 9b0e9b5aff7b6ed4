/* SPDX-License-Identifier: MIT
 *
 * win32_atoms.c - numbers for texts, in the process's table and in the global one.
 *
 * modes: win32
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <stdio.h>
#include <string.h>

/* A text that no other test of this program, and no other process, has. */
static const char *own_text(char text[64])
{
    snprintf(text, 64, "Atom %u of %u", (unsigned)GetCurrentThreadId(),
             (unsigned)GetCurrentProcessId());
    return text;
}

TEST_IN_EACH_KIND(Win32Atoms, counted)
{
    char text[64];
    char found[64];
    ATOM atom = AddAtomA(own_text(text));

    ASSERT_OK(atom);
    EXPECT_GE(atom, 0xC000);
    EXPECT_EQ(AddAtomA(text), atom);
    text[0] = 'a'; /* cases do not matter */
    EXPECT_EQ(FindAtomA(text), atom);
    EXPECT_EQ(GetAtomNameA(atom, found, sizeof found), strlen(text));
    EXPECT_STREQ(found + 1, text + 1);
    EXPECT_EQ(found[0], 'A');
    EXPECT_EQ(DeleteAtom(atom), 0);
    EXPECT_EQ(FindAtomA(text), atom);
    EXPECT_EQ(DeleteAtom(atom), 0);
    EXPECT_FAILS(FindAtomA(text), ERROR_FILE_NOT_FOUND);
    EXPECT_EQ(DeleteAtom(atom), atom);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(GetAtomNameA(atom, found, sizeof found), ERROR_INVALID_HANDLE);
}

TEST_IN_EACH_KIND(Win32Atoms, wide_and_global)
{
    static const WCHAR wide[] = {'U', 'm', 's', ' ', 'a', 't', 'o', 'm', 0xE4, 0};
    WCHAR found[16];
    ATOM atom = GlobalAddAtomW(wide);

    ASSERT_OK(atom);
    EXPECT_EQ(GlobalFindAtomW(wide), atom);
    EXPECT_EQ(GlobalGetAtomNameW(atom, found, 16), 9);
    EXPECT_EQ(memcmp(found, wide, sizeof wide), 0);
    EXPECT_EQ(GlobalDeleteAtom(atom), 0);
}

TEST_IN_EACH_KIND(Win32Atoms, numbers)
{
    char found[16];

    EXPECT_EQ(AddAtomA("#17"), 17);
    EXPECT_EQ(FindAtomA((LPCSTR)(ULONG_PTR)4711), 4711);
    EXPECT_EQ(GetAtomNameA(4711, found, sizeof found), 5);
    EXPECT_STREQ(found, "#4711");
    EXPECT_EQ(DeleteAtom(17), 0);
    EXPECT_FAILS(AddAtomA("#49152"), ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32Atoms, bad_texts)
{
    char text[300];
    ATOM atom;

    memset(text, 'x', sizeof text);
    text[256] = 0;
    EXPECT_FAILS(AddAtomA(text), ERROR_INVALID_PARAMETER);
    text[255] = 0;
    atom = AddAtomA(text);
    EXPECT_OK(atom);
    EXPECT_FAILS(GetAtomNameA(atom, text, 0), ERROR_MORE_DATA);
    EXPECT_EQ(DeleteAtom(atom), 0);
    EXPECT_OK(InitAtomTable(37));
}

/* More than the table had room for at first. */
TEST_IN_EACH_KIND(Win32Atoms, many)
{
    enum { MANY = 300 };
    ATOM atoms[MANY];
    char text[64];

    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "many %d of %u", i, (unsigned)GetCurrentThreadId());
        atoms[i] = AddAtomA(text);
        EXPECT_OK(atoms[i]);
    }
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "many %d of %u", i, (unsigned)GetCurrentThreadId());
        EXPECT_EQ(FindAtomA(text), atoms[i]);
        EXPECT_EQ(DeleteAtom(atoms[i]), 0);
    }
}
