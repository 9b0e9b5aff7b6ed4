/* SPDX-License-Identifier: MIT
 *
 * kit.h - what a clause is written with.
 *
 * A clause is one function; writing it is all there is to adding one:
 *
 *     CLAUSE(DQ, 2, UNS, "W:dequeueumscompletionlistitems", "An empty list, time-out 0: ...")
 *     {
 *         FAILS(DequeueUmsCompletionListItems(NULL, 0, &chain), ERROR_INVALID_PARAMETER);
 *     }
 *
 * The tag says what vouches for it: DOC (Microsoft's page), OBS (seen), UNS (neither; the choice
 * made for this library, and what the page says passes, too). The page is given as in page_names of
 * table.py.
 *
 * A check may be made on any thread, in a worker and in a scheduler's entry point: it allocates
 * nothing and prints nothing, what it saw is told when the clause is over.
 */
#ifndef UMSSHIM_TESTS_CONFORMANCE_KIT_H
#define UMSSHIM_TESTS_CONFORMANCE_KIT_H

#include "calls.h"

#include <stdatomic.h>

enum { SENTINEL = 0x5e471e }; /* a last error that nobody sets */

struct clause {
    const char *family;
    int number;
    const char *tag, *page, *says;
    const char *untested; /* why it cannot be tested, then there is no function */
    bool may_fault;       /* on Windows itself: real code follows the bad pointer */
    void (*run)(void);
    char id[8];
    struct clause *next;
};

void kit_register(struct clause *clause);

#define KIT_CLAUSE(family_, number_, tag_, page_, says_, untested_, faults_, run_)                 \
    static struct clause clause_##family_##_##number_ = {.family = #family_,                       \
                                                         .number = number_,                        \
                                                         .tag = #tag_,                             \
                                                         .page = page_,                            \
                                                         .says = says_,                            \
                                                         .untested = untested_,                    \
                                                         .may_fault = faults_,                     \
                                                         .run = run_};                             \
    __attribute__((constructor)) static void register_##family_##_##number_(void)                  \
    {                                                                                              \
        kit_register(&clause_##family_##_##number_);                                               \
    }

#define CLAUSE(family, number, tag, page, says)                                                    \
    static void run_##family##_##number(void);                                                     \
    KIT_CLAUSE(family, number, tag, page, says, NULL, false, run_##family##_##number)              \
    static void run_##family##_##number(void)

/* A clause about a bad pointer that Windows itself follows: there it may end the process. */
#define CLAUSE_FAULTS(family, number, tag, page, says)                                             \
    static void run_##family##_##number(void);                                                     \
    KIT_CLAUSE(family, number, tag, page, says, NULL, true, run_##family##_##number)               \
    static void run_##family##_##number(void)

/* A clause that no program can test, and why. */
#define UNTESTED(family, number, tag, page, says, why)                                             \
    KIT_CLAUSE(family, number, tag, page, says, why, false, NULL)

/* ---- checks: each says whether it holds ---- */

struct place {
    const char *file;
    int line;
};
#define HERE ((struct place){__FILE__, __LINE__})

enum compare { IS_SAME, IS_DIFFERENT, IS_AT_LEAST, IS_AT_MOST };

bool kit_check(struct place place, bool holds, const char *text);
bool kit_compare(struct place place, enum compare how, const char *text, ULONG_PTR seen,
                 ULONG_PTR wanted);
bool kit_failed_with(struct place place, const char *text, ULONG_PTR result, DWORD chosen,
                     DWORD documented);
bool kit_ok(struct place place, const char *text, ULONG_PTR result);
/* What is worth a remark in the report, a literal; the first one counts. */
void kit_note(const char *remark);
/* The clause cannot be tested here and now: the result is "skipped", unless a check failed. */
void kit_skip(const char *why);
/* Whether a clause of the contract that Windows left open must be answered our way. */
bool kit_strict(void);

#define CHECK(condition) kit_check(HERE, (condition), #condition)
#define BAD(text) kit_check(HERE, false, text)
#define SAME(seen, wanted)                                                                         \
    kit_compare(HERE, IS_SAME, #seen " == " #wanted, (ULONG_PTR)(seen), (ULONG_PTR)(wanted))
#define DIFFERENT(seen, other)                                                                     \
    kit_compare(HERE, IS_DIFFERENT, #seen " != " #other, (ULONG_PTR)(seen), (ULONG_PTR)(other))
#define AT_LEAST(seen, least)                                                                      \
    kit_compare(HERE, IS_AT_LEAST, #seen " >= " #least, (ULONG_PTR)(seen), (ULONG_PTR)(least))
#define AT_MOST(seen, most)                                                                        \
    kit_compare(HERE, IS_AT_MOST, #seen " <= " #most, (ULONG_PTR)(seen), (ULONG_PTR)(most))
/* A call that succeeds, one that fails with this last error, or with one of these two. */
#define OK(call) kit_ok(HERE, #call, (ULONG_PTR)(SetLastError(SENTINEL), call))
#define FAILS(call, error)                                                                         \
    kit_failed_with(HERE, #call, (ULONG_PTR)(SetLastError(SENTINEL), call), error, error)
#define FAILS_OR(call, chosen, documented)                                                         \
    kit_failed_with(HERE, #call, (ULONG_PTR)(SetLastError(SENTINEL), call), chosen, documented)
#define REQUIRE(check)                                                                             \
    do {                                                                                           \
        if (!(check))                                                                              \
            return;                                                                                \
    } while (0)

/* ---- parts: what needs a process of its own ---- */

struct part {
    const char *name;
    int (*run)(void);
    struct part *next;
};

void kit_register_part(struct part *part);

#define PART(name_)                                                                                \
    static int part_##name_(void);                                                                 \
    static struct part part_of_##name_ = {#name_, part_##name_, NULL};                             \
    __attribute__((constructor)) static void register_part_##name_(void)                           \
    {                                                                                              \
        kit_register_part(&part_of_##name_);                                                       \
    }                                                                                              \
    static int part_##name_(void)

/* Runs a part in a process of its own, `setting` ("NAME=VALUE", or NULL) in its environment, for at
 * most 10 seconds. Its exit status, -1 for a hang or if it could not be started. */
int kit_part(const char *name, const char *setting);

#endif
