/* SPDX-License-Identifier: MIT
 *
 * journal.c - records what happens while it happens, so that printing can wait.
 */
#include "tour.h"

#include <time.h>

uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void journal_add(enum event_kind kind, int worker, UMS_SCHEDULER_REASON reason, ULONG_PTR payload,
                 PVOID param)
{
    struct journal *journal = &tour.journal;
    struct event *event;

    if (journal->count == MAX_EVENTS) {
        journal->lost++;
        return;
    }
    event = &journal->events[journal->count];
    event->at_ns = now_ns();
    event->kind = kind;
    event->worker = worker;
    event->reason = reason;
    event->payload = payload;
    event->param = param;
    journal->count++;
}
