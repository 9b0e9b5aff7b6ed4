/* SPDX-License-Identifier: MIT
 *
 * lines.c - in the checked build: which scheduler writes which shared cache line.
 *
 * With UMSSHIM_LOG=lines each lock that is taken, and each handle made or closed, is noted with the scheduler
 * for which that is done: what a structure holds lies beside its lock. At the end of the process one line
 * says how many cache lines more than one scheduler has written often. Seldom does not count: schedulers that
 * have nothing to do with each other still meet when they are made and when they end.
 */
#ifdef UMSSHIM_CHECKS

#include <stdlib.h>
#include <string.h>

#include "platform/linux/engine.h"

enum { LINES = 1 << 15, WRITERS = 4, OFTEN = 200, LINE = 64 };

static struct line {
    _Atomic uintptr_t address;
    struct {
        _Atomic(struct plat_context *) scheduler;
        _Atomic uint32_t times;
    } by[WRITERS];
} lines[LINES];

static bool wanted;

static __attribute__((constructor)) void look_whether_wanted(void)
{
    const char *log = secure_getenv("UMSSHIM_LOG");
    wanted = log && strcmp(log, "lines") == 0;
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
    struct plat_context *self = plat_tls.current;
    if (!wanted || !self)
        return;
    struct plat_context *scheduler = self->is_scheduler ? self : engine_core->scheduler_of(self);
    struct line *line = scheduler ? line_of((uintptr_t)address / LINE) : NULL;
    for (int i = 0; line && i < WRITERS; i++) {
        struct plat_context *there = NULL;
        if (atomic_compare_exchange_strong(&line->by[i].scheduler, &there, scheduler) ||
            there == scheduler) {
            atomic_fetch_add(&line->by[i].times, 1);
            return;
        }
    }
}

static __attribute__((destructor)) void say(void)
{
    unsigned all = 0, shared = 0;
    for (size_t i = 0; wanted && i < LINES; i++) {
        unsigned often = 0;
        for (int j = 0; j < WRITERS; j++)
            often += lines[i].by[j].times >= OFTEN;
        all += often > 0;
        shared += often > 1;
        if (often > 1)
            plat_log("the line at 0x%lx is written by %u schedulers",
                     (unsigned long)lines[i].address * LINE, often);
    }
    if (wanted)
        plat_log("lines written often: %u, by more than one scheduler: %u", all, shared);
}

#endif
