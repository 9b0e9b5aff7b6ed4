/* SPDX-License-Identifier: MIT
 *
 * main.c - ums_bench.exe: the driver, and with --probe the process that it starts for each sample.
 */
#include "driver.h"
#include "windows/probes.h"

#include <string.h>

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], PROBE_OPTION) == 0)
        return bench_probe_main(argc - 1, argv + 1, windows_probes);
    return driver_main(argc, argv);
}
