/* SPDX-License-Identifier: MIT
 *
 * win32_wsprintf.c - user32's formats, in 8 and in 16 bits.
 *
 * modes: win32
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <stdarg.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wformat" /* its directives are not C's */

static char text[1100];

static const char *print(const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = wvsprintfA(text, format, arguments);
    va_end(arguments);
    EXPECT_EQ(length, strlen(text));
    return text;
}

static const char *print_wide(const WCHAR *format, ...)
{
    static WCHAR wide[1100];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = wvsprintfW(wide, format, arguments);
    va_end(arguments);
    EXPECT_EQ(length, lstrlenW(wide));
    WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, sizeof text, NULL, NULL);
    return text;
}

TEST_IN_EACH_KIND(Win32Wsprintf, numbers)
{
    EXPECT_STREQ(print("%d %i %u", -1, 2, 0xFFFFFFFFu), "-1 2 4294967295");
    EXPECT_STREQ(print("[%5d] [%-5d] [%05d]", 42, 42, 42), "[   42] [42   ] [00042]");
    EXPECT_STREQ(print("%x %X %#x", 0xab, 0xab, 0xab), "ab AB 0xab");
    EXPECT_STREQ(print("%08lX %ld %lu", 0xBEEFu, (LONG)-7, (DWORD)7), "0000BEEF -7 7");
    EXPECT_STREQ(print("%I64d %I64u %I64x", -1LL, 1ULL << 40, 1ULL << 40),
                 "-1 1099511627776 10000000000");
    EXPECT_STREQ(print("%.3d", 5), "005");
    EXPECT_STREQ(print("%p", (void *)0xABCD), "000000000000ABCD");
    EXPECT_STREQ(print_wide(u"%d [%5u] [%-4x]", -1, 7u, 0xabu), "-1 [    7] [ab  ]");
}

TEST_IN_EACH_KIND(Win32Wsprintf, strings)
{
    EXPECT_STREQ(print("%s|%5s|%-5s|%.2s", "ab", "ab", "ab", "abc"), "ab|   ab|ab   |ab");
    EXPECT_STREQ(print("%c%c%%", 'x', 'y'), "xy%");
    EXPECT_STREQ(print("%S %ls %ws %hs", u"one", u"two", u"three", "four"), "one two three four");
    EXPECT_STREQ(print_wide(u"%s|%5s|%-5s|%.2s", u"ab", u"ab", u"ab", u"abc"), "ab|   ab|ab   |ab");
    EXPECT_STREQ(print_wide(u"%S %hs %ls", "one", "two", u"three"), "one two three");
    EXPECT_STREQ(print_wide(u"%c%c", 'x', 0xE4), "x\xC3\xA4");
}

TEST_IN_EACH_KIND(Win32Wsprintf, by_its_own_arguments)
{
    char small[32];
    WCHAR wide[32];

    EXPECT_EQ(wsprintfA(small, "%s=%d", "a", 1), 3);
    EXPECT_STREQ(small, "a=1");
    EXPECT_EQ(wsprintfW(wide, u"%s=%d", u"a", 1), 3);
    EXPECT_EQ(memcmp(wide, u"a=1", sizeof u"a=1"), 0);
}

#ifndef _WIN32
/* 1,024 characters with the zero; Wine's result counts one more. */
TEST_IN_EACH_KIND(Win32Wsprintf, the_longest_text)
{
    static char longer[1500];

    memset(longer, 'x', sizeof longer - 1);
    memset(text, '!', sizeof text);
    EXPECT_EQ(strlen(print("%s", longer)), 1023);
    EXPECT_EQ(text[1024], '!');
    EXPECT_EQ(strlen(print("%2000d", 1)), 1023);
    EXPECT_EQ(strlen(print_wide(u"%S", longer)), 1023);
}

TEST_IN_EACH_KIND(Win32Wsprintf, no_string)
{
    EXPECT_STREQ(print("%s", (char *)NULL), "(null)");
    EXPECT_STREQ(print_wide(u"%s", (WCHAR *)NULL), "(null)");
}
#endif
