/* SPDX-License-Identifier: MIT
 *
 * tally.h - how much a stress test has done. An operation is one call of the API, or one blocking
 * system call of a worker, whose outcome the test checks. A call that nobody checks is not counted.
 */
#ifndef UMSSHIM_TESTS_STRESS_TALLY_H
#define UMSSHIM_TESTS_STRESS_TALLY_H

#define TALLY_KINDS(KIND)                                                                          \
    KIND(CREATIONS, "contexts, threads and lists made")                                            \
    KIND(DELETIONS, "contexts and lists deleted")                                                  \
    KIND(ENDS, "threads ended")                                                                    \
    KIND(MODES, "scheduling modes entered or left")                                                \
    KIND(LISTS, "dequeues, list items and list events")                                            \
    KIND(EXECUTIONS, "executions")                                                                 \
    KIND(YIELDS, "yields")                                                                         \
    KIND(WAITS, "waits of Win32")                                                                  \
    KIND(SYSTEM_CALLS, "system calls that may block")                                              \
    KIND(SIGNALS, "releases of waits")                                                             \
    KIND(QUICK, "calls that need not wait")                                                        \
    KIND(STOPS, "suspensions and resumptions")                                                     \
    KIND(QUERIES, "queries")                                                                       \
    KIND(BAD, "calls that have to fail")                                                           \
    KIND(FORKS, "forks")                                                                           \
    KIND(OVERLAPPED, "overlapped operations")                                                      \
    KIND(PROCEDURES, "procedure calls")

enum tally_kind {
#define TALLY_ENUM(name, text) TALLY_##name,
    TALLY_KINDS(TALLY_ENUM)
#undef TALLY_ENUM
        TALLY_COUNT
};

/* On any thread, behind the check. */
void tally_add(enum tally_kind kind, long long count);

long long tally_sum(void);

/* A line for each kind that there was, "operations: COUNT KIND", which scripts/soak.sh sums. They
 * count from the beginning of the process, or the last of these calls. */
void tally_say(void);

#endif
