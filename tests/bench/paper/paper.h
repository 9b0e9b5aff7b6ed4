/* SPDX-License-Identifier: MIT
 *
 * paper.h - the paper's experiments: a plan of cells, each a program to run and a number it prints.
 */
#ifndef UMSSHIM_TESTS_BENCH_PAPER_H
#define UMSSHIM_TESTS_BENCH_PAPER_H

#include "driver.h"

enum { MAX_CELLS = 128, MAX_WORDS = 24, MAX_COPIES = 2 };

enum scale { QUICK, SMALL, FULL };

struct paper_options {
    enum scale scale;
    int repeat;
    const char *only;   /* an experiment, or NULL */
    const char *json;   /* a path, or NULL */
    const char *folder; /* for the figures' data, or NULL */
    bool strict;
};

struct cell {
    const char *experiment; /* table1, figure2, figure3, figure3-faults, table5 */
    const char *what;       /* the operation, or the ground */
    const char *ground;
    double x;                  /* processors, or percent of memory */
    char words[MAX_WORDS][64]; /* of the command; the first is the program */
    int word_count;
    const char *field; /* what it prints */
    bool one_core;
    int copies;
    bool allocator; /* runs beside a processor allocator of its own */
    struct series series;
    struct series cpu; /* processor time of a copy, in seconds: what neighbours hardly change */
};

struct plan {
    struct cell cells[MAX_CELLS];
    int count;
    long cores;
    int failures;
};

/* plan.c */
void plan_make(struct plan *plan, const struct paper_options *options, long cores);
const struct cell *plan_find(const struct plan *plan, const char *experiment, const char *what,
                             const char *ground, double x);

/* run.c: one sample of a cell, NaN after a line on stderr; and the processor time it took. */
double run_cell(const struct cell *cell, double *cpu);

/* tables.c: what people read; the number of bars that were missed. */
struct spread paper_ratio(const struct cell *above, const struct cell *below);
struct spread paper_cpu_ratio(const struct cell *above, const struct cell *below);
int tables_print(const struct plan *plan, const struct machine *machine,
                 const struct paper_options *options);

/* files.c: false after a line on stderr. */
bool files_json(const struct plan *plan, const struct machine *machine,
                const struct paper_options *options);
bool files_figures(const struct plan *plan, const struct machine *machine, const char *folder);

#endif
