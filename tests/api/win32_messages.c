/* SPDX-License-Identifier: MIT
 *
 * win32_messages.c - FormatMessage: texts of errors, and definitions with inserts.
 *
 * modes: win32
 * except: every_common_error_has_a_text, failures
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

enum { FROM_SYSTEM = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS };

static DWORD format(DWORD flags, const char *definition, char *buffer, DWORD size,
                    const DWORD_PTR *arguments)
{
    return FormatMessageA(FORMAT_MESSAGE_FROM_STRING | FORMAT_MESSAGE_ARGUMENT_ARRAY | flags,
                          definition, 0, 0, buffer, size, (void *)(uintptr_t)arguments);
}

static void expect_text(const char *definition, const DWORD_PTR *arguments, const char *wanted)
{
    char buffer[256] = "untouched";

    EXPECT_EQ(format(0, definition, buffer, sizeof buffer, arguments), strlen(wanted));
    EXPECT_STREQ(buffer, wanted);
}

TEST_IN_EACH_KIND(Win32Messages, every_common_error_has_a_text)
{
    static const DWORD errors[] = {0,   1,   2,   3,   5,   6,   8,    31,  50,
                                   80,  87,  109, 120, 122, 126, 127,  183, 203,
                                   232, 258, 259, 317, 487, 998, 1168, 1460};
    char text[256];

    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        DWORD length = FormatMessageA(FROM_SYSTEM, NULL, errors[i], 0, text, sizeof text, NULL);

        EXPECT_THAT(length > 2 && length == strlen(text), "error %u", (unsigned)errors[i]);
        EXPECT_STREQ(length > 2 ? text + length - 2 : text, "\r\n");
    }
}

TEST(Win32Messages, an_hresult_of_an_error)
{
    char one[256];
    char two[256];

    EXPECT_OK(FormatMessageA(FROM_SYSTEM, NULL, 5, 0, one, sizeof one, NULL));
    EXPECT_OK(FormatMessageA(FROM_SYSTEM, NULL, 0x80070005, 0, two, sizeof two, NULL));
    EXPECT_STREQ(one, two);
}

TEST_IN_EACH_KIND(Win32Messages, failures)
{
    char text[256];

    EXPECT_FAILS(FormatMessageA(FROM_SYSTEM, NULL, 0x2345678, 0, text, sizeof text, NULL),
                 ERROR_MR_MID_NOT_FOUND);
    EXPECT_FAILS(FormatMessageA(FROM_SYSTEM, NULL, 5, 0, text, 4, NULL), ERROR_INSUFFICIENT_BUFFER);
    EXPECT_FAILS(FormatMessageA(FROM_SYSTEM, NULL, 5, 0, NULL, 100, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(FormatMessageA(0, NULL, 5, 0, text, sizeof text, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(format(0, "%1", text, sizeof text, NULL), ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32Messages, allocated_buffer)
{
    char *text = NULL;
    DWORD length = FormatMessageA(FROM_SYSTEM | FORMAT_MESSAGE_ALLOCATE_BUFFER, NULL,
                                  ERROR_FILE_NOT_FOUND, 0, (char *)&text, 0, NULL);

    ASSERT_OK(text != NULL);
    EXPECT_EQ(length, strlen(text));
    EXPECT_EQ(LocalFree(text), NULL);
}

TEST_IN_EACH_KIND(Win32Messages, inserts)
{
    const DWORD_PTR arguments[] = {(DWORD_PTR) "one", (DWORD_PTR) "two", 0xFFFFFFFFu, 255,
                                   (DWORD_PTR)0x123456789ALL};

    expect_text("plain", arguments, "plain");
    expect_text("%1 and %2!s!", arguments, "one and two");
    expect_text("%2%1%2", arguments, "twoonetwo");
    expect_text("[%1!5s!] [%1!-5s!] [%1!.2s!]", arguments, "[  one] [one  ] [on]");
    expect_text("%3!d! %3!u! %4!x! %4!#06X!", arguments, "-1 4294967295 ff 0X00FF");
    expect_text("%5!I64x! %5!llx!", arguments, "123456789a 123456789a");
    expect_text("%4!*d!", (const DWORD_PTR[]){0, 0, 0, 6, 42}, "    42");
    expect_text("100%% sure%! %.", arguments, "100% sure! .");
    expect_text("no end%0 here", arguments, "no end");
    expect_text("a%nb\nc", arguments, "a\r\nb\r\nc");
    expect_text("%4!c!%4!c!", (const DWORD_PTR[]){0, 0, 0, 'z'}, "zz");
}

TEST(Win32Messages, wide_arguments)
{
    static const WCHAR wide[] = {'w', 0x00E9, 0x20AC, 0xD83D, 0xDE00, 0};
    const DWORD_PTR arguments[] = {(DWORD_PTR)wide};
    char buffer[64];

    EXPECT_OK(format(0, "%1!S!", buffer, sizeof buffer, arguments));
#ifndef _WIN32 /* on Windows the code page decides */
    EXPECT_STREQ(buffer, "w\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
#endif
    EXPECT_OK(format(0, "%1!.1ws!", buffer, sizeof buffer, arguments));
    EXPECT_STREQ(buffer, "w");
}

TEST_IN_EACH_KIND(Win32Messages, ignored_inserts)
{
    char buffer[64];

    EXPECT_EQ(format(FORMAT_MESSAGE_IGNORE_INSERTS, "a %1 b %2!d!", buffer, sizeof buffer, NULL),
              12);
    EXPECT_STREQ(buffer, "a %1 b %2!d!");
}

TEST(Win32Messages, without_line_breaks)
{
    char buffer[64];

    EXPECT_OK(format(FORMAT_MESSAGE_MAX_WIDTH_MASK, "a\r\nb\nc%nd", buffer, sizeof buffer, NULL));
    EXPECT_STREQ(buffer, "a b c\r\nd");
}

static DWORD with_list(char *buffer, DWORD size, const char *definition, ...)
{
    va_list list;
    DWORD length;

    va_start(list, definition);
    length =
        FormatMessageA(FORMAT_MESSAGE_FROM_STRING, definition, 0, 0, buffer, size, (void *)&list);
    va_end(list);
    return length;
}

TEST_IN_EACH_KIND(Win32Messages, argument_list)
{
    char buffer[64];

    EXPECT_EQ(with_list(buffer, sizeof buffer, "%3!d! %1 %2", "one", "two", 3), 9);
    EXPECT_STREQ(buffer, "3 one two");
}

TEST_IN_EACH_KIND(Win32Messages, wide)
{
    static const WCHAR definition[] = {'<', '%', '1', '>', 0x20AC, 0};
    static const WCHAR insert[] = {'x', 0x00FC, 0};
    static const WCHAR wanted[] = {'<', 'x', 0x00FC, '>', 0x20AC, 0};
    const DWORD_PTR arguments[] = {(DWORD_PTR)insert};
    WCHAR buffer[64];

    EXPECT_EQ(FormatMessageW(FORMAT_MESSAGE_FROM_STRING | FORMAT_MESSAGE_ARGUMENT_ARRAY, definition,
                             0, 0, buffer, 64, (void *)(uintptr_t)arguments),
              5);
    EXPECT_EQ(memcmp(buffer, wanted, sizeof wanted), 0);
    EXPECT_FAILS(FormatMessageW(FROM_SYSTEM, NULL, 0x2345678, 0, buffer, 64, NULL),
                 ERROR_MR_MID_NOT_FOUND);
    EXPECT_GT(FormatMessageW(FROM_SYSTEM, NULL, 2, 0, buffer, 64, NULL), 2);
}
