/* SPDX-License-Identifier: MIT
 *
 * allocator_process.c - what is the same on both systems: see allocator_process.h.
 */
#include "allocator_process.h"

#include "gtest_c.h"

#include <stdio.h>

char allocator_name[64];
const char *allocator_feedback;

void name_allocator(const char *what)
{
    snprintf(allocator_name, sizeof(allocator_name), "test-%s-%lu", what,
             (unsigned long)GetCurrentProcessId());
}

void start_allocator(const char *what, const char *quantum)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;
    struct channel *probe = NULL;

    name_allocator(what);
    allocator_begin(quantum);
    while (!(probe = channel_open(allocator_name, MACHINE)) && GetTickCount64() < until)
        Sleep(1);
    EXPECT_THAT(probe, "nobody listens as %s", allocator_name);
    if (probe)
        channel_close(probe);
}

int granted(struct channel *channel, int wanted)
{
    struct channel_grant grant = {0};
    int got = -1;

    while (channel && got != wanted && channel_receive(channel, &grant))
        got = __builtin_popcountll(grant.processors);
    return got;
}
