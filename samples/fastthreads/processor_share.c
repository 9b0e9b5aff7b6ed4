/* SPDX-License-Identifier: MIT
 *
 * processor_share.c - follows the processor allocator: an agent thread hears, the processors tell.
 *
 * The agent is an ordinary thread. The sharer decides what it does with a grant, and how many
 * processors have work: the package's (granted.c) or that of a program on kernel threads
 * (kernel_share.c).
 *
 * Hints have numbers, for two processors may tell at once and the one that counted first may send
 * last. A number is taken before it is counted how many processors have work. So the hint with the
 * highest number has seen what all before it changed, and the allocator lets older ones go by that
 * come late.
 */
#include "processor_share.h"

#include "allocator/channel.h"

#include <stdatomic.h>

enum { REPLY_MS = 2000 };

static struct channel *channel;
static const struct ft__sharer *sharer;
static int priority; /* the program's */
static HANDLE agent;
static HANDLE first_reply;
static volatile LONG closing;
static volatile LONG lost;
static _Atomic uint64_t numbers;    /* taken so far */
static _Atomic uint64_t told;       /* number and wanted of the newest hint; see `say` */
static _Atomic unsigned long hints; /* sent */

enum { WANTED_BITS = 8, NOT_TOLD = (1 << WANTED_BITS) - 1 };

static DWORD WINAPI agent_main(LPVOID param)
{
    struct channel_grant message;

    UNREFERENCED_PARAMETER(param);
    while (channel_receive(channel, &message)) {
        sharer->granted((DWORD_PTR)message.processors);
        SetEvent(
            first_reply); /* before the next step, which waits for what starts after the reply */
        if (sharer->take_back)
            sharer->take_back();
    }
    if (!closing)
        lost = TRUE;
    sharer->granted(~(DWORD_PTR)0);
    SetEvent(first_reply);
    return 0;
}

/* Unless the last one said the same, or a newer one speaks for it. */
static void say(uint64_t number, unsigned wanted)
{
    struct channel_hint hint = {.number = number, .wanted = wanted, .priority = priority};
    uint64_t mine = number << WANTED_BITS | hint.wanted;
    uint64_t before = atomic_load(&told);

    do
        if (before >> WANTED_BITS > number)
            return;
    while (!atomic_compare_exchange_weak(&told, &before, mine));
    if ((before & NOT_TOLD) == hint.wanted)
        return;
    atomic_fetch_add_explicit(&hints, 1, memory_order_relaxed);
    if (channel_hint(channel, &hint))
        return;
    /* No room. Some may have kept silent because this had been said: the next one speaks in any
     * case. */
    before = atomic_load(&told);
    while ((before & NOT_TOLD) == hint.wanted &&
           !atomic_compare_exchange_weak(&told, &before, before | NOT_TOLD))
        ;
}

void ft__share_open(const struct ft_options *options, DWORD_PTR usable,
                    const struct ft__sharer *who)
{
    channel = NULL;
    sharer = who;
    priority = options->priority;
    closing = FALSE;
    lost = FALSE;
    atomic_store(&hints, 0);
    atomic_store(&numbers, 0);
    atomic_store(&told, NOT_TOLD);
    if (!options->allocator)
        return;
    first_reply = CreateEventA(NULL, TRUE, FALSE, NULL);
    channel = first_reply ? channel_open(options->allocator, usable) : NULL;
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
    say(atomic_fetch_add(&numbers, 1) + 1, 1);
    WaitForSingleObject(first_reply, REPLY_MS);
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
    uint64_t number;
    int wanted;

    if (!channel || lost)
        return;
    number = atomic_fetch_add(&numbers, 1) + 1; /* first; then the count */
    wanted = sharer->wanted();
    say(number, wanted > 0 ? (unsigned)wanted : 1);
}
