/* SPDX-License-Identifier: MIT
 *
 * share.c - follows the processor allocator: an agent thread hears, the processors tell.
 *
 * The agent is an ordinary thread. It writes `granted` for each processor and wakes those for whom
 * something changed; a processor looks at it between two threads. UMS cannot stop a thread that
 * computes, so a processor is given back at the next fork, join, wait, yield or block.
 */
#include "share.h"

#include "allocator/channel.h"
#include "package.h"

enum { REPLY_MS = 2000 };

static struct channel *channel;
static HANDLE agent;
static HANDLE first_reply;
static volatile LONG closing;
static volatile LONG lost;
static _Atomic int told;
static _Atomic unsigned long hints;

static void grant(DWORD_PTR mask)
{
    for (int i = 0; i < ft__package.count; i++) {
        struct processor *processor = &ft__package.processors[i];
        int granted = (mask & processor->where) != 0;

        if (atomic_exchange(&processor->granted, granted) != granted)
            SetEvent(processor->wake);
    }
}

static DWORD WINAPI agent_main(LPVOID param)
{
    struct channel_grant message;

    UNREFERENCED_PARAMETER(param);
    while (channel_receive(channel, &message)) {
        grant((DWORD_PTR)message.processors);
        SetEvent(first_reply);
    }
    if (!closing) {
        lost = TRUE;
        grant(~(DWORD_PTR)0);
    }
    SetEvent(first_reply);
    return 0;
}

static void tell(int wanted)
{
    struct channel_hint hint = {.wanted = (unsigned)wanted};

    if (atomic_exchange(&told, wanted) == wanted)
        return;
    atomic_fetch_add_explicit(&hints, 1, memory_order_relaxed);
    if (!channel_hint(channel, &hint))
        atomic_store(&told, -1); /* it is only a hint: the next one will do */
}

void ft__share_open(const char *allocator)
{
    DWORD_PTR usable = 0;

    channel = NULL;
    closing = FALSE;
    lost = FALSE;
    atomic_store(&hints, 0);
    atomic_store(&told, -1);
    if (!allocator)
        return;
    for (int i = 0; i < ft__package.count; i++)
        usable |= ft__package.processors[i].where;
    first_reply = CreateEventA(NULL, TRUE, FALSE, NULL);
    channel = first_reply ? channel_open(allocator, usable) : NULL;
    agent = channel ? CreateThread(NULL, 0, agent_main, NULL, 0, NULL) : NULL;
    if (!agent) {
        lost = TRUE;
        if (channel)
            channel_close(channel);
        if (first_reply)
            CloseHandle(first_reply);
        channel = NULL;
        return;
    }
    tell(1);
    WaitForSingleObject(first_reply, REPLY_MS);
    ft__rest_is_idle();
}

void ft__share_close(struct ft_statistics *statistics)
{
    statistics->allocator_lost = (BOOL)lost;
    statistics->hints = atomic_load(&hints);
    if (!channel)
        return;
    InterlockedExchange(&closing, TRUE);
    channel_shut(channel);
    WaitForSingleObject(agent, INFINITE);
    CloseHandle(agent);
    CloseHandle(first_reply);
    channel_close(channel);
    channel = NULL;
}

void ft__share_tell(void)
{
    int wanted;

    if (!channel || lost)
        return;
    wanted = ft__package.count - atomic_load(&ft__package.idle);
    tell(wanted > 0 ? wanted : 1);
}
