/* SPDX-License-Identifier: MIT
 *
 * driver.c - ums_bench: runs the probes in interleaved rounds and reports.
 */
#define _GNU_SOURCE
#include "driver.h"

#include "bench.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int usage(const char *program, int status)
{
    FILE *out = status ? stderr : stdout;

    fprintf(out,
            "usage: %s [--quick] [--repeat N] [--only NAME] [--json FILE] [--strict] [--list]\n"
            "  --quick      little of everything: a check that it works, not a measurement\n"
            "  --repeat N   rounds (default 5, quick 1); the tables show medians and spreads\n"
            "  --only NAME  one group or one probe, as --list names them\n"
            "  --json FILE  write the report to FILE as well\n"
            "  --strict     exit status 3 when a bar is missed\n"
            "  --version    which version of umsshim this is of\n",
            program);
    return status;
}

static void list_probes(void)
{
    for (int i = 0; catalog_probes[i].id; i++)
        printf("%-10s %s\n", catalog_probes[i].group, catalog_probes[i].id);
}

static bool wanted(const struct catalog_probe *probe, const char *only)
{
    return !only || strcmp(only, probe->group) == 0 || strcmp(only, probe->id) == 0;
}

static bool parse_options(int argc, char **argv, struct driver_options *options, int *status)
{
    static const struct option names[] = {
        {"quick", no_argument, NULL, 'q'},
        {"repeat", required_argument, NULL, 'r'},
        {"only", required_argument, NULL, 'o'},
        {"json", required_argument, NULL, 'j'},
        {"strict", no_argument, NULL, 's'},
        {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    int choice;

    while ((choice = getopt_long(argc, argv, "", names, NULL)) != -1) {
        switch (choice) {
        case 'q':
            options->quick = true;
            break;
        case 'r':
            options->repeat = atoi(optarg);
            break;
        case 'o':
            options->only = optarg;
            break;
        case 'j':
            options->json = optarg;
            break;
        case 's':
            options->strict = true;
            break;
        case 'v':
            puts("ums_bench (umsshim) " UMSSHIM_VERSION_TEXT);
            *status = 0;
            return false;
        case 'l':
            list_probes();
            *status = 0;
            return false;
        default:
            *status = usage(argv[0], choice == 'h' ? 0 : 2);
            return false;
        }
    }
    if (options->repeat == 0)
        options->repeat = options->quick ? 1 : 5;
    if (options->repeat < 1 || options->repeat > DRIVER_MAX_REPEAT || optind != argc) {
        *status = usage(argv[0], 2);
        return false;
    }
    return true;
}

/* Every second round runs backwards, so that a drift of the machine favours nobody. */
static int run_rounds(const struct driver_options *options, struct results *results)
{
    int probes = catalog_probe_count();
    bool watched = isatty(STDERR_FILENO);
    int ran = 0;

    for (int round = 0; round < options->repeat; round++) {
        for (int i = 0; i < probes; i++) {
            int index = round % 2 ? probes - 1 - i : i;
            const struct catalog_probe *probe = &catalog_probes[index];
            double samples[CATALOG_MAX_VALUES];

            if (!wanted(probe, options->only))
                continue;
            if (watched)
                fprintf(stderr, "\r\033[Kround %d of %d: %s ", round + 1, options->repeat,
                        probe->id);
            ran++;
            if (!run_probe(probe, options->quick, samples)) {
                results->failures++;
                results->failed[index] = true;
            }
            for (int v = 0; v < CATALOG_MAX_VALUES; v++) {
                results->series[index][v].samples[round] = samples[v];
                results->series[index][v].rounds = round + 1;
            }
        }
    }
    if (watched)
        fprintf(stderr, "\r\033[K");
    return ran;
}

/* Below the tables once more: the lines that say why are above them. */
static void print_failed(const struct results *results)
{
    printf("\nFAILED:");
    for (int i = 0; i < catalog_probe_count(); i++)
        if (results->failed[i])
            printf(" %s", catalog_probes[i].id);
    printf("\n");
}

int driver_main(int argc, char **argv)
{
    static struct driver_options options;
    static struct results results;
    struct machine machine;
    int passed = 0;
    int missed = 0;
    int status = 0;

    if (!parse_options(argc, argv, &options, &status))
        return status;
    if (catalog_probe_count() > DRIVER_MAX_PROBES)
        abort();
    machine_describe(&machine);
    if (run_rounds(&options, &results) == 0) {
        fprintf(stderr, "bench: nothing is named %s; --list shows the names\n", options.only);
        return 2;
    }
    report_print(&options, &machine, &results, &passed, &missed);
    if (options.json && !json_write(&options, &machine, &results))
        return 1;
    if (results.failures > 0) {
        print_failed(&results);
        return 1;
    }
    return options.strict && missed > 0 ? 3 : 0;
}
