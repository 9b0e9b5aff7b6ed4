/* SPDX-License-Identifier: MIT
 *
 * win32_conversions.c - MultiByteToWideChar and WideCharToMultiByte: pages, flags, lengths, and
 * text that is not valid.
 *
 * modes: win32
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

enum { ROOM = 32 };

/* The text of 16-bit units wanted, up to its zero, which is neither counted nor compared. */
static void expect_wide(UINT page, DWORD flags, const char *bytes, const WCHAR *wanted)
{
    WCHAR buffer[ROOM];
    int units = 0;
    int needed;
    int given;

    while (wanted[units])
        units++;
    memset(buffer, 0x55, sizeof buffer);
    needed = MultiByteToWideChar(page, flags, bytes, (int)strlen(bytes), NULL, 0);
    given = MultiByteToWideChar(page, flags, bytes, (int)strlen(bytes), buffer, ROOM);
    EXPECT_THAT(needed == units, "page %u, \"%s\": %d units needed, wanted %d", page, bytes, needed,
                units);
    EXPECT_THAT(given == units, "page %u, \"%s\": %d units, wanted %d", page, bytes, given, units);
    EXPECT_THAT(!memcmp(buffer, wanted, (size_t)units * sizeof *buffer), "page %u, \"%s\"", page,
                bytes);
    EXPECT_EQ(buffer[units], 0x5555);
}

static void expect_bytes(UINT page, DWORD flags, const WCHAR *text, const char *wanted)
{
    char buffer[ROOM];
    int length = (int)strlen(wanted);
    int units = 0;
    int needed;
    int given;

    while (text[units])
        units++;
    memset(buffer, 0x55, sizeof buffer);
    needed = WideCharToMultiByte(page, flags, text, units, NULL, 0, NULL, NULL);
    given = WideCharToMultiByte(page, flags, text, units, buffer, ROOM, NULL, NULL);
    EXPECT_THAT(needed == length, "page %u, %d bytes needed for \"%s\"", page, needed, wanted);
    EXPECT_THAT(given == length, "page %u, %d bytes for \"%s\"", page, given, wanted);
    EXPECT_THAT(!memcmp(buffer, wanted, (size_t)length), "page %u, for \"%s\"", page, wanted);
    EXPECT_EQ(buffer[length], 0x55);
}

TEST_IN_EACH_KIND(Win32Conversions, utf8_is_utf16)
{
    expect_wide(CP_UTF8, 0, "abc", u"abc");
    expect_wide(CP_UTF8, MB_ERR_INVALID_CHARS, "\xC3\xBC\xE2\x82\xAC", u"\u00FC\u20AC");
    expect_wide(CP_UTF8, 0, "\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF", u"\U0001F600\U0010FFFF");
    expect_wide(CP_UTF8, 0, "\xEE\x80\x80\xEF\xBF\xBF", u"\uE000\uFFFF");
    expect_bytes(CP_UTF8, 0, u"abc", "abc");
    expect_bytes(CP_UTF8, WC_ERR_INVALID_CHARS, u"\u00FC\u20AC", "\xC3\xBC\xE2\x82\xAC");
    expect_bytes(CP_UTF8, 0, u"\U0001F600\U0010FFFF", "\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF");
}

/* Each longest piece that cannot become a character is one U+FFFD. */
TEST_IN_EACH_KIND(Win32Conversions, utf8_that_is_not_valid)
{
    static const struct {
        const char *bytes;
        const WCHAR *wanted;
    } cases[] = {
        {"a\x80z", u"a\uFFFDz"},   {"a\xC3", u"a\uFFFD"},       {"\xC3z", u"\uFFFDz"},
        {"\xE2\x82z", u"\uFFFDz"}, {"\xF0\x9F\x98", u"\uFFFD"}, {"\xC0\x80", u"\uFFFD\uFFFD"},
        {"\xFFz", u"\uFFFDz"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WCHAR buffer[ROOM];

        expect_wide(CP_UTF8, 0, cases[i].bytes, cases[i].wanted);
        EXPECT_FAILS(
            MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, cases[i].bytes, -1, buffer, ROOM),
            ERROR_NO_UNICODE_TRANSLATION);
        EXPECT_FAILS(
            MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, cases[i].bytes, -1, NULL, 0),
            ERROR_NO_UNICODE_TRANSLATION);
    }
}

TEST_IN_EACH_KIND(Win32Conversions, lone_surrogates)
{
    static const WCHAR texts[][4] = {{'a', 0xD800, 'z'}, {0xDC00}, {0xDBFF}, {0xDC00, 0xD800}};
    static const char *const wanted[] = {"a\xEF\xBF\xBDz", "\xEF\xBF\xBD", "\xEF\xBF\xBD",
                                         "\xEF\xBF\xBD\xEF\xBF\xBD"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        expect_bytes(CP_UTF8, 0, texts[i], wanted[i]);
        EXPECT_FAILS(
            WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, texts[i], -1, NULL, 0, NULL, NULL),
            ERROR_NO_UNICODE_TRANSLATION);
    }
}

TEST_IN_EACH_KIND(Win32Conversions, pages_of_one_byte)
{
    expect_wide(1252, 0, "\x80\x99\xE9", u"\u20AC\u2122\u00E9");
    expect_wide(1252, MB_ERR_INVALID_CHARS | MB_PRECOMPOSED, "\x81", u"\x81");
    expect_wide(28591, 0, "\x80\xA4\xFF", u"\x80\u00A4\u00FF");
    expect_wide(437, 0, "\x82\xE1\xC9", u"\u00E9\u00DF\u2554");
    expect_wide(1251, 0, "\xCF\xEF", u"\u041F\u043F");
    expect_bytes(1252, 0, u"\u20AC\u2122\u00E9", "\x80\x99\xE9");
    expect_bytes(28591, WC_NO_BEST_FIT_CHARS, u"\u00E9\u00FF", "\xE9\xFF");
    expect_bytes(437, WC_NO_BEST_FIT_CHARS, u"\u00E9\u00DF\u2554", "\x82\xE1\xC9");
}

TEST_IN_EACH_KIND(Win32Conversions, default_characters)
{
    char buffer[ROOM];
    BOOL used = 7;

    EXPECT_EQ(
        WideCharToMultiByte(1252, WC_NO_BEST_FIT_CHARS, u"a\u041F", -1, buffer, ROOM, NULL, &used),
        3);
    EXPECT_STREQ(buffer, "a?");
    EXPECT_EQ(used, TRUE);
    EXPECT_EQ(
        WideCharToMultiByte(1252, WC_NO_BEST_FIT_CHARS, u"\u041Fz", -1, buffer, ROOM, "_", &used),
        3);
    EXPECT_STREQ(buffer, "_z");
    EXPECT_EQ(used, TRUE);
    EXPECT_EQ(WideCharToMultiByte(1252, 0, u"az", -1, buffer, ROOM, "_", &used), 3);
    EXPECT_EQ(used, FALSE);
    EXPECT_EQ(WideCharToMultiByte(1252, 0, u"\U0001F600", -1, buffer, ROOM, NULL, &used), 3);
    EXPECT_STREQ(buffer, "??");
}

TEST_IN_EACH_KIND(Win32Conversions, lengths)
{
    WCHAR wide[4] = {7, 7, 7, 7};
    char narrow[4] = "777";

    /* -1: up to the zero, which is converted as well. */
    EXPECT_EQ(MultiByteToWideChar(CP_UTF8, 0, "ab", -1, NULL, 0), 3);
    EXPECT_EQ(MultiByteToWideChar(CP_UTF8, 0, "ab", -1, wide, 4), 3);
    EXPECT_EQ(wide[2], 0);
    EXPECT_EQ(wide[3], 7);
    EXPECT_EQ(MultiByteToWideChar(1252, 0, "a\0b", 3, wide, 3), 3);
    EXPECT_EQ(wide[1], 0);
    EXPECT_EQ(wide[2], 'b');
    EXPECT_EQ(WideCharToMultiByte(CP_UTF8, 0, u"ab", -1, narrow, 4, NULL, NULL), 3);
    EXPECT_EQ(narrow[3], 0);
    EXPECT_EQ(WideCharToMultiByte(1252, 0, u"ab", 1, narrow, 1, NULL, NULL), 1);

    EXPECT_FAILS(MultiByteToWideChar(CP_UTF8, 0, "abc", -1, wide, 3), ERROR_INSUFFICIENT_BUFFER);
    EXPECT_FAILS(MultiByteToWideChar(1252, 0, "abcd", 4, wide, 3), ERROR_INSUFFICIENT_BUFFER);
    EXPECT_FAILS(WideCharToMultiByte(CP_UTF8, 0, u"\u20AC", 1, narrow, 2, NULL, NULL),
                 ERROR_INSUFFICIENT_BUFFER);
    EXPECT_FAILS(WideCharToMultiByte(1252, 0, u"abc", -1, narrow, 3, NULL, NULL),
                 ERROR_INSUFFICIENT_BUFFER);
}

TEST_IN_EACH_KIND(Win32Conversions, bad_arguments)
{
    WCHAR wide[4];
    char narrow[4] = "abc";

    EXPECT_FAILS(MultiByteToWideChar(CP_UTF8, 0, NULL, -1, wide, 4), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(MultiByteToWideChar(CP_UTF8, 0, "a", 0, wide, 4), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(MultiByteToWideChar(CP_UTF8, 0, "a", 1, NULL, 4), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(MultiByteToWideChar(CP_UTF8, 0, "a", 1, wide, -1), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(MultiByteToWideChar(61234, 0, "a", 1, wide, 4), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(MultiByteToWideChar(CP_UTF8, 0x80000000, "a", 1, wide, 4), ERROR_INVALID_FLAGS);
    EXPECT_FAILS(MultiByteToWideChar(1252, 0x80000000, "a", 1, wide, 4), ERROR_INVALID_FLAGS);

    EXPECT_FAILS(WideCharToMultiByte(CP_UTF8, 0, NULL, -1, narrow, 4, NULL, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(WideCharToMultiByte(CP_UTF8, 0, u"a", 0, narrow, 4, NULL, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(WideCharToMultiByte(61234, 0, u"a", 1, narrow, 4, NULL, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(WideCharToMultiByte(CP_UTF8, 0x80000000, u"a", 1, narrow, 4, NULL, NULL),
                 ERROR_INVALID_FLAGS);
    EXPECT_FAILS(WideCharToMultiByte(1252, 0x80000000, u"a", 1, narrow, 4, NULL, NULL),
                 ERROR_INVALID_FLAGS);
}

TEST_IN_EACH_KIND(Win32Conversions, what_a_page_is)
{
    CPINFO information;

    EXPECT_OK(GetCPInfo(CP_UTF8, &information));
    EXPECT_EQ(information.MaxCharSize, 4);
    EXPECT_OK(GetCPInfo(1252, &information));
    EXPECT_EQ(information.MaxCharSize, 1);
    EXPECT_EQ(information.DefaultChar[0], '?');
    EXPECT_EQ(information.LeadByte[0], 0);
    EXPECT_FAILS(GetCPInfo(61234, &information), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetCPInfo(1252, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_OK(GetACP() && GetOEMCP());
    EXPECT_OK(IsValidCodePage(GetACP()));
    EXPECT_OK(IsValidCodePage(28591));
    EXPECT_EQ(IsValidCodePage(61234), FALSE);
    EXPECT_EQ(IsDBCSLeadByteEx(1252, 0x81), FALSE);
    EXPECT_EQ(IsDBCSLeadByte('a'), FALSE);
}

#ifndef _WIN32
/* The program's own page; a machine with Windows has another. */
TEST_IN_EACH_KIND(Win32Conversions, the_programs_page_is_utf8)
{
    EXPECT_EQ(GetACP(), CP_UTF8);
    EXPECT_EQ(GetOEMCP(), CP_UTF8);
    expect_wide(CP_ACP, 0, "\xE2\x82\xAC", u"\u20AC");
    expect_bytes(CP_OEMCP, 0, u"\u20AC", "\xE2\x82\xAC");
    expect_bytes(CP_THREAD_ACP, 0, u"\u20AC", "\xE2\x82\xAC");
    EXPECT_EQ(IsDBCSLeadByte(0xE2), FALSE);
}

/* As documented; Wine 8 takes the default character, gives half a pair, and takes several
 * bytes that no character begins with for one piece. */
TEST_IN_EACH_KIND(Win32Conversions, where_wine_differs)
{
    WCHAR wide[4];
    char narrow[4];
    BOOL used;

    EXPECT_FAILS(WideCharToMultiByte(CP_UTF8, 0, u"a", 1, narrow, 4, "_", NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(WideCharToMultiByte(CP_UTF8, 0, u"a", 1, narrow, 4, NULL, &used),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(WideCharToMultiByte(1252, WC_ERR_INVALID_CHARS, u"a", 1, narrow, 4, NULL, NULL),
                 ERROR_INVALID_FLAGS);
    EXPECT_FAILS(MultiByteToWideChar(CP_UTF8, 0, "\xF0\x9F\x98\x80", 4, wide, 1),
                 ERROR_INSUFFICIENT_BUFFER);
    expect_wide(CP_UTF8, 0, "\xED\xA0\x80", u"\uFFFD\uFFFD\uFFFD");
    expect_wide(CP_UTF8, 0, "\xE0\x80\x80", u"\uFFFD\uFFFD\uFFFD");
    expect_wide(CP_UTF8, 0, "\xF4\x90\x80\x80", u"\uFFFD\uFFFD\uFFFD\uFFFD");
}
#endif
