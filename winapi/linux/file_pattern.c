/* SPDX-License-Identifier: MIT
 *
 * file_pattern.c - see file_pattern.h.
 *
 * A pattern is kept in the form that is documented for FsRtlIsNameInExpression: wildcards that
 * depend on dots have signs of their own. The match keeps one flag for each place of the pattern:
 * whether it may be next, after the characters so far. So the time is at most the pattern's length
 * times the name's.
 */
#include "winapi/linux/file_pattern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "winapi/linux/text.h"

enum sign { PLAIN, STAR, QUESTION, STAR_BEFORE_DOT, DOT_BEFORE_WILDCARD };

struct place {
    uint8_t sign;
    WCHAR unit;
};

struct file_pattern {
    bool case_matters;
    size_t length;
    struct place places[];
};

bool win__has_wildcards(const char *name)
{
    return strpbrk(name, "*?") != NULL;
}

static WCHAR folded(WCHAR unit)
{
    return unit < 0x80 ? (WCHAR)(unit >= 'a' && unit <= 'z' ? unit - 32 : unit)
                       : (WCHAR)towupper((wint_t)unit);
}

static struct place place_at(const WCHAR *at, bool case_matters)
{
    bool wild_next = at[0] && (at[1] == '*' || at[1] == '?');
    switch (at[0]) {
    case '*':
        return (struct place){at[1] == '.' ? STAR_BEFORE_DOT : STAR, '*'};
    case '?':
        return (struct place){QUESTION, '?'};
    case '.':
        return (struct place){wild_next ? DOT_BEFORE_WILDCARD : PLAIN, '.'};
    default:
        return (struct place){PLAIN, case_matters ? at[0] : folded(at[0])};
    }
}

struct file_pattern *win__pattern(const char *text, bool case_matters)
{
    SIZE_T length;
    if (!strcmp(text, "*.*"))
        text = "*";
    WCHAR *wide = win__widen(text, strlen(text), &length);
    struct file_pattern *pattern =
        wide ? malloc(sizeof *pattern + length * sizeof *pattern->places) : NULL;
    if (pattern) {
        pattern->case_matters = case_matters;
        for (SIZE_T i = 0; i < length; i++)
            pattern->places[i] = place_at(wide + i, case_matters);
        /* "*." means a name without an extension; its dot is not part of the name. */
        bool ends = length > 1 && wide[length - 1] == '.' && wide[length - 2] == '*';
        pattern->length = ends ? length - 1 : length;
    }
    free(wide);
    return pattern;
}

/* Goes on over places that may take no character. `left`: the characters left of the name. */
static void pass_empty(const struct file_pattern *pattern, uint8_t *may, size_t left, WCHAR next)
{
    for (size_t i = 0; i < pattern->length; i++) {
        if (!may[i])
            continue;
        switch (pattern->places[i].sign) {
        case STAR:
        case STAR_BEFORE_DOT:
            may[i + 1] = 1;
            break;
        case QUESTION:
            may[i + 1] |= !left || next == '.';
            break;
        case DOT_BEFORE_WILDCARD:
            may[i + 1] |= !left;
            break;
        }
    }
}

/* Whether the place takes the character. *stays: whether it may take another. */
static bool takes(const struct place *place, WCHAR unit, bool last_dot, bool *stays)
{
    *stays = false;
    switch (place->sign) {
    case STAR:
        *stays = true;
        return false;
    case STAR_BEFORE_DOT:
        *stays = !last_dot;
        return false;
    case QUESTION:
        return unit != '.';
    default:
        return place->unit == unit;
    }
}

static bool matches(const struct file_pattern *pattern, const WCHAR *name, size_t length,
                    uint8_t *may, uint8_t *then)
{
    size_t last_dot = length;
    for (size_t at = 0; at < length; at++)
        if (name[at] == '.')
            last_dot = at;
    may[0] = 1;
    for (size_t at = 0; at < length; at++) {
        WCHAR unit = pattern->case_matters ? name[at] : folded(name[at]);
        pass_empty(pattern, may, length - at, unit);
        memset(then, 0, pattern->length + 1);
        for (size_t i = 0; i < pattern->length; i++) {
            bool stays;
            if (may[i] && takes(&pattern->places[i], unit, at == last_dot, &stays))
                then[i + 1] = 1;
            else if (may[i])
                then[i] |= stays;
        }
        memcpy(may, then, pattern->length + 1);
    }
    pass_empty(pattern, may, 0, 0);
    return may[pattern->length];
}

bool win__matches(const struct file_pattern *pattern, const char *name)
{
    SIZE_T length;
    WCHAR *wide = win__widen(name, strlen(name), &length);
    uint8_t *rows = calloc(2, pattern->length + 1);
    bool match = wide && rows && matches(pattern, wide, length, rows, rows + pattern->length + 1);
    free(rows);
    free(wide);
    return match;
}

void win__pattern_free(struct file_pattern *pattern)
{
    free(pattern);
}
