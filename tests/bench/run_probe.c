/* SPDX-License-Identifier: MIT
 *
 * run_probe.c - one sample: what a probe prints, read by the names that the catalog gives it.
 */
#include "driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_BYTES = 4096, MOST_PATIENCE = 16 };

/* Whether every line is a value of this probe's, and each value of the probe is there and sane. */
static bool parse(const struct catalog_probe *probe, const char *output, double *samples)
{
    char name[64];

    for (const char *line = output; *line; line += *line == '\n') {
        size_t length = strcspn(line, " \n");
        int value;

        if (line[length] != ' ' || length >= sizeof(name))
            return false;
        memcpy(name, line, length);
        name[length] = '\0';
        value = catalog_find_value(probe, name);
        if (value < 0)
            return false;
        samples[value] = strtod(line + length, NULL);
        line += strcspn(line, "\n");
    }
    for (int i = 0; i < CATALOG_MAX_VALUES && probe->values[i].name; i++) {
        enum catalog_sense sense = probe->values[i].sense;

        if (isnan(samples[i]) ? sense != MAYBE
                              : isinf(samples[i]) || (samples[i] <= 0.0 && sense == SOME))
            return false;
    }
    return true;
}

/* A probe that found that it cannot measure what it says, since the machine is slower than it thought, is given
 * twice the time. */
static bool run_patiently(const struct catalog_probe *probe, bool quick, char *output, size_t size)
{
    enum child_end end = CHILD_HAD_NO_TIME;

    for (unsigned patience = 1; end == CHILD_HAD_NO_TIME && patience <= MOST_PATIENCE;
         patience *= 2)
        end = run_child(probe, quick, patience, output, size);
    return end == CHILD_GOOD;
}

bool run_probe(const struct catalog_probe *probe, bool quick, double *samples)
{
    char output[OUTPUT_BYTES];

    for (int i = 0; i < CATALOG_MAX_VALUES; i++)
        samples[i] = NAN;
    if (!run_patiently(probe, quick, output, sizeof(output)))
        return false;
    if (parse(probe, output, samples))
        return true;
    fprintf(stderr, "bench: %s: its output makes no sense:\n%s", probe->id, output);
    for (int i = 0; i < CATALOG_MAX_VALUES; i++)
        samples[i] = NAN;
    return false;
}
