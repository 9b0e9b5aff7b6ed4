/* SPDX-License-Identifier: MIT
 *
 * driver.h - the driver's parts: run a probe, keep samples, know the machine, write the report.
 *
 * Of these child.c, machine.c, catalog.c and scale.c are Linux's; windows/ has its own.
 */
#ifndef UMSSHIM_TESTS_BENCH_DRIVER_H
#define UMSSHIM_TESTS_BENCH_DRIVER_H

#include "bench.h"
#include "catalog.h"

#include <stdbool.h>
#include <stdio.h>

enum { DRIVER_MAX_REPEAT = 99, DRIVER_MAX_PROBES = 160 };

struct driver_options {
    bool quick;
    bool strict;
    int repeat;
    const char *only; /* a group or a probe; NULL: everything */
    const char *json; /* a path, or NULL */
};

/* The samples of one value, one for each round; missing ones are NaN. */
struct series {
    double samples[DRIVER_MAX_REPEAT];
    int rounds;
};

struct spread {
    double median;
    double least;
    double most;
    int count; /* 0: nothing measured */
};

struct results {
    struct series series[DRIVER_MAX_PROBES][CATALOG_MAX_VALUES];
    int failures; /* probes that failed, and values that make no sense */
    bool failed[DRIVER_MAX_PROBES];
};

struct machine {
    char cpu[128];
    char kernel[128]; /* with the system's name: "Linux 6.1.0 x86_64" */
    char system[128];
    char governor[64];
    char date[32];
    char switches[256]; /* UMSSHIM_ variables of the environment */
    long cores;
    long memory_mib;
};

enum verdict { VERDICT_NONE, VERDICT_PASS, VERDICT_MISS };

/* driver.c: all of it; the exit status. */
int driver_main(int argc, char **argv);

/* In front of a probe's name and scale: this program is to be the probe. */
#define PROBE_OPTION "--probe"

/* The probes that are in the driver's program itself; ends with an entry that is all zero. */
extern const struct bench_runner driver_probes[];

/* child.c: starts a probe in a process of its own, waits for its end within the limit and keeps
 * what it printed, ended by a 0. After a failure there is a line on stderr. */
enum child_end { CHILD_GOOD, CHILD_FAILED, CHILD_HAD_NO_TIME };
enum child_end run_child(const struct catalog_probe *probe, bool quick, unsigned patience,
                         char *output, size_t size);

/* run_probe.c: runs a probe and stores what it printed in samples (NaN where it printed nothing).
 * False after a line on stderr. */
bool run_probe(const struct catalog_probe *probe, bool quick, double *samples);

/* stats.c */
struct spread spread_of(const struct series *series);
bool ratio_spread(const struct results *results, const struct catalog_ratio *ratio,
                  struct spread *spread);
enum verdict judge(const struct catalog_ratio *ratio, const struct spread *spread);

/* machine.c */
void machine_describe(struct machine *machine);

/* scale.c: how much was done of each, for people and as a list of members for programs. */
void scale_print(bool quick);
void scale_json(FILE *file, bool quick);

/* report.c: the table for people; how many bars were passed and missed. */
void report_print(const struct driver_options *options, const struct machine *machine,
                  const struct results *results, int *passed, int *missed);

/* json.c: a string, and the member that describes the machine. */
void json_string(FILE *file, const char *text);
void json_machine(FILE *file, const struct machine *machine);

/* False after a line on stderr. */
bool json_write(const struct driver_options *options, const struct machine *machine,
                const struct results *results);

#endif
