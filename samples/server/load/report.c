/* SPDX-License-Identifier: MIT
 *
 * report.c - medians of the rounds and their ratios, for people and for programs.
 */
#include "load.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const server_names[SERVERS] = {"ums", "port", "threads"};

struct row {
    const char *key, *what, *unit;
    size_t offset;
};

#define ROW(field, what, unit)                                                                     \
    {                                                                                              \
#field, what, unit, offsetof(struct result, field)                                         \
    }
static const struct row rows[] = {
    ROW(requests_per_second, "requests per second", ""),
    ROW(median_us, "latency, median", "us"),
    ROW(p99_us, "latency, p99", "us"),
    ROW(p999_us, "latency, p99.9", "us"),
    ROW(cpu_us_a_request, "processor time of the server a request", "us"),
    ROW(rss_mib, "resident memory", "MiB"),
    ROW(kib_a_connection, "resident memory a connection", "KiB"),
};
enum { ROWS = sizeof(rows) / sizeof(*rows) };

static double value_of(const struct result *result, const struct row *row)
{
    return *(const double *)((const char *)result + row->offset);
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), by_size);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

enum { THREADS = SERVERS - 1 };

static double median_of(const struct load_options *options,
                        struct result results[SERVERS][MAX_ROUNDS], int server,
                        const struct row *row)
{
    double values[MAX_ROUNDS];

    for (int i = 0; i < options->rounds; i++)
        values[i] = value_of(&results[server][i], row);
    return median(values, options->rounds);
}

/* The median of the rounds' ratios. */
static double ratio_of(const struct load_options *options,
                       struct result results[SERVERS][MAX_ROUNDS], int server,
                       const struct row *row)
{
    double values[MAX_ROUNDS];

    for (int i = 0; i < options->rounds; i++) {
        double peer = value_of(&results[THREADS][i], row);

        values[i] = peer > 0 ? value_of(&results[server][i], row) / peer : 0;
    }
    return median(values, options->rounds);
}

void print_report(const struct load_options *options, struct result results[SERVERS][MAX_ROUNDS])
{
    printf("%d connections, %d s, medians of %d rounds; ratios to %s\n\n%-42s",
           options->connections, options->seconds, options->rounds, server_names[THREADS], "");
    for (int server = 0; server < SERVERS; server++)
        printf(" %12s%s", server_names[server], server < THREADS ? "  ratio" : "\n");
    for (int i = 0; i < ROWS; i++) {
        printf("%-38s %-3s", rows[i].what, rows[i].unit);
        for (int server = 0; server < SERVERS; server++) {
            printf(" %12.1f", median_of(options, results, server, &rows[i]));
            if (server < THREADS)
                printf(" %6.2f", ratio_of(options, results, server, &rows[i]));
        }
        printf("\n");
    }
    printf("\n");
}

bool write_json(const struct load_options *options, struct result results[SERVERS][MAX_ROUNDS])
{
    FILE *file = fopen(options->json, "w");
    char system[64];
    char date[32];
    time_t now = time(NULL);

    if (!file)
        return false;
    system_name(system, sizeof(system));
    strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&now));
    fprintf(file, "{\n  \"date\": \"%s\", \"kernel\": \"%s\", \"cores\": %d,\n", date, system,
            system_processors());
    fprintf(file, "  \"connections\": %d, \"seconds\": %d, \"rounds\": %d,\n  \"values\": [\n",
            options->connections, options->seconds, options->rounds);
    for (int i = 0; i < ROWS; i++) {
        fprintf(file, "    {\"value\": \"%s\"", rows[i].key);
        for (int server = 0; server < SERVERS; server++) {
            fprintf(file, ", \"%s\": [", server_names[server]);
            for (int round = 0; round < options->rounds; round++)
                fprintf(file, "%s%.9g", round ? ", " : "",
                        value_of(&results[server][round], &rows[i]));
            fprintf(file, "]");
        }
        for (int server = 0; server < THREADS; server++)
            fprintf(file, ", \"%s_ratio\": %.9g", server_names[server],
                    ratio_of(options, results, server, &rows[i]));
        fprintf(file, "}%s\n", i + 1 < ROWS ? "," : "");
    }
    fprintf(file, "  ]\n}\n");
    return fclose(file) == 0;
}
