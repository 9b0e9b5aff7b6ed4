/* SPDX-License-Identifier: MIT
 *
 * json.c - the report for programs: everything the tables say, and every sample.
 */
#include "driver.h"

#include <errno.h>
#include <math.h>
#include <string.h>

void json_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(file, "\\u%04x", *text);
        else
            fputc(*text, file);
    fputc('"', file);
}

static void put_field(FILE *file, const char *key, const char *text)
{
    fprintf(file, "    \"%s\": ", key);
    json_string(file, text);
    fprintf(file, ",\n");
}

void json_machine(FILE *file, const struct machine *machine)
{
    fprintf(file, "  \"machine\": {\n");
    put_field(file, "cpu", machine->cpu);
    put_field(file, "kernel", machine->kernel);
    put_field(file, "system", machine->system);
    put_field(file, "governor", machine->governor);
    put_field(file, "date", machine->date);
    put_field(file, "environment", machine->switches);
    fprintf(file, "    \"cores\": %ld,\n    \"memory_mib\": %ld\n  },\n", machine->cores,
            machine->memory_mib);
}

static void put_scale(FILE *file, const struct driver_options *options)
{
    fprintf(file, "  \"run\": {\"quick\": %s, \"rounds\": %d, ", options->quick ? "true" : "false",
            options->repeat);
    scale_json(file, options->quick);
    fprintf(file, "},\n");
}

static void put_spread(FILE *file, const struct spread *spread)
{
    fprintf(file, "\"median\": %.9g, \"least\": %.9g, \"most\": %.9g", spread->median,
            spread->least, spread->most);
}

static void put_values(FILE *file, const struct results *results)
{
    const char *separator = "\n";

    fprintf(file, "  \"values\": [");
    for (int p = 0; catalog_probes[p].id; p++) {
        const struct catalog_probe *probe = &catalog_probes[p];

        for (int v = 0; v < CATALOG_MAX_VALUES && probe->values[v].name; v++) {
            const struct series *series = &results->series[p][v];
            struct spread spread = spread_of(series);

            if (spread.count == 0)
                continue;
            fprintf(file, "%s    {\"probe\": \"%s\", \"value\": \"%s\", \"unit\": \"%s\", ",
                    separator, probe->id, probe->values[v].name, probe->values[v].unit);
            put_spread(file, &spread);
            fprintf(file, ", \"samples\": [");
            for (int i = 0; i < series->rounds; i++) {
                fprintf(file, "%s", i ? ", " : "");
                if (isfinite(series->samples[i]))
                    fprintf(file, "%.9g", series->samples[i]);
                else
                    fprintf(file, "null");
            }
            fprintf(file, "]}");
            separator = ",\n";
        }
    }
    fprintf(file, "\n  ],\n");
}

static void put_ratios(FILE *file, const struct results *results)
{
    static const char *const verdicts[] = {"none", "pass", "miss"};
    const char *separator = "\n";

    fprintf(file, "  \"ratios\": [");
    for (const struct catalog_ratio *ratio = catalog_ratios; ratio->name; ratio++) {
        struct spread spread;

        if (!ratio_spread(results, ratio, &spread))
            continue;
        fprintf(file, "%s    {\"name\": \"%s\", ", separator, ratio->name);
        put_spread(file, &spread);
        if (ratio->bar != BAR_NONE)
            fprintf(file, ", \"%s\": %g", ratio->bar == BAR_AT_MOST ? "at_most" : "at_least",
                    ratio->bound);
        fprintf(file, ", \"verdict\": \"%s\"}", verdicts[judge(ratio, &spread)]);
        separator = ",\n";
    }
    fprintf(file, "\n  ],\n");
}

bool json_write(const struct driver_options *options, const struct machine *machine,
                const struct results *results)
{
    FILE *file = fopen(options->json, "w");

    if (!file) {
        fprintf(stderr, "bench: %s: %s\n", options->json, strerror(errno));
        return false;
    }
    fprintf(file, "{\n");
    json_machine(file, machine);
    put_scale(file, options);
    put_values(file, results);
    put_ratios(file, results);
    fprintf(file, "  \"probes_failed\": %d\n}\n", results->failures);
    if (fclose(file) != 0) {
        fprintf(stderr, "bench: %s: %s\n", options->json, strerror(errno));
        return false;
    }
    return true;
}
