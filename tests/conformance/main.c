/* SPDX-License-Identifier: MIT
 *
 * main.c - ums_conformance: what a provider of User-Mode Scheduling does, clause by clause.
 */
#include "run.h"

#include <stdlib.h>

static int list_clauses(const struct options *options, struct clause **plan, int count)
{
    struct result *none = calloc((size_t)count + 1, sizeof *none);

    if (!none)
        return 2;
    for (int i = 0; i < count && options->json; i++)
        none[i].clause = plan[i];
    if (options->json && !report_json(options->json, options, none, count))
        return 2;
    free(none);
    for (int i = 0; i < count; i++)
        printf("%-5s %-3s %-36s %s\n", plan[i]->id, plan[i]->tag, plan[i]->page, plan[i]->says);
    return 0;
}

static int run_part(const char *name)
{
    struct part *part = kit_find_part(name);

    return part ? part->run() : 2;
}

static int supervise(const struct options *options, char **argv, struct clause **plan, int count)
{
    struct result *results = calloc((size_t)count + 1, sizeof *results);
    int kinds = count / options->repeat;
    bool ok;

    if (!results)
        return 2;
    report_head(options, kinds);
    ok = plan_supervise(options, argv, plan, count, results);
    report_summary(results, kinds);
    if (options->json)
        ok = report_json(options->json, options, results, kinds) && ok;
    if (options->junit)
        ok = report_junit(options->junit, results, kinds) && ok;
    for (int i = 0; i < kinds; i++)
        ok = ok && !outcome_is_bad(results[i].outcome);
    free(results);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct options options = options_read(argc, argv);
    struct clause **plan;
    int count = plan_make(&options, &plan), status;

    kit_set_strict(options.strict);
    kit_set_limit(options.limit_ms);
    if (options.list)
        return list_clauses(&options, plan, count);
    if (options.part)
        return calls_load(options.provider) ? run_part(options.part) : 2;
    if (!count) {
        fprintf(stderr, "ums_conformance: no clause is called that; --list has them\n");
        return 2;
    }
    /* The supervisor makes no UMS call: its provider may be there under the launcher only. */
    calls_provider = options.provider;
    if (options.journal || options.in_process) {
        if (!calls_load(options.provider))
            return 2;
        if (!options.journal)
            report_head(&options, count / options.repeat);
        status = plan_run(&options, plan, count);
    } else {
        status = supervise(&options, argv, plan, count);
    }
    free(plan);
    return status;
}
