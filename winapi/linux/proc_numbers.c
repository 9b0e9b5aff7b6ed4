/* SPDX-License-Identifier: MIT
 *
 * proc_numbers.c - see proc_numbers.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/proc_numbers.h"

bool win__proc_numbers(const char *path, struct proc_number *numbers, size_t count)
{
    FILE *file = fopen(path, "re");
    char line[256];
    for (size_t i = 0; i < count; i++)
        numbers[i].value = 0;
    while (file && fgets(line, sizeof line, file))
        for (size_t i = 0; i < count; i++) {
            size_t length = strlen(numbers[i].name);
            char *end;
            if (strncmp(line, numbers[i].name, length) != 0)
                continue;
            numbers[i].value = strtoull(line + length, &end, 10);
            if (!strncmp(end, " kB", 3))
                numbers[i].value *= 1024;
        }
    if (file)
        fclose(file);
    return file != NULL;
}
