/* SPDX-License-Identifier: MIT
 *
 * kit.c - the register of clauses, and what came of their checks.
 */
#include "host.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

/* The contract's order; what is not here comes last. */
static const char *const families[] = {"TY", "XP", "NS", "CL", "DL", "EV", "DQ", "NX", "TC", "DT",
                                       "AT", "CT", "ES", "SP", "EX", "YD", "GC", "QI", "SI", "SY",
                                       "BL", "LF", "SU", "CN", "DB", "CX", "PT", "LX", "MX"};

const char *host_launcher;

static struct clause *registered;
static struct part *parts;
static bool strict;
static unsigned limit_ms;

void kit_register(struct clause *clause)
{
    snprintf(clause->id, sizeof clause->id, "%s-%d", clause->family, clause->number);
    clause->next = registered;
    registered = clause;
}

static int family_rank(const char *family)
{
    int rank = 0;

    while (rank < (int)(sizeof families / sizeof *families) && strcmp(families[rank], family))
        rank++;
    return rank;
}

static int by_contract(const void *a, const void *b)
{
    const struct clause *one = *(struct clause *const *)a, *two = *(struct clause *const *)b;
    int ranks = family_rank(one->family) - family_rank(two->family);

    return ranks ? ranks : one->number - two->number;
}

struct clause **kit_clauses(void)
{
    size_t count = 0;
    struct clause **sorted;

    for (struct clause *clause = registered; clause; clause = clause->next)
        count++;
    sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted)
        abort();
    count = 0;
    for (struct clause *clause = registered; clause; clause = clause->next)
        sorted[count++] = clause;
    qsort(sorted, count, sizeof *sorted, by_contract);
    return sorted;
}

void kit_register_part(struct part *part)
{
    part->next = parts;
    parts = part;
}

struct part *kit_find_part(const char *name)
{
    struct part *part = parts;

    while (part && strcmp(part->name, name))
        part = part->next;
    return part;
}

int kit_part(const char *name, const char *setting)
{
    char limit[16];
    char *argv[] = {"",
                    "--part",
                    (char *)name,
                    "--limit",
                    limit,
                    "--provider",
                    (char *)calls_provider,
                    host_launcher ? "--launcher" : NULL,
                    (char *)host_launcher,
                    NULL};
    struct host_child child;
    int status = -1;
    bool crashed = false;

    snprintf(limit, sizeof limit, "%u", limit_ms / 1000);
    if (!host_start(&child, argv, setting))
        return -1;
    if (!host_wait(&child, limit_ms / 5 * 2, &status, &crashed)) {
        host_end(&child);
        return -1;
    }
    return crashed ? 1000 : status;
}

/* ---- what the checks saw ---- */

enum { MAX_NOTED = 6 };

static struct noted {
    struct check_place place;
    char text[CHECK_TEXT];
} noted[MAX_NOTED];
static atomic_int bad_checks;
static const char *_Atomic remark;
static char skipped[REMARK_SIZE];

void kit_set_strict(bool value)
{
    strict = value;
}

void kit_set_limit(unsigned milliseconds)
{
    limit_ms = milliseconds;
}

unsigned patience_ms(void)
{
    return limit_ms / 25 * 8;
}

bool kit_strict(void)
{
    return strict;
}

void check_failed(struct check_place place, const char *text)
{
    int slot = atomic_fetch_add(&bad_checks, 1);

    if (slot < MAX_NOTED) {
        noted[slot].place = place;
        snprintf(noted[slot].text, sizeof noted[slot].text, "%s", text);
    }
}

void check_skipped(const char *why)
{
    snprintf(skipped, sizeof skipped, "%s", why);
}

bool kit_note_error(bool holds, DWORD documented)
{
    if (holds && GetLastError() == documented)
        kit_note("answered as documented, not as chosen here");
    return holds;
}

void kit_note(const char *text)
{
    const char *none = NULL;

    atomic_compare_exchange_strong(&remark, &none, text);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void tell(const struct noted *what, char *text, size_t size)
{
    snprintf(text, size, "%s:%d: %s", base_name(what->place.file), what->place.line, what->text);
}

static void tell_all(int count, char *text, size_t size)
{
    for (int i = 0; i < count && i < MAX_NOTED; i++) {
        size_t used = strlen(text);

        if (used + 3 < size) {
            if (i > 0) {
                memcpy(text + used, "; ", 3);
                used += 2;
            }
            tell(&noted[i], text + used, size - used);
        }
    }
}

void kit_run(struct clause *clause, struct result *result)
{
    ULONGLONG started = GetTickCount64();
    int before = check_count();
    const char *note;

    memset(result, 0, sizeof *result);
    result->clause = clause;
    result->runs = 1;
    if (!clause->run) {
        result->outcome = UNTESTABLE;
        snprintf(result->remark, sizeof result->remark, "%s", clause->untested);
        return;
    }
    memset(noted, 0, sizeof noted);
    atomic_store(&bad_checks, 0);
    atomic_store(&remark, NULL);
    skipped[0] = 0;
    clause->run();
    result->milliseconds = (unsigned)(GetTickCount64() - started);
    note = atomic_load(&remark);
    if (atomic_load(&bad_checks)) {
        result->outcome = FAILED;
        result->bad = 1;
        tell_all(atomic_load(&bad_checks), result->remark, sizeof result->remark);
    } else if (skipped[0]) {
        result->outcome = SKIPPED;
        snprintf(result->remark, sizeof result->remark, "%s", skipped);
    } else if (check_count() == before) {
        result->outcome = FAILED; /* a test that asserts nothing cannot fail */
        result->bad = 1;
        snprintf(result->remark, sizeof result->remark, "no check was made");
    } else {
        result->outcome = PASSED;
        snprintf(result->remark, sizeof result->remark, "%s", note ? note : "");
    }
}
