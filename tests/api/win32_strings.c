/* SPDX-License-Identifier: MIT
 *
 * win32_strings.c - strings by kernel32's and user32's names: copies, order, case, steps, classes.
 *
 * modes: win32
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

static int same(const WCHAR *left, const WCHAR *right)
{
    return CompareStringOrdinal(left, -1, right, -1, FALSE) == CSTR_EQUAL;
}

TEST_IN_EACH_KIND(Win32Strings, lengths_and_copies)
{
    char text[8] = "???????";
    WCHAR wide[8] = {0};

    EXPECT_EQ(lstrlenA("abc"), 3);
    EXPECT_EQ(lstrlenW(u"abc"), 3);
    EXPECT_EQ(lstrlenA(NULL), 0);
    EXPECT_EQ(lstrlenW(NULL), 0);
    EXPECT_EQ(lstrcpyA(text, "abc"), text);
    EXPECT_EQ(lstrcatA(text, "de"), text);
    EXPECT_STREQ(text, "abcde");
    EXPECT_EQ(lstrcpynA(text, "0123456789", 4), text);
    EXPECT_STREQ(text, "012");
    EXPECT_EQ(lstrcpynA(text, "xy", 8), text);
    EXPECT_STREQ(text, "xy");
    EXPECT_EQ(lstrcpyW(wide, u"abc"), wide);
    EXPECT_EQ(lstrcatW(wide, u"de"), wide);
    EXPECT_OK(same(wide, u"abcde"));
    EXPECT_EQ(lstrcpynW(wide, u"0123456789", 4), wide);
    EXPECT_OK(same(wide, u"012"));
    EXPECT_EQ(lstrcpyA(text, NULL), NULL);
    EXPECT_EQ(lstrcpynW(wide, NULL, 3), NULL);
    EXPECT_EQ(lstrcatA(NULL, "x"), NULL);
}

/* Each text comes before the next one. */
TEST_IN_EACH_KIND(Win32Strings, order_for_people)
{
    static const char *const sorted[] = {"",  "_",    "_a",    "+",   "0",  "10", "1a",
                                         "2", "a",    "A",     "aa",  "ab", "AC", "b",
                                         "B", "coop", "co-op", "cop", "Z",  "za"};

    for (size_t i = 0; i + 1 < sizeof sorted / sizeof *sorted; i++) {
        EXPECT_THAT(lstrcmpA(sorted[i], sorted[i + 1]) < 0, "\"%s\" and \"%s\"", sorted[i],
                    sorted[i + 1]);
        EXPECT_THAT(lstrcmpA(sorted[i + 1], sorted[i]) > 0, "\"%s\" and \"%s\"", sorted[i + 1],
                    sorted[i]);
        EXPECT_EQ(lstrcmpA(sorted[i], sorted[i]), 0);
    }
    EXPECT_EQ(lstrcmpiA("HeLLo", "hEllO"), 0);
    EXPECT_LT(lstrcmpiA("a", "B"), 0);
    EXPECT_LT(lstrcmpW(u"e", u"\u00E9"), 0);
    EXPECT_LT(lstrcmpW(u"\u00E9", u"f"), 0);
    EXPECT_LT(lstrcmpW(u"\u00E9a", u"eb"), 0);
    EXPECT_EQ(lstrcmpiW(u"\u00C9", u"\u00E9"), 0);
}

TEST_IN_EACH_KIND(Win32Strings, compare_string)
{
    LCID english = MAKELCID(MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US), SORT_DEFAULT);

    EXPECT_EQ(CompareStringA(english, 0, "a", -1, "B", -1), CSTR_LESS_THAN);
    EXPECT_EQ(CompareStringA(english, NORM_IGNORECASE, "ABC", -1, "abc", -1), CSTR_EQUAL);
    EXPECT_EQ(CompareStringA(english, 0, "abcd", 3, "abce", 3), CSTR_EQUAL);
    EXPECT_EQ(CompareStringW(english, 0, u"b", -1, u"A", -1), CSTR_GREATER_THAN);
    EXPECT_EQ(CompareStringW(english, NORM_IGNORENONSPACE, u"\u00E9", -1, u"e", -1), CSTR_EQUAL);
    EXPECT_EQ(CompareStringW(english, NORM_IGNORESYMBOLS, u"a.b", -1, u"ab", -1), CSTR_EQUAL);
    EXPECT_FAILS(CompareStringA(english, 0, NULL, 0, "a", 1), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CompareStringW(english, 0, u"a", 1, NULL, 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CompareStringW(english, 0x00400000, u"a", 1, u"a", 1), ERROR_INVALID_FLAGS);
}

TEST_IN_EACH_KIND(Win32Strings, ordinal_order)
{
    EXPECT_EQ(CompareStringOrdinal(u"B", -1, u"a", -1, FALSE), CSTR_LESS_THAN);
    EXPECT_EQ(CompareStringOrdinal(u"B", -1, u"a", -1, TRUE), CSTR_GREATER_THAN);
    EXPECT_EQ(CompareStringOrdinal(u"\u00E4B", -1, u"\u00C4b", -1, TRUE), CSTR_EQUAL);
    EXPECT_EQ(CompareStringOrdinal(u"ab", 1, u"ac", 1, FALSE), CSTR_EQUAL);
    EXPECT_EQ(CompareStringOrdinal(u"a", -1, u"ab", -1, FALSE), CSTR_LESS_THAN);
    EXPECT_FAILS(CompareStringOrdinal(NULL, 0, u"a", 1, FALSE), ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32Strings, upper_and_lower)
{
    char text[] = "aBc-1";
    WCHAR wide[] = u"a\u00E4\u0161\u043F\u0131\u00DF";

    EXPECT_EQ(CharUpperA(text), text);
    EXPECT_STREQ(text, "ABC-1");
    EXPECT_EQ(CharLowerA(text), text);
    EXPECT_STREQ(text, "abc-1");
    EXPECT_EQ(CharUpperBuffA(text, 2), 2);
    EXPECT_STREQ(text, "ABc-1");
    EXPECT_EQ(CharUpperW(wide), wide);
    EXPECT_OK(same(wide, u"A\u00C4\u0160\u041F\u0131\u00DF"));
    EXPECT_EQ(CharLowerBuffW(wide, 2), 2);
    EXPECT_OK(same(wide, u"a\u00E4\u0160\u041F\u0131\u00DF"));
    EXPECT_EQ((ULONG_PTR)CharUpperA((LPSTR)(ULONG_PTR)'q'), 'Q');
    EXPECT_EQ((ULONG_PTR)CharLowerW((LPWSTR)(ULONG_PTR)0xC4), 0xE4);
}

TEST_IN_EACH_KIND(Win32Strings, steps)
{
    static const char text[] = "ab";
    static const WCHAR wide[] = u"ab";

    EXPECT_EQ(CharNextA(text), text + 1);
    EXPECT_EQ(CharNextA(text + 2), text + 2);
    EXPECT_EQ(CharPrevA(text, text + 2), text + 1);
    EXPECT_EQ(CharPrevA(text, text), text);
    EXPECT_EQ(CharNextW(wide), wide + 1);
    EXPECT_EQ(CharNextW(wide + 2), wide + 2);
    EXPECT_EQ(CharPrevW(wide, wide + 2), wide + 1);
    EXPECT_EQ(CharPrevW(wide, wide), wide);
    EXPECT_EQ(CharNextExA(1252, "\xE2\x82", 0)[0], '\x82');
}

TEST_IN_EACH_KIND(Win32Strings, classes)
{
    WORD types[4] = {0};

    EXPECT_OK(IsCharAlphaA('a') && IsCharAlphaW(0xE4) && !IsCharAlphaA('1'));
    EXPECT_OK(IsCharAlphaNumericA('1') && !IsCharAlphaNumericW('-'));
    EXPECT_OK(IsCharUpperA('A') && !IsCharUpperA('a') && IsCharLowerW(0xE4));
    EXPECT_OK(GetStringTypeW(CT_CTYPE1, u"aZ5 ", 4, types));
    EXPECT_EQ(types[0], C1_LOWER | C1_ALPHA | C1_XDIGIT | C1_DEFINED);
    EXPECT_EQ(types[1], C1_UPPER | C1_ALPHA | C1_DEFINED);
    EXPECT_EQ(types[2], C1_DIGIT | C1_XDIGIT | C1_DEFINED);
    EXPECT_EQ(types[3], C1_SPACE | C1_BLANK | C1_DEFINED);
    EXPECT_OK(GetStringTypeA(LOCALE_USER_DEFAULT, CT_CTYPE1, "-\n", -1, types));
    EXPECT_EQ(types[0], C1_PUNCT | C1_DEFINED);
    EXPECT_EQ(types[1], C1_SPACE | C1_CNTRL | C1_DEFINED);
    EXPECT_EQ(types[2], C1_CNTRL | C1_DEFINED);
    EXPECT_FAILS(GetStringTypeW(77, u"a", 1, types), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetStringTypeW(CT_CTYPE1, NULL, 1, types), ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32Strings, mapping_to_a_buffer)
{
    WCHAR wide[8];
    char text[8];

    EXPECT_EQ(LCMapStringW(LOCALE_USER_DEFAULT, LCMAP_UPPERCASE, u"a\u00E4", -1, NULL, 0), 3);
    EXPECT_EQ(LCMapStringW(LOCALE_USER_DEFAULT, LCMAP_UPPERCASE, u"a\u00E4", -1, wide, 8), 3);
    EXPECT_OK(same(wide, u"A\u00C4"));
    EXPECT_EQ(LCMapStringA(LOCALE_USER_DEFAULT, LCMAP_LOWERCASE, "QX", -1, text, 8), 3);
    EXPECT_STREQ(text, "qx");
    EXPECT_FAILS(LCMapStringA(LOCALE_USER_DEFAULT, LCMAP_LOWERCASE, "QX", -1, text, 2),
                 ERROR_INSUFFICIENT_BUFFER);
    EXPECT_FAILS(LCMapStringW(LOCALE_USER_DEFAULT, LCMAP_UPPERCASE, u"abc", 3, wide, 2),
                 ERROR_INSUFFICIENT_BUFFER);
    EXPECT_FAILS(LCMapStringW(LOCALE_USER_DEFAULT, LCMAP_UPPERCASE, NULL, 3, wide, 8),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(LCMapStringW(LOCALE_USER_DEFAULT, LCMAP_UPPERCASE, u"a", 0, wide, 8),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(
        LCMapStringW(LOCALE_USER_DEFAULT, LCMAP_UPPERCASE | LCMAP_LOWERCASE, u"a", 1, wide, 8),
        ERROR_INVALID_FLAGS);
}

#ifndef _WIN32
/* Text of the A calls is UTF-8, whose characters have several bytes. */
TEST_IN_EACH_KIND(Win32Strings, utf8)
{
    char text[] = "\xC3\xA4\xC4\xB1\x80z"; /* the second has an upper case of another length */
    const char *at = text;

    EXPECT_EQ(CharUpperA(text), text);
    EXPECT_STREQ(text, "\xC3\x84\xC4\xB1\x80Z");
    EXPECT_EQ(CharNextA(at), at + 2);
    EXPECT_EQ(CharNextA(at + 4), at + 5);
    EXPECT_EQ(CharPrevA(at, at + 4), at + 2);
    EXPECT_EQ(CharPrevA(at, at + 5), at + 4);
    EXPECT_EQ(lstrcmpiA("\xC3\xA4", "\xC3\x84"), 0);
    EXPECT_OK(!IsCharAlphaA('\xC3'));
}

/* Documented; Wine 8 takes it for -1. */
TEST_IN_EACH_KIND(Win32Strings, a_count_that_is_none)
{
    EXPECT_FAILS(CompareStringOrdinal(u"a", -2, u"a", 1, FALSE), ERROR_INVALID_PARAMETER);
}
#endif
