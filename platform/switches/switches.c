/* SPDX-License-Identifier: MIT
 *
 * switches.c - see switches.h.
 */
#include "platform/switches/switches.h"

#include <stdbool.h>
#include <string.h>

#include "platform/platform.h"
#include "platform/trace/system.h"

#define ANY_VALUE "*"
#define ANY_WORDS "?"
#define NOT_HERE ANY_VALUE
#define PREFIX "UMSSHIM_"

enum { LONGEST_NAME = 32, MOST_SAID = 8, SIMILAR = 2 };

/* A table that leaves out rows of the other two kinds. */
#define SWITCH(name, linux_values, windows_values)
#define GONE(name, instead)
#define OF_TESTS(start)

static const struct known {
    const char *name;
    const char *values[2]; /* by enum switches_of */
} known[] = {
#undef SWITCH
#define SWITCH(name, linux_values, windows_values) {PREFIX #name, {linux_values, windows_values}},
#include "platform/switches/switches.def"
#undef SWITCH
#define SWITCH(name, linux_values, windows_values)
};

static const struct gone {
    const char *name, *instead;
} gone[] = {
#undef GONE
#define GONE(name, instead) {PREFIX #name, instead},
#include "platform/switches/switches.def"
#undef GONE
#define GONE(name, instead)
};

static const char *const of_tests[] = {
#undef OF_TESTS
#define OF_TESTS(start) PREFIX #start,
#include "platform/switches/switches.def"
};

enum {
    KNOWN = sizeof known / sizeof *known,
    LEFT = sizeof gone / sizeof *gone,
    TESTS = sizeof of_tests / sizeof *of_tests
};

static enum switches_of system_here;
static unsigned said;

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* How many letters to change, add, leave out or exchange with the next one make one name the
 * other. */
static unsigned distance(const char *one, size_t one_length, const char *other)
{
    size_t other_length = strlen(other);
    unsigned rows[3][LONGEST_NAME + 1];
    for (unsigned j = 0; j <= other_length; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= one_length; i++) {
        unsigned *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (unsigned j = 1; j <= other_length; j++) {
            bool same = one[i - 1] == other[j - 1];
            now[j] = least(least(before[j], now[j - 1]) + 1, before[j - 1] + !same);
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                now[j] = least(now[j], earlier[j - 2] + 1);
        }
    }
    return rows[one_length % 3][other_length];
}

static const char *similar_to(const char *name, size_t length)
{
    const char *found = NULL;
    unsigned nearest = SIMILAR + 1;
    for (size_t i = 0; i < KNOWN && length <= LONGEST_NAME; i++) {
        unsigned apart = distance(name, length, known[i].name);
        if (apart < nearest) {
            nearest = apart;
            found = known[i].name;
        }
    }
    return found;
}

/* Whether one of the words, which blanks part, is the value; or, with `within`, is anywhere in
 * it. */
static bool has_word(const char *words, const char *value, bool within)
{
    char word[LONGEST_NAME];
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, " ");
        memcpy(word, at, length);
        word[length] = 0;
        if (within ? strstr(value, word) != NULL : strcmp(value, word) == 0)
            return true;
        at += length + (at[length] != 0);
    }
    return false;
}

static void check_value(const struct known *entry, const char *value)
{
    const char *values = entry->values[system_here];
    bool within = values[0] == ANY_WORDS[0];
    if (!*value || values[0] == ANY_VALUE[0] || has_word(values + within, value, within))
        return;
    said++;
    plat_log("no such value, so it is ignored: %s=%.40s; %s: %s", entry->name, value,
             within ? "words that it may have in it" : "there are", values + within);
}

static bool is(const char *known_name, const char *name, size_t length)
{
    return strlen(known_name) == length && strncmp(name, known_name, length) == 0;
}

static const char *instead_of(const char *name, size_t length)
{
    for (size_t i = 0; i < LEFT; i++)
        if (is(gone[i].name, name, length))
            return gone[i].instead;
    return NULL;
}

static void check_name(const char *name, size_t length)
{
    const char *instead = instead_of(name, length);
    const char *similar = similar_to(name, length);
    if (instead)
        plat_log("no such switch, so it is ignored: %.*s; %s", (int)length, name, instead);
    else if (similar)
        plat_log("no such switch, so it is ignored: %.*s; %s is meant?", (int)length, name,
                 similar);
    else if (strncmp(name, PREFIX, sizeof PREFIX - 1) == 0)
        plat_log("no such switch, so it is ignored: %.*s; umsshim(7) has all of them",
                 (int)(length < LONGEST_NAME ? length : LONGEST_NAME), name);
    else
        return;
    said++;
}

/* A variable as NAME=value; the name in capitals where the system does not tell them apart. */
static void check_variable(const char *text)
{
    size_t length = strcspn(text, "=");
    if (strncmp(text, "UMS", 3) != 0 || !text[length] || said == MOST_SAID)
        return;
    for (size_t i = 0; i < KNOWN; i++)
        if (is(known[i].name, text, length))
            return check_value(&known[i], text + length + 1);
    for (size_t i = 0; i < TESTS; i++)
        if (strncmp(text, of_tests[i], strlen(of_tests[i])) == 0)
            return;
    check_name(text, length);
}

void switches_check(enum switches_of here)
{
    system_here = here;
    said = 0;
    system_variables(check_variable);
}
