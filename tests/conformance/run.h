/* SPDX-License-Identifier: MIT
 *
 * run.h - how the kit runs clauses and tells what came of it; nothing here is for clauses.
 */
#ifndef UMSSHIM_TESTS_CONFORMANCE_RUN_H
#define UMSSHIM_TESTS_CONFORMANCE_RUN_H

#include "kit.h"

#include <stdio.h>

enum outcome { NOT_RUN, PASSED, FAILED, SKIPPED, CRASHED, HUNG, UNTESTABLE, DIFFERS };

enum { REMARK_SIZE = 400 };

struct result {
    struct clause *clause;
    enum outcome outcome; /* the worst of all repetitions */
    int runs, bad;
    unsigned milliseconds; /* the longest */
    char remark[REMARK_SIZE];
};

struct options {
    const char *provider, *pick, *json, *junit;
    const char *departures; /* clauses that are known to be answered otherwise, and documented */
    const char *journal;    /* in the process that runs the clauses */
    const char *part;
    int repeat, skip;
    unsigned seed;
    unsigned limit_ms; /* for one clause */
    bool shuffle, in_process, list, strict, quiet, first;
};

/* Exits the program over what it does not understand. */
struct options options_read(int argc, char **argv);

/* The clauses in the contract's order; NULL after the last. */
struct clause **kit_clauses(void);
struct part *kit_find_part(const char *name);
void kit_set_strict(bool strict);
/* How long one clause may take, of which its waits and parts get their shares. */
void kit_set_limit(unsigned milliseconds);
/* Runs one clause and says what came of it. */
void kit_run(struct clause *clause, struct result *result);

/* The picked clauses, repeated and shuffled as the options say. Returns how many there are. */
bool plan_picks(const char *pick, const struct clause *clause);
int plan_make(const struct options *options, struct clause ***plan);

/* Runs the plan in this process from options->skip on and keeps a journal of it. */
int plan_run(const struct options *options, struct clause **plan, int count);
/* Has the plan run by processes that may crash and hang, and collects what came of it. */
bool plan_supervise(const struct options *options, char **argv, struct clause **plan, int count,
                    struct result *results);

const char *outcome_name(enum outcome outcome);
bool outcome_is_bad(enum outcome outcome);
void report_head(const struct options *options, int count);
void report_line(const struct result *result);
void report_summary(const struct result *results, int count);
bool report_json(const char *path, const struct options *options, const struct result *results,
                 int count);
bool report_junit(const char *path, const struct result *results, int count);

#endif
