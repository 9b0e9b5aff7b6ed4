/* SPDX-License-Identifier: MIT
 *
 * supervise.c - clauses run in a process that may crash or hang; this one starts the next.
 *
 * The process that runs them keeps a journal, a line when a clause begins and one when it is over.
 * It stops after a clause that failed, for nobody knows what that one left behind; the next process
 * skips what has been run. Only this side keeps time: nothing under test could.
 */
#include "host.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

int plan_run(const struct options *options, struct clause **plan, int count)
{
    FILE *journal = options->journal ? fopen(options->journal, "a") : NULL;
    int bad = 0;

    if (options->journal && !journal)
        return 2;
    for (int i = options->skip; i < count; i++) {
        struct result result;

        if (journal) {
            fprintf(journal, "begin %d\n", i);
            fflush(journal);
        }
        kit_run(plan[i], &result);
        if (journal) {
            fprintf(journal, "end %d %d %u %s\n", i, (int)result.outcome, result.milliseconds,
                    result.remark);
            fflush(journal);
        } else {
            report_line(&result);
        }
        if (outcome_is_bad(result.outcome)) {
            bad++;
            if (journal)
                break;
        }
    }
    if (journal)
        fclose(journal);
    return bad ? 1 : 0;
}

struct progress {
    FILE *journal;
    struct clause **plan;
    struct result *results; /* by the clause's first place in the plan */
    const struct options *options;
    int begun, ended; /* places in the plan; -1 for none yet */
    ULONGLONG since;
};

static struct result *result_of(struct progress *progress, int place)
{
    int i = 0;

    while (progress->plan[i] != progress->plan[place])
        i++;
    return &progress->results[i];
}

static void count_in(struct progress *progress, int place, enum outcome outcome,
                     unsigned milliseconds, const char *remark)
{
    struct result *result = result_of(progress, place);
    const char *known = progress->options->departures;
    struct result once = {.clause = progress->plan[place], .runs = 1, .milliseconds = milliseconds};

    outcome = outcome_is_bad(outcome) && known && plan_picks(known, progress->plan[place])
                  ? DIFFERS
                  : outcome;
    once.outcome = outcome;
    snprintf(once.remark, sizeof once.remark, "%s", remark);
    if (!progress->options->quiet || outcome_is_bad(outcome))
        report_line(&once);
    if (!result->runs || result->outcome == PASSED ||
        (outcome_is_bad(outcome) && !outcome_is_bad(result->outcome))) {
        result->outcome = outcome;
        snprintf(result->remark, sizeof result->remark, "%s", remark);
    }
    result->clause = once.clause;
    result->runs++;
    result->bad += outcome_is_bad(outcome);
    if (milliseconds > result->milliseconds)
        result->milliseconds = milliseconds;
}

/* What the journal has gained. A line may be there in part: then later. */
static void read_journal(struct progress *progress)
{
    char line[REMARK_SIZE + 64];
    long position = ftell(progress->journal);

    clearerr(progress->journal);
    while (fgets(line, sizeof line, progress->journal)) {
        char *end = strpbrk(line, "\r\n");
        int place, outcome, used = 0;
        unsigned milliseconds;

        if (!end) {
            fseek(progress->journal, position, SEEK_SET);
            return;
        }
        *end = 0;
        if (sscanf(line, "begin %d", &place) == 1) {
            progress->begun = place;
            progress->since = GetTickCount64();
        } else if (sscanf(line, "end %d %d %u %n", &place, &outcome, &milliseconds, &used) == 3) {
            progress->ended = place;
            count_in(progress, place, (enum outcome)outcome, milliseconds, line + used);
        }
        position = ftell(progress->journal);
    }
}

/* A process ended, or was ended, within a clause. */
static void lost(struct progress *progress, bool hung, int status)
{
    struct clause *clause = progress->plan[progress->begun];
    unsigned milliseconds = (unsigned)(GetTickCount64() - progress->since);
    char text[100];

    if (hung)
        snprintf(text, sizeof text, "not over after %u s", milliseconds / 1000);
    else
        snprintf(text, sizeof text, "the process ended, status 0x%x", (unsigned)status);
    if (!hung && clause->may_fault && host_is_oracle() && !kit_strict()) {
        count_in(progress, progress->begun, PASSED, milliseconds,
                 "real code follows the bad pointer and faults");
    } else {
        count_in(progress, progress->begun, hung ? HUNG : CRASHED, milliseconds, text);
    }
    progress->ended = progress->begun;
}

/* One process from `skip` on; false if none could be started. */
static bool run_process(struct progress *progress, char **argv, const char *journal, int skip)
{
    char *arguments[40], skipping[24], seed[24];
    struct host_child child;
    int count = 0, status = 0;
    bool crashed = false, hung = false;

    while (argv[count] && count < 32) {
        arguments[count] = argv[count];
        count++;
    }
    snprintf(skipping, sizeof skipping, "--skip=%d", skip);
    snprintf(seed, sizeof seed, "--shuffle=%u", progress->options->seed);
    arguments[count++] = "--journal";
    arguments[count++] = (char *)journal;
    arguments[count++] = skipping;
    if (progress->options->shuffle)
        arguments[count++] = seed;
    arguments[count] = NULL;
    progress->since = GetTickCount64();
    if (!host_start(&child, arguments, NULL))
        return false;
    while (!host_wait(&child, 20, &status, &crashed)) {
        read_journal(progress);
        if (GetTickCount64() - progress->since > progress->options->limit_ms) {
            hung = true;
            host_end(&child);
            break;
        }
    }
    read_journal(progress);
    if (progress->begun > progress->ended)
        lost(progress, hung, status);
    return true;
}

bool plan_supervise(const struct options *options, char **argv, struct clause **plan, int count,
                    struct result *results)
{
    struct progress progress = {
        .plan = plan, .results = results, .options = options, .begun = -1, .ended = -1};
    char path[512];
    bool ok = true, stop = false;

    host_scratch_path(path, sizeof path, ".journal");
    progress.journal = fopen(path, "w+");
    if (!progress.journal) {
        fprintf(stderr, "ums_conformance: cannot write %s\n", path);
        return false;
    }
    while (ok && !stop && progress.ended + 1 < count) {
        int before = progress.ended;

        ok = run_process(&progress, argv, path, progress.ended + 1) && progress.ended > before;
        stop = options->first && ok && progress.ended + 1 < count;
    }
    fclose(progress.journal);
    remove(path);
    if (!ok)
        fprintf(stderr, "ums_conformance: the process that runs the clauses does not start\n");
    return ok;
}
