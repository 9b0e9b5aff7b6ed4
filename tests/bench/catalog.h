/* SPDX-License-Identifier: MIT
 *
 * catalog.h - every probe, every value it yields, and every ratio the report judges: the tables in
 * catalog.c, and how to find something there (lookup.c).
 */
#ifndef UMSSHIM_TESTS_BENCH_CATALOG_H
#define UMSSHIM_TESTS_BENCH_CATALOG_H

enum { CATALOG_MAX_VALUES = 8 };

/* Which readings make sense. */
enum catalog_sense {
    SOME,  /* more than zero */
    ANY,   /* zero or less, too */
    MAYBE, /* any, or none: not every machine can tell */
};

struct catalog_value {
    const char *name; /* as the probe prints it */
    const char *what; /* as the table prints it */
    const char *unit;
    enum catalog_sense sense;
};

struct catalog_probe {
    const char *id; /* "ums/..." and so on: the executable, on Windows the mode, and the probe */
    const char *group;
    struct catalog_value values[CATALOG_MAX_VALUES]; /* ends with an empty name */
};

enum catalog_bar { BAR_NONE, BAR_AT_MOST, BAR_AT_LEAST };

struct catalog_ratio {
    const char *name;
    const char *what;
    const char *above_probe; /* the ratio is above / below, taken round by round ... */
    const char *above_value;
    const char *below_probe; /* ... or just above, where this is NULL */
    const char *below_value;
    enum catalog_bar bar;
    double bound;
};

/* Both end with an entry that is all zero. Peers stand beside what they are compared with: probes
 * run in this order, so that what disturbs one disturbs the other. */
extern const struct catalog_probe catalog_probes[];
extern const struct catalog_ratio catalog_ratios[];

int catalog_probe_count(void);

/* The index of a probe in catalog_probes; ends the program when there is none. */
int catalog_find_probe(const char *id);

/* The index of a value in the probe's values, or -1. */
int catalog_find_value(const struct catalog_probe *probe, const char *name);

#endif
