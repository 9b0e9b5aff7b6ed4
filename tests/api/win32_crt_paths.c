/* SPDX-License-Identifier: MIT
 *
 * win32_crt_paths.c - the C run-time library's paths: taken apart, put together, made whole.
 *
 * modes: win32
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct parts {
    char drive[_MAX_DRIVE], folder[_MAX_DIR], name[_MAX_FNAME], extension[_MAX_EXT];
};

TEST_IN_EACH_KIND(Win32CrtPaths, taken_apart)
{
    static const struct {
        const char *path, *drive, *folder, *name, *extension;
    } cases[] = {
        {"C:\\dir\\file.txt", "C:", "\\dir\\", "file", ".txt"},
        {"/dir/two/file.tar.gz", "", "/dir/two/", "file.tar", ".gz"},
        {"a.b/file", "", "a.b/", "file", ""},
        {"file.", "", "", "file", "."},
        {".hidden", "", "", "", ".hidden"},
        {"dir/", "", "dir/", "", ""},
        {"", "", "", "", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parts parts;

        _splitpath(cases[i].path, parts.drive, parts.folder, parts.name, parts.extension);
        EXPECT_STREQ(parts.drive, cases[i].drive);
        EXPECT_STREQ(parts.folder, cases[i].folder);
        EXPECT_STREQ(parts.name, cases[i].name);
        EXPECT_STREQ(parts.extension, cases[i].extension);
    }
    _splitpath("a/b.c", NULL, NULL, NULL, NULL);
}

TEST_IN_EACH_KIND(Win32CrtPaths, taken_apart_with_sizes)
{
    struct parts parts;

    EXPECT_EQ(_splitpath_s("C:/a/b.c", parts.drive, sizeof parts.drive, parts.folder,
                           sizeof parts.folder, parts.name, sizeof parts.name, parts.extension,
                           sizeof parts.extension),
              0);
    EXPECT_STREQ(parts.folder, "/a/");
    EXPECT_EQ(_splitpath_s("C:/a/b.c", NULL, 0, NULL, 0, parts.name, 2, NULL, 0), 0);
    EXPECT_STREQ(parts.name, "b");
    EXPECT_EQ(_splitpath_s("a/long.c", NULL, 0, NULL, 0, parts.name, 4, NULL, 0), ERANGE);
    EXPECT_STREQ(parts.name, "");
}

TEST_IN_EACH_KIND(Win32CrtPaths, put_together)
{
    char path[_MAX_PATH];
    char small[6];

    _makepath(path, "C:", "/dir/", "file", "txt");
    EXPECT_STREQ(path, "C:/dir/file.txt");
    _makepath(path, "C", "\\dir\\", "file", ".txt");
    EXPECT_STREQ(path, "C:\\dir\\file.txt");
    _makepath(path, NULL, NULL, "file", NULL);
    EXPECT_STREQ(path, "file");
    _makepath(path, "", "", "", "");
    EXPECT_STREQ(path, "");
    EXPECT_EQ(_makepath_s(small, sizeof small, NULL, "a/", "b", "c"), 0);
    EXPECT_STREQ(small, "a/b.c");
    EXPECT_EQ(_makepath_s(small, sizeof small, NULL, "a/", "bb", "c"), ERANGE);
    EXPECT_STREQ(small, "");
}

static int ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

TEST_IN_EACH_KIND(Win32CrtPaths, made_whole)
{
    char path[_MAX_PATH];
    char small[3];
    char *own = _fullpath(NULL, "some.file", 0);

    ASSERT_OK(own != NULL);
    EXPECT_OK(strlen(own) > strlen("some.file"));
    EXPECT_OK(ends_with(own, "some.file"));
    EXPECT_EQ(_fullpath(path, "./sub/../some.file", sizeof path), path);
    EXPECT_STREQ(path, own);
    EXPECT_EQ(_fullpath(path, "some.file", sizeof path), path);
    EXPECT_STREQ(path, own);
    EXPECT_EQ(_fullpath(small, "some.file", sizeof small), NULL);
    EXPECT_EQ(errno, ERANGE);
    free(own);
}

#ifndef _WIN32
TEST_IN_EACH_KIND(Win32CrtPaths, from_the_root)
{
    char path[_MAX_PATH];

    EXPECT_STREQ(_fullpath(path, "/a/./b/../c//d", sizeof path), "/a/c/d");
    EXPECT_STREQ(_fullpath(path, "\\a\\b\\", sizeof path), "/a/b/");
    EXPECT_STREQ(_fullpath(path, "/../..", sizeof path), "/");
    _makepath(path, NULL, "/dir", "file", "txt");
    EXPECT_STREQ(path, "/dir/file.txt");
    _makepath(path, NULL, "\\dir", "file", "txt");
    EXPECT_STREQ(path, "\\dir\\file.txt");
}
#endif
