/* SPDX-License-Identifier: MIT
 *
 * collation.c - see collation.h.
 *
 * Windows' order has levels. The first level ignores accents and case: the first character that
 * differs decides, symbols before digits before letters. Texts that are equal there are compared by
 * accents, then by case, lower before upper. In a word sort hyphens and apostrophes count last.
 * Letters with accents are those of Latin-1 and Latin Extended-A; other letters follow the Latin
 * ones, by their codes.
 */
#include "winapi/linux/collation.h"
#include "winapi/linux/letter.h"

/* Letters from U+00C0 on without their accents; a full stop: no such letter. */
static const char bases[] = "AAAAAA.CEEEEIIII.NOOOOO.OUUUUY..aaaaaa.ceeeeiiii.nooooo.ouuuuy.y"
                            "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIi..JjKk.LlLlLlLlLl"
                            "NnNnNn...OoOoOo..RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZz.";

enum { IGNORED = 0, SYMBOL = 1 << 16, SIGN = 2 << 16, DIGIT = 3 << 16, LETTER = 4 << 16 };

static WCHAR base_of(WCHAR unit)
{
    if (unit < 0xC0 || unit >= 0xC0 + sizeof bases - 1 || bases[unit - 0xC0] == '.')
        return unit;
    return (WCHAR)bases[unit - 0xC0];
}

static uint32_t place(WCHAR unit, DWORD flags)
{
    WCHAR base = base_of(unit);
    WORD class = win__class(base);
    if (class & C1_DIGIT)
        return DIGIT + base;
    if (class & C1_ALPHA)
        return LETTER + win__lower(base);
    if (class & C1_CNTRL && !(class & C1_SPACE))
        return IGNORED;
    if ((unit == '-' || unit == '\'') && !(flags & SORT_STRINGSORT))
        return IGNORED;
    if (class & (C1_PUNCT | C1_SPACE) && flags & NORM_IGNORESYMBOLS)
        return IGNORED;
    bool sign = unit == '+' || (unit >= '<' && unit <= '>') || unit == 0xB1;
    return (sign ? SIGN : SYMBOL) + unit;
}

static uint32_t accent(WCHAR unit, DWORD flags)
{
    return flags & NORM_IGNORENONSPACE || base_of(unit) == unit ? 0 : win__lower(unit);
}

static uint32_t case_of(WCHAR unit, DWORD flags)
{
    return flags & (NORM_IGNORECASE | LINGUISTIC_IGNORECASE) ? 0 : win__lower(unit) != unit;
}

struct text {
    const WCHAR *at, *end;
};

/* The next unit that counts; 0 at the end. */
static WCHAR next(struct text *text, DWORD flags)
{
    while (text->at < text->end) {
        WCHAR unit = *text->at++;
        if (place(unit, flags) != IGNORED)
            return unit;
    }
    return 0;
}

static int by(uint32_t (*level)(WCHAR, DWORD), struct text left, struct text right, DWORD flags)
{
    for (;;) {
        WCHAR one = next(&left, flags), other = next(&right, flags);
        if (!one || !other)
            return (one != 0) - (other != 0);
        uint32_t first = level(one, flags), second = level(other, flags);
        if (first != second)
            return first < second ? -1 : 1;
    }
}

/* In a word sort, of equal texts the one with fewer hyphens and apostrophes comes first. */
static int by_marks(struct text left, struct text right, DWORD flags)
{
    if (flags & NORM_IGNORESYMBOLS)
        return 0;
    size_t marks[2] = {0, 0};
    const struct text both[2] = {left, right};
    for (int i = 0; i < 2; i++)
        for (const WCHAR *at = both[i].at; at < both[i].end; at++)
            marks[i] += *at == '-' || *at == '\'';
    return (marks[0] > marks[1]) - (marks[0] < marks[1]);
}

int win__collate(const WCHAR *left, SIZE_T left_units, const WCHAR *right, SIZE_T right_units,
                 DWORD flags)
{
    struct text one = {left, left + left_units}, other = {right, right + right_units};
    int order = by(place, one, other, flags);
    if (!order)
        order = by(accent, one, other, flags);
    if (!order)
        order = by(case_of, one, other, flags);
    return order ? order : by_marks(one, other, flags);
}
