/* SPDX-License-Identifier: MIT
 *
 * win32_file_moves.c - files moved, copied and replaced.
 *
 * modes: win32
 * with: folder.c
 * except: a_copy_that_is_followed
 */
#include <windows.h>

#include "folder.h"
#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

TEST_IN_EACH_KIND(Win32FileMoves, a_move)
{
    folder_make();
    file_make("one", "1");
    file_make("two", "2");
    EXPECT_FAILS(MoveFileA(in_folder("one"), in_folder("two")), ERROR_ALREADY_EXISTS);
    EXPECT_FAILS(MoveFileA(in_folder("no"), in_folder("three")), ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(MoveFileA(in_folder("one"), in_folder("no/one")), ERROR_PATH_NOT_FOUND);
    EXPECT_OK(MoveFileA(in_folder("one"), in_folder("three")));
    file_expect("three", "1");
    EXPECT_EQ(GetFileAttributesA(in_folder("one")), INVALID_FILE_ATTRIBUTES);
    EXPECT_OK(MoveFileExA(in_folder("three"), in_folder("two"),
                          MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH));
    file_expect("two", "1");
    EXPECT_OK(CreateDirectoryA(in_folder("inner"), NULL));
    EXPECT_FAILS(MoveFileExA(in_folder("two"), in_folder("inner"), MOVEFILE_REPLACE_EXISTING),
                 ERROR_ACCESS_DENIED);
    EXPECT_OK(MoveFileA(in_folder("two"), in_folder("inner/two")));
    EXPECT_OK(MoveFileA(in_folder("inner"), in_folder("outer")));
    file_expect("outer/two", "1");
    EXPECT_OK(DeleteFileA(in_folder("outer/two")));
    EXPECT_OK(RemoveDirectoryA(in_folder("outer")));
    folder_remove(NULL);
}

TEST_IN_EACH_KIND(Win32FileMoves, a_copy)
{
    WIN32_FILE_ATTRIBUTE_DATA one;
    WIN32_FILE_ATTRIBUTE_DATA two;

    folder_make();
    file_make("one", "some text");
    EXPECT_OK(CopyFileA(in_folder("one"), in_folder("two"), TRUE));
    file_expect("two", "some text");
    EXPECT_OK(GetFileAttributesExA(in_folder("one"), GetFileExInfoStandard, &one));
    EXPECT_OK(GetFileAttributesExA(in_folder("two"), GetFileExInfoStandard, &two));
    EXPECT_EQ(CompareFileTime(&one.ftLastWriteTime, &two.ftLastWriteTime), 0);
    EXPECT_FAILS(CopyFileA(in_folder("one"), in_folder("two"), TRUE), ERROR_FILE_EXISTS);
    file_make("one", "less");
    EXPECT_OK(CopyFileA(in_folder("one"), in_folder("two"), FALSE));
    file_expect("two", "less");
    EXPECT_FAILS(CopyFileA(in_folder("no"), in_folder("two"), FALSE), ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(CopyFileA(in_folder("one"), in_folder("no/two"), FALSE), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(CopyFileA(in_folder("one"), in_folder("one"), FALSE), ERROR_SHARING_VIOLATION);
    file_expect("one", "less");
    folder_remove("one", "two", NULL);
}

struct told {
    int calls;
    DWORD answer;
    LONGLONG copied;
};

static DWORD CALLBACK hear(LARGE_INTEGER size, LARGE_INTEGER done, LARGE_INTEGER stream_size,
                           LARGE_INTEGER stream_done, DWORD stream, DWORD reason, HANDLE from,
                           HANDLE to, LPVOID arg)
{
    struct told *told = arg;

    told->calls++;
    told->copied = done.QuadPart;
    return told->answer;
}

TEST_IN_EACH_KIND(Win32FileMoves, a_copy_that_is_followed)
{
    struct told told = {0, PROGRESS_CONTINUE, 0};
    BOOL cancel = FALSE;

    folder_make();
    file_make("one", "some text");
    EXPECT_OK(CopyFileExA(in_folder("one"), in_folder("two"), hear, &told, &cancel, 0));
    EXPECT_GE(told.calls, 2);
    EXPECT_EQ(told.copied, 9);
    told.answer = PROGRESS_CANCEL;
    EXPECT_FAILS(CopyFileExA(in_folder("one"), in_folder("three"), hear, &told, &cancel, 0),
                 ERROR_REQUEST_ABORTED);
    EXPECT_EQ(GetFileAttributesA(in_folder("three")), INVALID_FILE_ATTRIBUTES);
    folder_remove("one", "two", NULL);
}

TEST_IN_EACH_KIND(Win32FileMoves, a_replacement)
{
    folder_make();
    file_make("old", "old");
    file_make("new", "new");
    EXPECT_OK(ReplaceFileA(in_folder("old"), in_folder("new"), in_folder("backup"), 0, NULL, NULL));
    file_expect("old", "new");
    file_expect("backup", "old");
    EXPECT_FAILS(ReplaceFileA(in_folder("old"), in_folder("new"), NULL, 0, NULL, NULL),
                 ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(ReplaceFileA(in_folder("no"), in_folder("backup"), NULL, 0, NULL, NULL),
                 ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(ReplaceFileA(NULL, in_folder("backup"), NULL, 0, NULL, NULL),
                 ERROR_INVALID_PARAMETER);
    folder_remove("old", "backup", NULL);
}
