/* SPDX-License-Identifier: MIT
 *
 * report.c - the tables that people read.
 */
#include "driver.h"

#include <math.h>
#include <string.h>

static void print_spread(const struct spread *spread, int decimals)
{
    printf("%12.*f", decimals, spread->median);
    if (spread->count > 1)
        printf("  (%.*f .. %.*f)", decimals, spread->least, decimals, spread->most);
}

static void print_values(const struct results *results)
{
    const char *group = "";

    printf("\n%-52s %12s\n", "measured", "median");
    for (int p = 0; catalog_probes[p].id; p++) {
        const struct catalog_probe *probe = &catalog_probes[p];

        for (int v = 0; v < CATALOG_MAX_VALUES && probe->values[v].name; v++) {
            const struct catalog_value *value = &probe->values[v];
            struct spread spread = spread_of(&results->series[p][v]);
            char label[80];

            if (spread.count == 0)
                continue;
            if (strcmp(group, probe->group) != 0) {
                group = probe->group;
                printf("%s\n", group);
            }
            if (strcmp(group, "footprint") == 0)
                snprintf(label, sizeof(label), "%s: %s",
                         strcmp(probe->id, "ums/footprint") == 0           ? "worker"
                         : strcmp(probe->id, "peers/footprint-fiber") == 0 ? "boost.fiber"
                                                                           : "thread",
                         value->what);
            else
                snprintf(label, sizeof(label), "%s", value->what);
            printf("  %-50s ", label);
            print_spread(&spread, 1);
            printf(" %s\n", value->unit);
        }
    }
}

static void print_ratios(const struct results *results, int *passed, int *missed)
{
    bool titled = false;

    for (const struct catalog_ratio *ratio = catalog_ratios; ratio->name; ratio++) {
        struct spread spread;
        enum verdict verdict;

        if (!ratio_spread(results, ratio, &spread))
            continue;
        if (!titled)
            printf("\n%-52s %12s\n", "ratio", "median");
        titled = true;
        verdict = judge(ratio, &spread);
        printf("  %-50s ", ratio->what);
        print_spread(&spread, 2);
        if (verdict != VERDICT_NONE)
            printf("  bar: at %s %g  %s", ratio->bar == BAR_AT_MOST ? "most" : "least",
                   ratio->bound, verdict == VERDICT_PASS ? "PASS" : "MISS");
        printf("\n");
        *passed += verdict == VERDICT_PASS;
        *missed += verdict == VERDICT_MISS;
    }
}

void report_print(const struct driver_options *options, const struct machine *machine,
                  const struct results *results, int *passed, int *missed)
{
    printf("%s, %ld cores, %ld MiB, %s, %s\n", machine->cpu, machine->cores, machine->memory_mib,
           machine->system, machine->kernel);
    printf("governor %s, %s, %d round%s%s, environment: %s\n", machine->governor, machine->date,
           options->repeat, options->repeat == 1 ? "" : "s", options->quick ? ", quick" : "",
           machine->switches[0] ? machine->switches : "no UMSSHIM_ variables");
    scale_print(options->quick);
    print_values(results);
    print_ratios(results, passed, missed);
    printf("\nbars: %d passed, %d missed; probes failed: %d\n", *passed, *missed,
           results->failures);
}
