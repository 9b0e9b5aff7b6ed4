/* SPDX-License-Identifier: MIT
 *
 * crashing_client.c NAME - a client that is granted both processors and ends as if by a crash (Windows).
 */
#include "allocator/channel.h"

#include <windows.h>

int main(int argc, char **argv)
{
    struct channel_hint all = {.wanted = 2};
    struct channel_grant grant = {0};
    struct channel *channel = argc == 2 ? channel_open(argv[1], 3) : NULL;

    if (!channel || !channel_hint(channel, &all))
        return 1;
    while (grant.processors != 3)
        if (!channel_receive(channel, &grant))
            return 2;
    TerminateProcess(GetCurrentProcess(), 77);
    return 3;
}
