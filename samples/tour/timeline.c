/* SPDX-License-Identifier: MIT
 *
 * timeline.c - the journal as people read it: a line for each activation, and a lane for each
 * worker.
 */
#include "tour.h"

#include <stdio.h>
#include <string.h>

enum { SLICES = 72 };

static const char *name_of(int worker)
{
    return worker < 0 ? "-" : tour.workers[worker].name;
}

static double ms_since_start(uint64_t at_ns)
{
    return (double)(at_ns - tour.journal.events[0].at_ns) / 1e6;
}

static void print_enter(const struct event *event)
{
    char upcall[64];

    switch (event->reason) {
    case UmsSchedulerStartup:
        snprintf(upcall, sizeof(upcall), "Startup");
        break;
    case UmsSchedulerThreadBlocked:
        snprintf(upcall, sizeof(upcall), "Blocked payload %lu", (unsigned long)event->payload);
        break;
    case UmsSchedulerThreadYield:
        snprintf(upcall, sizeof(upcall), "Yield   param %lu", (unsigned long)event->param);
        break;
    default:
        snprintf(upcall, sizeof(upcall), "reason %d?", (int)event->reason);
        break;
    }
    printf("%9.3f  %-18s %-10s", ms_since_start(event->at_ns), upcall, name_of(event->worker));
}

static void print_end(const char *next, const char *list)
{
    if (list[0])
        printf(" %-10s %s\n", next, list);
    else
        printf(" %s\n", next);
}

/* Prints what one activation did after its first event; returns the index behind it. */
static unsigned print_rest(unsigned index)
{
    char list[160] = "";
    const char *separator = "";
    size_t used = 0;

    for (; index < tour.journal.count; index++) {
        const struct event *event = &tour.journal.events[index];
        const char *mark = event->kind == EVENT_NEW     ? "new "
                           : event->kind == EVENT_ENDED ? "ended "
                                                        : "";

        if (event->kind == EVENT_ENTER)
            break;
        if (event->kind == EVENT_NEW || event->kind == EVENT_UNBLOCKED ||
            event->kind == EVENT_ENDED) {
            if (used < sizeof(list))
                used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s%s", separator,
                                         mark, name_of(event->worker));
            separator = ", ";
        } else if (event->kind == EVENT_EXECUTE) {
            print_end(name_of(event->worker), list);
            return index + 1;
        } else if (event->kind == EVENT_WAIT) {
            if (used < sizeof(list))
                used += (size_t)snprintf(list + used, sizeof(list) - used, "%s(waits)",
                                         used ? " " : "");
            separator = " ";
        } else if (event->kind == EVENT_FAILED) {
            printf(" a call failed with %lu (%s)", (unsigned long)event->payload,
                   name_of(event->worker));
        } else if (event->kind == EVENT_LEAVE) {
            print_end("leaves", list);
            return index + 1;
        }
    }
    printf(" %s\n", list);
    return index;
}

void print_timeline(void)
{
    unsigned index = 0;

    printf("Every activation of the scheduler: when, why, after whom, whom it executed next, and "
           "who was\non the completion list. A Yield carries the worker's context as payload and "
           "the worker's own\nparameter, here its yield count; a Blocked says only 1: in a system "
           "call.\n\n");
    printf("%9s  %-18s %-10s %-10s %s\n", "ms", "upcall", "after", "executes", "completion list");
    while (index < tour.journal.count) {
        const struct event *event = &tour.journal.events[index];

        index++;
        if (event->kind == EVENT_ENTER) {
            print_enter(event);
            index = print_rest(index);
        } else {
            printf("%9.3f  (executing %s failed: tried again)\n", ms_since_start(event->at_ns),
                   name_of(event->worker));
        }
    }
}

/* What a slice of a lane shows, the later the stronger. */
static void paint(char *lane, uint64_t from, uint64_t to, uint64_t start, uint64_t slice, char mark)
{
    uint64_t first = (from - start) / slice;
    uint64_t last = (to - start) / slice;

    for (uint64_t i = first; i <= last && i < SLICES; i++)
        if (mark == '#' || (mark == '~' && lane[i] != '#') || lane[i] == ' ')
            lane[i] = mark;
}

static void fill_lane(char *lane, int worker, uint64_t start, uint64_t slice)
{
    uint64_t since = 0;
    char state = ' ';

    memset(lane, ' ', SLICES);
    lane[SLICES] = '\0';
    for (unsigned i = 0; i < tour.journal.count; i++) {
        const struct event *event = &tour.journal.events[i];
        char next = state;

        if (event->worker != worker)
            continue;
        if (event->kind == EVENT_EXECUTE)
            next = '#';
        else if (event->kind == EVENT_ENTER)
            next = event->reason == UmsSchedulerThreadBlocked ? '~' : '.';
        else if (event->kind == EVENT_NEW || event->kind == EVENT_UNBLOCKED)
            next = '.';
        else if (event->kind == EVENT_ENDED)
            next = ' ';
        if (state != ' ')
            paint(lane, since, event->at_ns, start, slice, state);
        state = next;
        since = event->at_ns;
    }
}

void print_lanes(void)
{
    const struct journal *journal = &tour.journal;
    char lane[SLICES + 1];
    uint64_t start;
    uint64_t slice;

    if (journal->count < 2)
        return;
    start = journal->events[0].at_ns;
    slice = (journal->events[journal->count - 1].at_ns - start) / SLICES + 1;
    printf("\nThe same as lanes, %.2f ms a character: # ran, ~ blocked in the kernel, . ready\n\n",
           (double)slice / 1e6);
    for (int i = 0; i < tour.worker_count; i++) {
        fill_lane(lane, i, start, slice);
        printf("%10s |%s|\n", tour.workers[i].name, lane);
    }
}
