/* SPDX-License-Identifier: MIT
 *
 * UTF-16 and UTF-8 (winapi/linux/text.c): every code point, every pair of units around the surrogates, every
 * string of up to two bytes and those of three and four around the limits, held against the table of well-formed UTF-8 in the Unicode Standard
 * (chapter 3, table 3-7).
 */
#include "winapi/linux/text.c"

#include "doubles.h"
#include "gtest_c.h"

/* How many bytes of a well-formed code point are here; 0: it is not well-formed. */
static int well_formed(const unsigned char *at, size_t bytes)
{
    static const struct {
        unsigned char first, to, second, second_to;
        int length;
    } rows[] = {
        {0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (at[0] < rows[i].first || at[0] > rows[i].to)
            continue;
        if ((size_t)rows[i].length > bytes)
            return 0;
        for (int j = 1; j < rows[i].length; j++)
            if (at[j] < (j == 1 ? rows[i].second : 0x80) ||
                at[j] > (j == 1 ? rows[i].second_to : 0xBF))
                return 0;
        return rows[i].length;
    }
    return 0;
}

static int is_well_formed(const unsigned char *text, size_t bytes)
{
    for (int length; bytes; text += length, bytes -= (size_t)length) {
        length = well_formed(text, bytes);
        if (!length)
            return 0;
    }
    return 1;
}

/* Whether each lead has its trail. */
static int is_utf16(const WCHAR *wide, size_t units)
{
    for (size_t i = 0; i < units; i++) {
        if (wide[i] >= 0xDC00 && wide[i] < 0xE000)
            return 0;
        if (wide[i] >= 0xD800 && wide[i] < 0xDC00 &&
            (++i == units || wide[i] < 0xDC00 || wide[i] >= 0xE000))
            return 0;
    }
    return 1;
}

static int holds(const WCHAR *wide, size_t units, WCHAR wanted)
{
    for (size_t i = 0; i < units; i++)
        if (wide[i] == wanted)
            return 1;
    return 0;
}

TEST(Utf16, every_code_point_goes_there_and_back)
{
    for (uint32_t point = 0; point < 0x110000; point++) {
        WCHAR wide[2] = {(WCHAR)point};
        SIZE_T units = 1, bytes = 0, again = 0;
        char *narrow;
        WCHAR *back;

        if (point >= 0xD800 && point < 0xE000)
            continue;
        if (point >= 0x10000) {
            wide[0] = (WCHAR)(0xD800 + (point - 0x10000) / 1024);
            wide[1] = (WCHAR)(0xDC00 + (point - 0x10000) % 1024);
            units = 2;
        }
        narrow = win__narrow(wide, units, &bytes);
        ASSERT_NE(narrow, NULL);
        ASSERT_THAT(well_formed((unsigned char *)narrow, bytes) == (int)bytes, "U+%X", point);
        ASSERT_EQ(narrow[bytes], 0);
        back = win__widen(narrow, bytes, &again);
        ASSERT_THAT(again == units && !memcmp(back, wide, units * sizeof *wide), "U+%X", point);
        ASSERT_EQ(back[units], 0);
        free(narrow);
        free(back);
    }
}

/* Pairs of units of each kind: only a lead before a trail is one character, any other surrogate becomes
 * U+FFFD by itself, and its neighbour stays. */
TEST(Utf16, a_lone_surrogate_is_replaced_and_nothing_else)
{
    static const WCHAR units[] = {0,      'a',    0x7FF,  0x800,  0xD7FF, 0xD800, 0xD801,
                                  0xDBFF, 0xDC00, 0xDC01, 0xDFFF, 0xE000, 0xFFFF};
    enum { UNITS = sizeof units / sizeof *units };

    for (int i = 0; i < UNITS * UNITS * UNITS; i++) {
        WCHAR wide[3] = {units[i % UNITS], units[i / UNITS % UNITS], units[i / UNITS / UNITS]};
        WCHAR expected[3], *back;
        SIZE_T bytes, again;
        char *narrow = win__narrow(wide, 3, &bytes);

        for (int j = 0; j < 3; j++) {
            int lead = wide[j] >= 0xD800 && wide[j] < 0xDC00;
            int trail = wide[j] >= 0xDC00 && wide[j] < 0xE000;

            expected[j] = lead || trail ? 0xFFFD : wide[j];
            if (lead && j < 2 && wide[j + 1] >= 0xDC00 && wide[j + 1] < 0xE000) {
                expected[j] = wide[j];
                expected[j + 1] = wide[j + 1];
                j++;
            }
        }
        back = win__widen(narrow, bytes, &again);
        EXPECT_THAT(again == 3 && !memcmp(back, expected, sizeof expected), "%x %x %x", wide[0],
                    wide[1], wide[2]);
        free(narrow);
        free(back);
    }
}

/* Well-formed text passes, anything else shows a U+FFFD; the result is UTF-16 and no longer than the text. */
static void widen_and_look(const unsigned char *text, size_t bytes)
{
    SIZE_T units, again;
    WCHAR *wide = win__widen((const char *)text, bytes, &units);
    char *narrow = win__narrow(wide, units, &again);
    int good = is_well_formed(text, bytes);

    EXPECT_THAT(units <= bytes && is_utf16(wide, units), "%x %x %x", text[0], text[1], text[2]);
    if (good) {
        EXPECT_THAT(again == bytes && !memcmp(narrow, text, bytes), "%x %x %x", text[0], text[1],
                    text[2]);
    } else {
        EXPECT_THAT(holds(wide, units, 0xFFFD), "%x %x %x", text[0], text[1], text[2]);
    }
    free(wide);
    free(narrow);
}

/* A lead at the end of the text has no trail, whatever lies behind the text. */
TEST(Utf16, nothing_behind_the_text_counts)
{
    static const WCHAR wide[] = {'a', 0xD800, 0xDC00};
    static const char narrow[] = "a\xC3\xA4";
    SIZE_T length;
    char *to_utf8 = win__narrow(wide, 2, &length);
    WCHAR *to_utf16;

    EXPECT_EQ(length, 4);
    EXPECT_STREQ(to_utf8, "a\xEF\xBF\xBD");
    to_utf16 = win__widen(narrow, 2, &length);
    EXPECT_EQ(length, 2);
    EXPECT_EQ(to_utf16[1], 0xFFFD);
    free(to_utf8);
    free(to_utf16);
}

TEST(Utf16, any_bytes_become_text)
{
    unsigned char text[4] = {0};

    for (int i = 0; i < 1 << 16; i++) {
        text[0] = (unsigned char)i;
        text[1] = (unsigned char)(i >> 8);
        widen_and_look(text, 1);
        widen_and_look(text, 2);
    }
    for (int first = 0xC0; first < 0x100; first++) {
        for (int i = 0; i < 1 << 14; i++) {
            text[0] = (unsigned char)first;
            text[1] = (unsigned char)(i >> 7 << 1);
            text[2] = (unsigned char)(i << 1 | first);
            widen_and_look(text, 3);
        }
    }
    for (int i = 0; i < 1 << 16;
         i++) { /* four bytes: each lead and second, ends of the others' range */
        static const unsigned char others[] = {0x7F, 0x80, 0xBF, 0xC0};

        text[0] = (unsigned char)(0xF0 | (i >> 12 & 15));
        text[1] = (unsigned char)(i >> 4);
        text[2] = others[i >> 2 & 3];
        text[3] = others[i & 3];
        widen_and_look(text, 4);
    }
}

/* Garbage does not eat the characters that follow it: every ASCII character of a text is there, in order. */
TEST(Utf16, characters_around_garbage_stay)
{
    uint64_t random = tc_seed() * 2u + 1;

    for (int i = 0; i < 100000; i++) {
        unsigned char text[12];
        size_t ascii = 0, seen = 0;
        SIZE_T units;
        WCHAR *wide;

        for (size_t j = 0; j < sizeof text; j++) {
            uint64_t value = next_random(&random);

            text[j] = value & 1 ? (unsigned char)('a' + value / 2 % 26)
                                : (unsigned char)(0x80 | value / 2);
            ascii += text[j] < 0x80;
        }
        wide = win__widen((char *)text, sizeof text, &units);
        for (size_t j = 0, at = 0; j < units; j++) {
            if (wide[j] >= 'a' && wide[j] <= 'z') {
                while (at < sizeof text && text[at] != wide[j]) {
                    EXPECT_GE(text[at], 0x80);
                    at++;
                }
                at++;
                seen++;
            }
        }
        EXPECT_EQ(seen, ascii);
        free(wide);
    }
}
