/* SPDX-License-Identifier: MIT
 *
 * main.c - ums_bench: the driver, or with --probe one of the probes that this program has.
 */
#include "driver.h"

#include <string.h>

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], PROBE_OPTION) == 0)
        return bench_probe_main(argc - 1, argv + 1, driver_probes);
    return driver_main(argc, argv);
}
