/* SPDX-License-Identifier: MIT
 *
 * kit.h - what a clause is written with.
 *
 * A clause is one function; writing it is all there is to adding one:
 *
 *     CLAUSE(DQ, 2, UNS, "W:dequeueumscompletionlistitems", "An empty list, time-out 0: ...")
 *     {
 *         EXPECT_FAILS(DequeueUmsCompletionListItems(NULL, 0, &chain), ERROR_INVALID_PARAMETER);
 *     }
 *
 * The tag says what vouches for it: DOC (Microsoft's page), OBS (seen), UNS (neither; the choice
 * made for this library, and what the page says passes, too). The page is given as in page_names of
 * table.py.
 *
 * ../support/checks.h has the checks. A failed one is told when the clause is over; a clause that makes
 * none has failed.
 */
#ifndef UMSSHIM_TESTS_CONFORMANCE_KIT_H
#define UMSSHIM_TESTS_CONFORMANCE_KIT_H

#include "../support/checks.h"
#include "calls.h"

#include <stdatomic.h>

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

/* ---- beside the checks ---- */

/* What is worth a remark in the report, a literal; the first one counts. */
void kit_note(const char *remark);
/* Whether a clause of the contract that Windows left open must be answered our way. */
bool kit_strict(void);

/* Zero and the last error that this library chose; one that is documented passes, too, with a note,
 * where the kit is not strict. */
#define EXPECT_FAILS_OPEN(call, chosen, documented)                                                \
    kit_note_error(CHECK_FAILS(call, #call, chosen, kit_strict() ? (chosen) : (documented)),       \
                   documented)
bool kit_note_error(bool holds, DWORD documented);

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
 * most two fifths of a clause's limit. Its exit status, -1 for a hang or if it could not be started. */
int kit_part(const char *name, const char *setting);

/* ---- limits ---- */

/* How long a clause waits for what has to come: a share of its own limit (--limit), so that a slow
 * machine is told of once. 8 s of the usual 25. */
unsigned patience_ms(void);

#endif
