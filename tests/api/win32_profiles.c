/* SPDX-License-Identifier: MIT
 *
 * win32_profiles.c - files of settings: read, listed, written.
 *
 * modes: win32
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <stdio.h>
#include <string.h>

static char path[MAX_PATH];

static void write_text(const char *text)
{
    DWORD length = GetTempPathA(200, path);
    FILE *file;

    snprintf(path + length, 60, "settings-%lu.ini", (unsigned long)GetCurrentProcessId());
    file = fopen(path, "wb");
    ASSERT_OK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static const char *get(const char *section, const char *key)
{
    static char value[64];
    DWORD length = GetPrivateProfileStringA(section, key, "none", value, sizeof value, path);

    EXPECT_EQ(length, strlen(value));
    return value;
}

TEST_IN_EACH_KIND(Win32Profiles, read)
{
    char list[64];
    char small[4];

    write_text("; a comment\r\n[One]\r\nkey = value \r\nquoted=\" x \"\r\n;off=1\r\n"
               "number=-12\r\nhex=0x1F\r\n\r\n[Two]\r\nkey=second");
    EXPECT_STREQ(get("One", "key"), "value");
    EXPECT_STREQ(get("one", "KEY"), "value");
    EXPECT_STREQ(get("One", "quoted"), " x ");
    EXPECT_STREQ(get("Two", "key"), "second");
    EXPECT_STREQ(get("One", "off"), "none");
    EXPECT_STREQ(get("Two", "number"), "none");
    EXPECT_STREQ(get("Three", "key"), "none");
    EXPECT_EQ(GetPrivateProfileStringA("One", "key", "", small, sizeof small, path), 3);
    EXPECT_STREQ(small, "val");
    EXPECT_EQ((int)GetPrivateProfileIntA("One", "number", 7, path), -12);
    EXPECT_EQ(GetPrivateProfileIntA("One", "hex", 7, path), 31);
    EXPECT_EQ(GetPrivateProfileIntA("One", "no", 7, path), 7);
    EXPECT_EQ(GetPrivateProfileStringA(NULL, NULL, "", list, sizeof list, path), 8);
    EXPECT_EQ(memcmp(list, "One\0Two\0", 9), 0);
    EXPECT_EQ(GetPrivateProfileStringA("Two", NULL, "", list, sizeof list, path), 4);
    EXPECT_EQ(memcmp(list, "key\0", 5), 0);
    EXPECT_OK(DeleteFileA(path));
}

TEST_IN_EACH_KIND(Win32Profiles, written)
{
    write_text("[One]\r\nkey=value\r\n\r\n[Two]\r\nkey=second\r\n");
    EXPECT_OK(WritePrivateProfileStringA("One", "key", "changed", path));
    EXPECT_STREQ(get("One", "key"), "changed");
    EXPECT_OK(WritePrivateProfileStringA("One", "more", "1", path));
    EXPECT_STREQ(get("One", "more"), "1");
    EXPECT_STREQ(get("Two", "more"), "none");
    EXPECT_OK(WritePrivateProfileStringA("Three", "key", "third", path));
    EXPECT_STREQ(get("Three", "key"), "third");
    EXPECT_OK(WritePrivateProfileStringA("One", "key", NULL, path));
    EXPECT_STREQ(get("One", "key"), "none");
    EXPECT_OK(WritePrivateProfileStringA("Two", NULL, NULL, path));
    EXPECT_STREQ(get("Two", "key"), "none");
    EXPECT_STREQ(get("One", "more"), "1");
    EXPECT_STREQ(get("Three", "key"), "third");
    EXPECT_OK(DeleteFileA(path));
    EXPECT_OK(WritePrivateProfileStringA("New", "key", "made", path));
    EXPECT_STREQ(get("New", "key"), "made");
    EXPECT_OK(DeleteFileA(path));
}
