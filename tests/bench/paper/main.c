/* SPDX-License-Identifier: MIT
 *
 * main.c - ums_paper: runs the experiments of the paper on scheduler activations, and reports.
 */
#define _GNU_SOURCE
#include "paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int usage(FILE *out, int status)
{
    fprintf(out,
            "usage: ums_paper [--quick | --full] [--repeat N] [--only EXPERIMENT] [--json FILE]\n"
            "                 [--figures FOLDER] [--strict]\n"
            "  --quick             little of everything: a check that it works\n"
            "  --full              larger problems, more rounds: some ten minutes\n"
            "  --repeat N          rounds, 1 to %d (default 3; quick 1, full 7)\n"
            "  --only EXPERIMENT   table1, figure2, figure3, figure3-faults or table5\n"
            "  --json FILE         everything that was measured\n"
            "  --figures FOLDER    the figures' data, for gnuplot\n"
            "  --strict            exit status 3 when a bar is missed\n",
            DRIVER_MAX_REPEAT);
    return status;
}

static bool take(struct paper_options *options, const char *name, const char *value)
{
    char *end;

    if (strcmp(name, "--repeat") == 0) {
        options->repeat = (int)strtol(value, &end, 10);
        return end != value && !*end && options->repeat >= 1 &&
               options->repeat <= DRIVER_MAX_REPEAT;
    }
    if (strcmp(name, "--only") == 0) {
        options->only = value;
        return strcmp(value, "table1") == 0 || strcmp(value, "figure2") == 0 ||
               strcmp(value, "figure3") == 0 || strcmp(value, "figure3-faults") == 0 ||
               strcmp(value, "table5") == 0;
    }
    if (strcmp(name, "--json") == 0)
        options->json = value;
    else if (strcmp(name, "--figures") == 0)
        options->folder = value;
    else
        return false;
    return *value != '\0';
}

/* False: the options are wrong, or help was wanted; the status says which. */
static bool parse(int argc, char **argv, struct paper_options *options, int *status)
{
    static const int rounds[] = {1, 3, 7};

    *status = 2;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            options->scale = QUICK;
        else if (strcmp(argv[i], "--full") == 0)
            options->scale = FULL;
        else if (strcmp(argv[i], "--strict") == 0)
            options->strict = true;
        else if (strcmp(argv[i], "--help") == 0) {
            *status = usage(stdout, 0);
            return false;
        } else if (i + 1 < argc && take(options, argv[i], argv[i + 1])) {
            i++;
        } else {
            fprintf(stderr, "ums_paper: cannot make sense of %s %s\n", argv[i],
                    i + 1 < argc ? argv[i + 1] : "");
            usage(stderr, 2);
            return false;
        }
    }
    if (options->repeat == 0)
        options->repeat = rounds[options->scale];
    return true;
}

/* Every second round runs backwards, so that a drift of the machine favours nobody. */
static void run(struct plan *plan, const struct paper_options *options)
{
    bool watched = isatty(STDERR_FILENO);

    for (int round = 0; round < options->repeat; round++) {
        for (int i = 0; i < plan->count; i++) {
            struct cell *cell = &plan->cells[round % 2 ? plan->count - 1 - i : i];
            double sample;
            double cpu;

            if (watched)
                fprintf(stderr, "\r\033[Kround %d of %d: %s, %s, %s %g ", round + 1,
                        options->repeat, cell->experiment, cell->what, cell->ground, cell->x);
            sample = run_cell(cell, &cpu);
            if (!isfinite(sample)) {
                fprintf(stderr, "paper: no result: %s, %s, %s, %g\n", cell->experiment, cell->what,
                        cell->ground, cell->x);
                plan->failures++;
            }
            cell->series.samples[round] = sample;
            cell->series.rounds = round + 1;
            cell->cpu.samples[round] = cpu;
            cell->cpu.rounds = round + 1;
        }
    }
    if (watched)
        fprintf(stderr, "\r\033[K");
}

int main(int argc, char **argv)
{
    static struct paper_options options = {.scale = SMALL};
    static struct plan plan;
    struct machine machine;
    int status;
    int missed;

    if (!parse(argc, argv, &options, &status))
        return status;
    machine_describe(&machine);
    plan_make(&plan, &options, machine.cores);
    run(&plan, &options);
    missed = tables_print(&plan, &machine, &options);
    if (options.json && !files_json(&plan, &machine, &options))
        return 1;
    if (options.folder && !files_figures(&plan, &machine, options.folder))
        return 1;
    if (plan.failures > 0)
        return 1;
    return options.strict && missed > 0 ? 3 : 0;
}
