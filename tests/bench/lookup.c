/* SPDX-License-Identifier: MIT
 *
 * lookup.c - probes and values of the catalog by name.
 */
#include "catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int catalog_probe_count(void)
{
    int count = 0;

    while (catalog_probes[count].id)
        count++;
    return count;
}

int catalog_find_probe(const char *id)
{
    for (int i = 0; catalog_probes[i].id; i++)
        if (strcmp(catalog_probes[i].id, id) == 0)
            return i;
    fprintf(stderr, "bench: the catalog has no probe %s\n", id);
    abort();
}

int catalog_find_value(const struct catalog_probe *probe, const char *name)
{
    for (int i = 0; i < CATALOG_MAX_VALUES && probe->values[i].name; i++)
        if (strcmp(probe->values[i].name, name) == 0)
            return i;
    return -1;
}
