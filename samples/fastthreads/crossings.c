/* SPDX-License-Identifier: MIT
 *
 * crossings.c - how often an operation that blocks crosses between program and kernel, on UMS and
 * on kernel threads.
 *
 * All on one processor, where a thread that waits for another one always blocks. Each kind of
 * operation runs twice on each ground, the second time with twice as many. For what the package is
 * told, the difference of the two is what the operations cost without the run's start and end.
 * The rest are means of the longer run, since they depend on the moment: a loop looks again and
 * again for as long as a thread that was stopped cannot go on, and whether a kernel thread that is
 * woken runs at once or after its waker is the kernel's choice. Differences would tell how such a
 * moment went in the shorter run. The kernel counts system calls and blocks, those of the library's
 * threads included, from the begin of the work to its end.
 */
#include "crossings.h"

#include "fastthreads.h"
#include "kernel_counts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WARM = 20 };

struct pair {
    HANDLE events[2];
    HANDLE reads[2], writes[2];
};

struct kind {
    const char *name;
    void (*wake)(struct pair *pair, int side); /* the other one; NULL: there is none */
    void (*block)(struct pair *pair, int side);
    unsigned long share; /* of the operations: naps take long */
};

struct work {
    const struct kind *kind;
    unsigned long rounds;
    struct pair *pair;
    BOOL failed;
    struct kernel_counts before, after;
};

struct side {
    struct work *work;
    int side;
};

/* What the runs with the same number of operations have counted. */
struct crossings {
    double blocked;
    double unblocked;
    double looks;
    double executes;
    double calls;    /* NAN: the kernel does not say */
    double switches; /* ... */
};

/* ---- The operations -------------------------------------------------------------------------- */

static void set_event(struct pair *pair, int side)
{
    SetEvent(pair->events[!side]);
}

static void await_event(struct pair *pair, int side)
{
    WaitForSingleObject(pair->events[side], INFINITE);
}

static void write_pipe(struct pair *pair, int side)
{
    DWORD moved;

    WriteFile(pair->writes[!side], "", 1, &moved, NULL);
}

static void read_pipe(struct pair *pair, int side)
{
    DWORD moved;
    char byte;

    ReadFile(pair->reads[side], &byte, 1, &moved, NULL);
}

static void nap(struct pair *pair, int side)
{
    UNREFERENCED_PARAMETER(pair);
    UNREFERENCED_PARAMETER(side);
    Sleep(1);
}

static const struct kind kinds[] = {
    {"event", set_event, await_event, 1},
    {"pipe", write_pipe, read_pipe, 1},
    {"sleep", NULL, nap, 100},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* ---- A run ----------------------------------------------------------------------------------- */

/* The second one waits first: so whoever waits finds nothing there, and blocks. */
static void side_main(void *arg)
{
    struct side *self = arg;
    struct work *work = self->work;

    for (unsigned long i = 0; i < work->rounds; i++) {
        if (self->side == 0 && work->kind->wake)
            work->kind->wake(work->pair, 0);
        work->kind->block(work->pair, self->side);
        if (self->side == 1)
            work->kind->wake(work->pair, 1);
    }
}

static void work_main(void *arg)
{
    struct work *work = arg;
    struct side sides[2] = {{work, 0}, {work, 1}};
    struct ft_thread *other = NULL;

    kernel_counts_read(&work->before);
    if (work->kind->wake) {
        other = ft_fork(side_main, &sides[1]);
        if (!other) {
            work->failed = TRUE;
            return;
        }
    }
    side_main(&sides[0]);
    if (other)
        ft_join(other);
    kernel_counts_read(&work->after);
}

static BOOL open_pair(struct pair *pair)
{
    memset(pair, 0, sizeof(*pair));
    for (int i = 0; i < 2; i++) {
        pair->events[i] = CreateEventA(NULL, FALSE, FALSE, NULL);
        if (!pair->events[i] || !CreatePipe(&pair->reads[i], &pair->writes[i], NULL, 0))
            return FALSE;
    }
    return TRUE;
}

static void close_pair(struct pair *pair)
{
    HANDLE handles[] = {pair->events[0], pair->events[1], pair->reads[0],
                        pair->reads[1],  pair->writes[0], pair->writes[1]};

    for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++)
        if (handles[i])
            CloseHandle(handles[i]);
}

/* Two threads share the operations. */
static BOOL run(enum ft_ground ground, const struct kind *kind, unsigned long operations,
                struct crossings *found)
{
    struct ft_options options = {.ground = ground, .processors = 1};
    struct pair pair;
    struct work work = {
        .kind = kind,
        .rounds = kind->wake ? operations / 2 : operations,
        .pair = &pair,
    };
    struct ft_statistics counts;
    DWORD error = ERROR_NOT_ENOUGH_MEMORY;

    if (open_pair(&pair))
        error = ft_run(&options, work_main, &work, &counts);
    close_pair(&pair);
    if (error || work.failed)
        return FALSE;
    found->blocked = (double)(counts.blocked + counts.preempted);
    found->unblocked = (double)counts.unblocked;
    found->looks = (double)counts.looks;
    found->executes = (double)counts.switches;
    found->calls = work.before.calls < 0 ? NAN : (double)(work.after.calls - work.before.calls);
    found->switches =
        work.before.switches < 0 ? NAN : (double)(work.after.switches - work.before.switches);
    return TRUE;
}

/* ---- What an operation costs ----------------------------------------------------------------- */

static BOOL measure(enum ft_ground ground, const struct kind *kind, unsigned long count,
                    struct crossings *each)
{
    struct crossings once, twice;
    double operations = (double)count;

    if (!run(ground, kind, WARM, &once) || !run(ground, kind, count, &once) ||
        !run(ground, kind, 2 * count, &twice))
        return FALSE;
    each->blocked = (twice.blocked - once.blocked) / operations;
    each->unblocked = (twice.unblocked - once.unblocked) / operations;
    each->looks = twice.looks / (2 * operations);
    each->executes = twice.executes / (2 * operations);
    each->calls = twice.calls / (2 * operations);
    each->switches = twice.switches / (2 * operations);
    return TRUE;
}

static void print_kernel(double value)
{
    if (isnan(value))
        printf(" %12s", "?");
    else
        printf(" %12.2f", value);
}

static void print_row(const struct kind *kind, enum ft_ground ground, unsigned long count,
                      const struct crossings *each)
{
    printf("  %-6s %-7s %7lu %8.2f %10.2f %8.2f %9.2f", kind->name, ft_ground_name(ground), count,
           each->blocked, each->unblocked, each->looks, each->executes);
    print_kernel(each->calls);
    print_kernel(each->switches);
    printf("\n");
}

/* Each operation blocks: on UMS the program hears of it, and of its end, once. */
static BOOL plausible(enum ft_ground ground, const struct crossings *each)
{
    if (ground != FT_UMS)
        return each->blocked == 0 && each->unblocked == 0;
    return each->blocked > 0.9 && each->blocked < 1.5 && each->unblocked > 0.9 &&
           each->unblocked < 1.5 && each->executes > 0.9;
}

int crossings_report(unsigned long count)
{
    static const enum ft_ground grounds[] = {FT_UMS, FT_KERNEL};
    BOOL good = TRUE;

    kernel_counts_open();
    printf("an operation that blocks, on 1 processor\n");
    printf("  %-14s %7s %8s %10s %8s %9s %12s %12s\n", "", "mean of", "upcalls", "unblocked",
           "looks", "executes", "system calls", "kernel blocks");
    for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++) {
        unsigned long some = count / kind->share / 2 * 2;

        for (int i = 0; i < 2; i++) {
            struct crossings each;

            if (!measure(grounds[i], kind, some, &each)) {
                printf("verdict: FAILED, no run of %s on %s\n", kind->name,
                       ft_ground_name(grounds[i]));
                return 1;
            }
            print_row(kind, grounds[i], some, &each);
            good = plausible(grounds[i], &each) && good;
        }
    }
    printf("verdict: %s, on ums each is told once when it blocks and once when it is done\n",
           good ? "OK" : "FAILED");
    return good ? 0 : 1;
}
