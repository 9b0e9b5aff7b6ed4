/* SPDX-License-Identifier: MIT
 *
 * plan.c - what is run: each experiment's cells, at three scales.
 */
#define _GNU_SOURCE
#include "paper.h"

#include <linux/userfaultfd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

struct size {
    const char *fast;    /* operations a sample, for what takes nanoseconds ... */
    const char *slow;    /* ... microseconds ... */
    const char *process; /* ... and for processes */
    const char *bodies;
    const char *steps;      /* figure 2 */
    const char *few_steps;  /* figure 3 */
    const char *many_steps; /* table 5 */
    const char *miss_ms;
    const char *fault_ms; /* the same for page faults, which are heard of a little later */
};

static const struct size sizes[] = {
    [QUICK] = {"20000", "1000", "50", "512", "2", "1", "4", "1", "2"},
    [SMALL] = {"1000000", "10000", "500", "4096", "16", "2", "60", "1", "5"},
    [FULL] = {"5000000", "50000", "2000", "16384", "16", "2", "60", "2", "5"},
};

static const char *const grounds[] = {"ums", "user", "kernel"};
enum { GROUNDS = 3 };

static struct cell *add(struct plan *plan, const char *experiment, const char *what,
                        const char *ground, double x, const char *field)
{
    struct cell *cell = &plan->cells[plan->count++];

    if (plan->count > MAX_CELLS)
        abort();
    *cell = (struct cell){.experiment = experiment,
                          .what = what,
                          .ground = ground,
                          .x = x,
                          .field = field,
                          .copies = 1};
    return cell;
}

static void say(struct cell *cell, const char *word)
{
    snprintf(cell->words[cell->word_count++], sizeof(cell->words[0]), "%s", word);
}

static void command(struct cell *cell, ...)
{
    va_list words;
    const char *word;

    va_start(words, cell);
    while ((word = va_arg(words, const char *)))
        say(cell, word);
    va_end(words);
}

static void operation(struct plan *plan, const char *what, const char *ground, const char *count)
{
    struct cell *cell = add(plan, "table1", what, ground, 0, "us");

    command(cell, strcmp(ground, "threads") == 0 ? "paper_threads" : "paper_probe", what, ground,
            count, NULL);
    cell->one_core = true;
}

static void table1(struct plan *plan, const struct size *size)
{
    static const char *const through_kernel[] = {"kernel_event", "kernel_pipe", "kernel_bare"};

    for (int i = 0; i < 2; i++) {
        const char *what = i ? "signal_wait" : "null_fork";

        operation(plan, what, "user", size->fast);
        operation(plan, what, "ums", size->fast);
        operation(plan, what, "kernel", size->slow);
        operation(plan, what, "threads", size->slow);
        operation(plan, what, "processes", size->process);
    }
    for (int i = 0; i < 3; i++) {
        operation(plan, through_kernel[i], "ums", size->slow);
        operation(plan, through_kernel[i], "kernel", size->slow);
    }
    operation(plan, "kernel_pipe", "threads", size->slow);
    operation(plan, "procedure_call", "threads", size->fast);
    operation(plan, "system_call", "threads", size->fast);
}

static void simulation(struct cell *cell, const struct size *size, const char *steps)
{
    command(cell, "nbody", "--raw", "--bodies", size->bodies, "--steps", steps, NULL);
}

static void on_ground(struct cell *cell, const char *ground, long processors)
{
    char number[24];

    snprintf(number, sizeof(number), "%ld", processors);
    command(cell, "--ground", ground, "--processors", number, NULL);
}

static void figure2(struct plan *plan, const struct size *size)
{
    struct cell *cell = add(plan, "figure2", "seconds", "sequential", 0, "seconds");

    simulation(cell, size, size->steps);
    command(cell, "--sequential", NULL);
    for (long p = 1; p <= plan->cores && p <= 16; p += p < 8 ? 1 : 4) {
        for (int g = 0; g < GROUNDS; g++) {
            cell = add(plan, "figure2", "seconds", grounds[g], (double)p, "seconds");
            simulation(cell, size, size->steps);
            on_ground(cell, grounds[g], p);
        }
    }
}

/* Whether a program may serve page faults itself: nbody --faults. */
static bool serves_faults(void)
{
    int fd = (int)syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY);

    return fd >= 0 && close(fd) == 0;
}

/* `faults`: not by the program's cache, but in memory that is too small. */
static void figure3(struct plan *plan, const struct size *size, bool quick, bool faults)
{
    const char *experiment = faults ? "figure3-faults" : "figure3";

    for (int percent = faults ? 90 : 100; percent >= 40; percent -= quick ? 30 : 10) {
        char number[16];

        snprintf(number, sizeof(number), "%d", percent);
        for (int g = 0; g < GROUNDS; g++) {
            struct cell *cell = add(plan, experiment, "seconds", grounds[g], percent, "seconds");

            simulation(cell, size, size->few_steps);
            on_ground(cell, grounds[g], plan->cores);
            command(cell, "--memory", number, "--window", "16", "--miss-ms",
                    faults ? size->fault_ms : size->miss_ms, NULL);
            if (faults)
                command(cell, "--faults", NULL);
        }
    }
}

/* Two copies at once, each of which wants the whole machine; and one copy on half of it. */
static void table5(struct plan *plan, const struct size *size)
{
    long half = plan->cores > 1 ? plan->cores / 2 : 1;
    struct cell *cell = add(plan, "table5", "seconds", "sequential", 0, "seconds");

    simulation(cell, size, size->many_steps);
    command(cell, "--sequential", NULL);
    for (int g = 0; g < GROUNDS + 1; g++) {
        const char *ground = g < GROUNDS ? grounds[g] : "ums";

        cell = add(plan, "table5", "two copies", g < GROUNDS ? ground : "ums, no allocator", 2,
                   "seconds");
        simulation(cell, size, size->many_steps);
        on_ground(cell, ground, plan->cores);
        cell->copies = 2;
        cell->allocator = g == 0;
    }
    cell = add(plan, "table5", "one copy, half", "ums", 1, "seconds");
    simulation(cell, size, size->many_steps);
    on_ground(cell, "ums", half);
}

void plan_make(struct plan *plan, const struct paper_options *options, long cores)
{
    const struct size *size = &sizes[options->scale];
    const char *only = options->only;

    plan->cores = cores < 1 ? 1 : cores < 32 ? cores : 32;
    if (!only || strcmp(only, "table1") == 0)
        table1(plan, size);
    if (!only || strcmp(only, "figure2") == 0)
        figure2(plan, size);
    if (!only || strcmp(only, "figure3") == 0)
        figure3(plan, size, options->scale == QUICK, false);
    if ((!only || strcmp(only, "figure3-faults") == 0) && serves_faults())
        figure3(plan, size, options->scale == QUICK, true);
    if (!only || strcmp(only, "table5") == 0)
        table5(plan, size);
}

const struct cell *plan_find(const struct plan *plan, const char *experiment, const char *what,
                             const char *ground, double x)
{
    for (int i = 0; i < plan->count; i++) {
        const struct cell *cell = &plan->cells[i];

        if (strcmp(cell->experiment, experiment) == 0 && strcmp(cell->what, what) == 0 &&
            strcmp(cell->ground, ground) == 0 && cell->x == x)
            return cell;
    }
    return NULL;
}
