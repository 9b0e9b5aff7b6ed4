/* SPDX-License-Identifier: MIT
 *
 * probe_main.c - main of a probe executable: finds the probe, pins, runs, and never hangs.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The driver kills a probe that overstays; this is for probes started by hand, or left behind. */
enum { LIMIT_SECONDS = 120 };

int bench_probe_main(int argc, char **argv, const struct bench_runner *runners)
{
    if (argc < 3 || argc > 4 || (strcmp(argv[2], "full") != 0 && strcmp(argv[2], "quick") != 0)) {
        fprintf(stderr, "usage: %s PROBE full|quick [PATIENCE]\nprobes:\n", argv[0]);
        for (; runners->name; runners++)
            fprintf(stderr, "  %s\n", runners->name);
        return 2;
    }
    if (argc == 4)
        bench_patience = (unsigned)strtoul(argv[3], NULL, 10);
    bench_limit(LIMIT_SECONDS);
    for (; runners->name; runners++) {
        if (strcmp(runners->name, argv[1]) != 0)
            continue;
        if (runners->one_core)
            bench_pin_one_core();
        runners->run(bench_scale_for(strcmp(argv[2], "quick") == 0));
        fflush(NULL);
        bench_end(0);
    }
    fprintf(stderr, "bench: no probe named %s\n", argv[1]);
    return 2;
}
