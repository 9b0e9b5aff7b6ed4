/* SPDX-License-Identifier: MIT
 *
 * restless.c - see restless.h.
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"
#include "restless.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loose rig;
int progress;
int stop;

DWORD WINAPI allocate_and_print(LPVOID stream)
{
    char text[64];

    while (!flag_get(&stop)) {
        size_t size = 16 + (size_t)(progress * 37 % 3000);
        unsigned char *block = malloc(size);

        if (!block) {
            FAIL("no memory");
            return 1;
        }
        memset(block, progress & 0xff, size);
        snprintf(text, sizeof text, "%d %f %s", progress, progress * 0.5, "text");
        if (stream) {
            fprintf(stream, "%s\n", text);
            if (progress % 64 == 0)
                rewind(stream);
        }
        if (block[size - 1] != (progress & 0xff))
            FAIL("a block changed");
        free(block);
        flag_add(&progress, 1);
    }
    return 0;
}

DWORD WINAPI wait_and_sleep(LPVOID event)
{
    while (!flag_get(&stop)) {
        WaitForSingleObject(event, (DWORD)(progress % 2));
        if (progress % 16 == 0)
            Sleep(1);
        flag_add(&progress, 1);
    }
    return 0;
}

DWORD WINAPI run_once(LPVOID count)
{
    if (count)
        flag_add(count, 1);
    return 6;
}

void finish(void)
{
    flag_set(&stop, 1);
    ASSERT_OK(loose_finish(&rig));
    EXPECT_OK(DeleteUmsCompletionList(rig.list));
}
