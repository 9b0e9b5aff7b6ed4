/* SPDX-License-Identifier: MIT
 *
 * main.c - ums_bench, where the probes are programs of their own.
 */
#include "driver.h"

int main(int argc, char **argv)
{
    return driver_main(argc, argv);
}
