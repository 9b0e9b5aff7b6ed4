/* SPDX-License-Identifier: MIT
 *
 * stats.c - medians and spreads of samples and of ratios, and the verdict on a bar.
 */
#include "driver.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    return (a > b) - (a < b);
}

struct spread spread_of(const struct series *series)
{
    double sorted[DRIVER_MAX_REPEAT];
    struct spread spread = {NAN, NAN, NAN, 0};
    int count = 0;

    for (int i = 0; i < series->rounds; i++)
        if (isfinite(series->samples[i]))
            sorted[count++] = series->samples[i];
    if (count == 0)
        return spread;
    qsort(sorted, (size_t)count, sizeof(sorted[0]), compare);
    spread.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
    spread.least = sorted[0];
    spread.most = sorted[count - 1];
    spread.count = count;
    return spread;
}

static const struct series *find_series(const struct results *results, const char *probe_id,
                                        const char *value)
{
    int probe = catalog_find_probe(probe_id);
    int index = catalog_find_value(&catalog_probes[probe], value);

    if (index < 0)
        abort(); /* the catalog contradicts itself */
    return &results->series[probe][index];
}

/* Round by round: both samples of a quotient met the same state of the machine. */
bool ratio_spread(const struct results *results, const struct catalog_ratio *ratio,
                  struct spread *spread)
{
    const struct series *above = find_series(results, ratio->above_probe, ratio->above_value);
    struct series quotients = *above;

    if (ratio->below_probe) {
        const struct series *below = find_series(results, ratio->below_probe, ratio->below_value);

        for (int i = 0; i < quotients.rounds; i++)
            quotients.samples[i] = i < below->rounds ? above->samples[i] / below->samples[i] : NAN;
    }
    *spread = spread_of(&quotients);
    return spread->count > 0;
}

enum verdict judge(const struct catalog_ratio *ratio, const struct spread *spread)
{
    if (ratio->bar == BAR_NONE)
        return VERDICT_NONE;
    if (ratio->bar == BAR_AT_MOST)
        return spread->median <= ratio->bound ? VERDICT_PASS : VERDICT_MISS;
    return spread->median >= ratio->bound ? VERDICT_PASS : VERDICT_MISS;
}
