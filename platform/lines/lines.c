/* SPDX-License-Identifier: MIT
 *
 * lines.c - in the checked build: which scheduler, or which lane, writes which shared cache line.
 *
 * With UMSSHIM_LOG=lines each lock that is taken, and each write to what is shared without one
 * (handles, sitters, the map of thread ids, counts and stacks of the process), is noted with the
 * scheduler for which that is done: what a structure holds lies beside its lock. With
 * UMSSHIM_LOG=lanes it is the scheduler's lane, for what belongs to a processor and not to a
 * scheduler: time-outs, and where objects and handles are made. At the end of the process one line
 * says how many cache lines more than one of them has written often. Seldom does not count:
 * schedulers that have nothing to do with each other still meet when they are made and when they
 * end. Nor does, by lanes, memory that one gave back and another got later: such a line has had two
 * writers, but changed hands a few times only.
 */
#ifdef UMSSHIM_CHECKS

#include <string.h>

#include "platform/platform.h"
#include "platform/trace/system.h"

enum { LINES = 1 << 15, WRITERS = 4, OFTEN = 200, TURNS = 20, LINE = 64 };

static struct line {
    _Atomic uintptr_t address;
    _Atomic(const void *) writer; /* the last one */
    _Atomic uint32_t turns;       /* how often that was another one than before */
    struct {
        _Atomic(const void *) writer;
        _Atomic uint32_t times;
        const void *last; /* the instruction behind its last write */
    } by[WRITERS];
} lines[LINES];

static bool wanted, by_lane;

static __attribute__((constructor)) void look_whether_wanted(void)
{
    char log[8];
    if (!system_variable("UMSSHIM_LOG", log, sizeof log))
        return;
    by_lane = strcmp(log, "lanes") == 0;
    wanted = by_lane || strcmp(log, "lines") == 0;
}

/* NULL: there are more than the table holds. */
static struct line *line_of(uintptr_t address)
{
    size_t first = address * 0x9e3779b97f4a7c15u >> 49;
    for (size_t i = 0; i < LINES; i++) {
        struct line *line = &lines[(first + i) % LINES];
        uintptr_t there = 0;
        if (atomic_compare_exchange_strong(&line->address, &there, address) || there == address)
            return line;
    }
    return NULL;
}

void plat_written(const void *address)
{
    struct plat_context *self = plat_current();
    if (!wanted || !self)
        return;
    struct plat_context *scheduler = self->is_scheduler ? self : self->scheduler;
    const void *writer = scheduler && by_lane ? plat_lane_of(scheduler) : scheduler;
    struct line *line = writer ? line_of((uintptr_t)address / LINE) : NULL;
    if (line && atomic_exchange(&line->writer, writer) != writer)
        atomic_fetch_add(&line->turns, 1);
    for (int i = 0; line && i < WRITERS; i++) {
        const void *there = NULL;
        if (atomic_compare_exchange_strong(&line->by[i].writer, &there, writer) ||
            there == writer) {
            atomic_fetch_add(&line->by[i].times, 1);
            line->by[i].last = __builtin_return_address(0);
            return;
        }
    }
}

static void say_line(const struct line *line, unsigned often)
{
    plat_log("the line at %p is written by %u %s, in %u turns", (void *)(line->address * LINE),
             often, by_lane ? "lanes" : "schedulers", line->turns);
    for (int i = 0; i < WRITERS; i++)
        if (line->by[i].times)
            plat_log("  %u times, last at the library + 0x%x", line->by[i].times,
                     (unsigned)((const char *)line->by[i].last - plat_image()));
}

static __attribute__((destructor)) void say(void)
{
    unsigned all = 0, shared = 0;
    for (size_t i = 0; wanted && i < LINES; i++) {
        unsigned often = 0;
        for (int j = 0; j < WRITERS; j++)
            often += lines[i].by[j].times >= OFTEN;
        bool in_turns = often > 1 && (!by_lane || lines[i].turns >= TURNS);
        all += often > 0;
        shared += in_turns;
        if (in_turns)
            say_line(&lines[i], often);
    }
    if (wanted)
        plat_log("lines written often: %u, by more than one %s: %u", all,
                 by_lane ? "lane" : "scheduler", shared);
}

#endif
