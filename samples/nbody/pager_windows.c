/* SPDX-License-Identifier: MIT
 *
 * pager_windows.c - Windows has nothing by which a program could serve its own page faults.
 */
#include "nbody.h"

void pager_expected(void)
{
}

DWORD pager_open(const struct body *bodies, int count, int pages, int room, int miss_ms)
{
    (void)bodies, (void)count, (void)pages, (void)room, (void)miss_ms;
    return ERROR_NOT_SUPPORTED;
}

const char *pager_memory(void)
{
    return NULL;
}

void pager_update(void)
{
}

unsigned long pager_misses(void)
{
    return 0;
}

void pager_close(void)
{
}
