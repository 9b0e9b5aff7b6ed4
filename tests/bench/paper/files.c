/* SPDX-License-Identifier: MIT
 *
 * files.c - the results for programs: JSON, and tables that gnuplot reads.
 */
#define _GNU_SOURCE
#include "paper.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static bool close_file(FILE *file, const char *path)
{
    if (file && fclose(file) == 0)
        return true;
    fprintf(stderr, "paper: %s: %s\n", path, strerror(errno));
    return false;
}

static void put_number(FILE *file, double number)
{
    if (isfinite(number))
        fprintf(file, "%.9g", number);
    else
        fprintf(file, "null");
}

static void put_cell(FILE *file, const struct cell *cell)
{
    struct spread spread = spread_of(&cell->series);

    fprintf(file, "    {\"experiment\": ");
    json_string(file, cell->experiment);
    fprintf(file, ", \"what\": ");
    json_string(file, cell->what);
    fprintf(file, ", \"ground\": ");
    json_string(file, cell->ground);
    fprintf(file, ", \"x\": %g, \"unit\": ", cell->x);
    json_string(file, cell->field);
    fprintf(file, ", \"median\": ");
    put_number(file, spread.median);
    fprintf(file, ", \"samples\": [");
    for (int i = 0; i < cell->series.rounds; i++) {
        fprintf(file, "%s", i ? ", " : "");
        put_number(file, cell->series.samples[i]);
    }
    fprintf(file, "], \"processor_seconds\": ");
    put_number(file, spread_of(&cell->cpu).median);
    fprintf(file, ", \"command\": \"");
    for (int i = 0; i < cell->word_count; i++)
        fprintf(file, "%s%s", i ? " " : "", cell->words[i]);
    fprintf(file, "\"}");
}

bool files_json(const struct plan *plan, const struct machine *machine,
                const struct paper_options *options)
{
    static const char *const scales[] = {"quick", "small", "full"};
    FILE *file = fopen(options->json, "we");

    if (!file)
        return close_file(file, options->json);
    fprintf(file, "{\n");
    json_machine(file, machine);
    fprintf(file, "  \"run\": {\"scale\": \"%s\", \"rounds\": %d},\n  \"cells\": [\n",
            scales[options->scale], options->repeat);
    for (int i = 0; i < plan->count; i++) {
        put_cell(file, &plan->cells[i]);
        fprintf(file, "%s\n", i + 1 < plan->count ? "," : "");
    }
    fprintf(file, "  ],\n  \"failed\": %d\n}\n", plan->failures);
    return close_file(file, options->json);
}

/* Columns: x, then median, least and most for each ground. `over` divides it: a speed-up. */
static bool put_figure(const struct plan *plan, const struct machine *machine, const char *folder,
                       const char *experiment, const struct cell *over)
{
    static const char *const grounds[] = {"ums", "user", "kernel"};
    char path[512];
    FILE *file;
    double last = -1;

    snprintf(path, sizeof(path), "%s/%s.dat", folder, experiment);
    file = fopen(path, "we");
    if (!file)
        return close_file(file, path);
    fprintf(file, "# %s; %ld cores; %s; %s\n", machine->cpu, machine->cores, machine->kernel,
            machine->date);
    for (int i = 0; i < plan->count; i++) {
        const struct cell *row = &plan->cells[i];

        if (strcmp(row->experiment, experiment) != 0 || row->x == 0 || row->x == last)
            continue;
        last = row->x;
        fprintf(file, "%g", row->x);
        for (int g = 0; g < 3; g++) {
            const struct cell *cell = plan_find(plan, experiment, "seconds", grounds[g], row->x);
            struct spread spread = over ? paper_ratio(over, cell) : spread_of(&cell->series);

            fprintf(file, " %.6g %.6g %.6g", spread.median, spread.least, spread.most);
        }
        fprintf(file, "\n");
    }
    return close_file(file, path);
}

bool files_figures(const struct plan *plan, const struct machine *machine, const char *folder)
{
    const struct cell *one = plan_find(plan, "figure2", "seconds", "sequential", 0);

    if (one && !put_figure(plan, machine, folder, "figure2", one))
        return false;
    if (plan_find(plan, "figure3-faults", "seconds", "ums", 90) &&
        !put_figure(plan, machine, folder, "figure3-faults", NULL))
        return false;
    return !plan_find(plan, "figure3", "seconds", "ums", 100) ||
           put_figure(plan, machine, folder, "figure3", NULL);
}
