/* SPDX-License-Identifier: MIT
 *
 * main.c - nbody: options, one simulation, what it took, and whether the forces are right.
 */
#include "nbody.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the force on a body, against direct summation; what theta 0.6 keeps with room to spare. */
static const double error_bound = 0.01;

struct number_option {
    const char *name;
    double low, high;
    int *whole;
    double *real;
    double scale;
};

static int usage(const char *what, const char *value)
{
    fprintf(stderr,
            "nbody: cannot make sense of %s %s\n"
            "usage: nbody [--ground ums|kernel|spin|user] [--processors 1..%d] [--allocator NAME]\n"
            "             [--sequential] [--bodies 2..1000000] [--steps 1..10000] "
            "[--grain 1..100000]\n"
            "             [--window 1..100000 threads at a time]\n"
            "             [--theta 0..1] [--memory 1..100 percent] [--miss-ms 1..1000] [--faults]\n"
            "             [--raw]\n",
            what, value ? value : "without a value", FT_MAX_PROCESSORS);
    return 2;
}

static BOOL take_number(const struct number_option *options, const char *name, const char *value)
{
    for (; options->name; options++) {
        char *end;
        double number;

        if (strcmp(name, options->name) != 0)
            continue;
        number = strtod(value, &end);
        if (end == value || *end || !(number >= options->low && number <= options->high) ||
            (options->whole && number != (int)number))
            return FALSE;
        if (options->whole)
            *options->whole = (int)number;
        else
            *options->real = number * options->scale;
        return TRUE;
    }
    return FALSE;
}

/* "name value" lines, for programs. */
static void print_raw(const struct nbody_result *result)
{
    printf("seconds %.9f\nchecksum %.17g\nerror %.9g\nmisses %lu\npages %d\nroom %d\n",
           result->seconds, result->checksum, result->error, result->misses, result->pages,
           result->room);
    printf("allocator_lost %d\n", result->threads.allocator_lost);
}

static void print(const struct nbody_options *options, const struct nbody_result *result)
{
    const struct ft_statistics *threads = &result->threads;

    printf("%d bodies, %d steps, ", options->bodies, options->steps);
    if (options->sequential)
        printf("one after the other: ");
    else
        printf("on %s, %d processors: ", ft_ground_name(options->threads.ground),
               options->threads.processors);
    printf("%.1f ms a step\n", result->seconds * 1000 / options->steps);
    if (options->memory < 1)
        printf("  room for %d pages; %lu %s of %d ms\n", result->room, result->misses,
               options->faults ? "page faults" : "misses", options->miss_ms);
    printf("  forks %lu, new threads %lu, switches %lu, steals %lu, blocked %lu, idle %lu\n",
           threads->forks, threads->created, threads->switches, threads->steals, threads->blocked,
           threads->idle);
    printf("  checksum %.12g; error against direct summation %.3f %%, bound %.1f %%\n",
           result->checksum, result->error * 100, error_bound * 100);
}

int main(int argc, char **argv)
{
    struct nbody_options options = {.threads = {.ground = FT_UMS, .processors = 2},
                                    .bodies = 4096,
                                    .steps = 4,
                                    .grain = 16,
                                    .window = 32,
                                    .theta = 0.6,
                                    .memory = 1,
                                    .miss_ms = 50};
    const struct number_option numbers[] = {
        {"--processors", 1, FT_MAX_PROCESSORS, &options.threads.processors, NULL, 1},
        {"--bodies", 2, 1000000, &options.bodies, NULL, 1},
        {"--steps", 1, 10000, &options.steps, NULL, 1},
        {"--grain", 1, 100000, &options.grain, NULL, 1},
        {"--window", 1, 100000, &options.window, NULL, 1},
        {"--theta", 0, 1, NULL, &options.theta, 1},
        {"--memory", 1, 100, NULL, &options.memory, 0.01},
        {"--miss-ms", 1, 1000, &options.miss_ms, NULL, 1},
        {NULL, 0, 0, NULL, NULL, 0},
    };
    struct nbody_result result;
    int raw = 0;
    DWORD error;

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (strcmp(argv[i], "--raw") == 0) {
            raw = 1;
        } else if (strcmp(argv[i], "--faults") == 0) {
            options.faults = 1;
        } else if (strcmp(argv[i], "--sequential") == 0) {
            options.sequential = 1;
        } else if (!value) {
            return usage(argv[i], value);
        } else if (strcmp(argv[i], "--allocator") == 0 && *value) {
            options.threads.allocator = value;
            i++;
        } else if (strcmp(argv[i], "--ground") == 0 &&
                   ft_ground_named(value, &options.threads.ground) &&
                   options.threads.ground != FT_PROCESSES) {
            i++; /* processes do not share the bodies */
        } else if (take_number(numbers, argv[i], value)) {
            i++;
        } else {
            return usage(argv[i], value);
        }
    }
    if (options.faults)
        pager_expected();
    error = nbody_run(&options, &result);
    if (error == ERROR_NOT_SUPPORTED && options.faults) {
        fprintf(stderr,
                "nbody: --faults wants userfaultfd, which this system does not have, or not for "
                "this user\n");
        return 77;
    }
    if (error) {
        printf("verdict: FAILED, error %lu\n", (unsigned long)error);
        return 1;
    }
    if (raw)
        print_raw(&result);
    else
        print(&options, &result);
    if (options.theta <= 0.6 && result.error > error_bound) {
        printf("verdict: FAILED, the error is too large\n");
        return 1;
    }
    if (!raw)
        printf("verdict: OK\n");
    return 0;
}
