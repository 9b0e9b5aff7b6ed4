/* SPDX-License-Identifier: MIT
 *
 * probe.c - paper_probe: the paper's two operations, and the second one forced through the kernel.
 *
 * One source for every ground: OPERATION GROUND COUNT, prints "us VALUE" for one operation.
 */
#include "fastthreads.h"

#include "bench.h"
#include "../../support/bare_call.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct measurement {
    unsigned long count;
    double us;
};

/* The first tenth of everything is not counted. */
static unsigned long warm(const struct measurement *measurement)
{
    return measurement->count / 10 + 1;
}

static double since(uint64_t start, unsigned long count)
{
    return (double)(bench_now_ns() - start) / 1000.0 / (double)count;
}

/* ---- Null Fork: create, schedule, run and finish a thread that does nothing ------------------ */

static void nothing(void *arg)
{
}

static void null_fork(void *arg)
{
    struct measurement *measurement = arg;
    uint64_t start = 0;

    for (unsigned long i = 0; i < warm(measurement) + measurement->count; i++) {
        struct ft_thread *thread;

        if (i == warm(measurement))
            start = bench_now_ns();
        thread = ft_fork(nothing, NULL);
        if (!thread)
            bench_fail("ft_fork", 0);
        ft_join(thread);
    }
    measurement->us = since(start, measurement->count);
}

/* ---- Two threads that wake each other -------------------------------------------------------- */

struct pair {
    const struct way *way;
    struct measurement *measurement;
    struct ft_lock lock;
    struct ft_condition turns[2];
    int turn;
    HANDLE events[2];
    HANDLE reads[2], writes[2];
    int pipes[2][2];
};

struct partner {
    struct pair *pair;
    int side;
};

/* Signal-Wait: signals a thread that waits, then waits. */
struct way {
    void (*wake)(struct pair *pair, int side);
    void (*wait)(struct pair *pair, int side);
    bool locked; /* both with the lock held */
};

static void wake_condition(struct pair *pair, int side)
{
    pair->turn = side;
    ft_signal(&pair->turns[side]);
}

static void wait_condition(struct pair *pair, int side)
{
    while (pair->turn != side)
        ft_wait(&pair->turns[side], &pair->lock);
}

static void wake_event(struct pair *pair, int side)
{
    SetEvent(pair->events[side]);
}

static void wait_event(struct pair *pair, int side)
{
    WaitForSingleObject(pair->events[side], INFINITE);
}

static void wake_pipe(struct pair *pair, int side)
{
    DWORD moved = 0;
    char byte = 0;

    if (!WriteFile(pair->writes[side], &byte, 1, &moved, NULL))
        bench_fail("a pipe", 0);
}

static void wait_pipe(struct pair *pair, int side)
{
    DWORD moved = 0;
    char byte = 0;

    if (!ReadFile(pair->reads[side], &byte, 1, &moved, NULL))
        bench_fail("a pipe", 0);
}

/* System calls that nothing in user mode can shorten. */
static void wake_bare(struct pair *pair, int side)
{
    char byte = 0;

    if (bare_call(SYS_write, pair->pipes[side][1], &byte, 1) != 1)
        bench_fail("a pipe", 0);
}

static void wait_bare(struct pair *pair, int side)
{
    char byte = 0;

    if (bare_call(SYS_read, pair->pipes[side][0], &byte, 1) != 1)
        bench_fail("a pipe", 0);
}

static const struct way by_condition = {wake_condition, wait_condition, true},
                        by_event = {wake_event, wait_event, false},
                        by_pipe = {wake_pipe, wait_pipe, false},
                        by_bare_calls = {wake_bare, wait_bare, false};

/* The first wakes and waits, the second waits and wakes: whoever wakes finds the other waiting, each time. */
static void partner_main(void *arg)
{
    const struct partner *self = arg;
    struct pair *pair = self->pair;
    const struct way *way = pair->way;
    struct measurement *measurement = pair->measurement;
    uint64_t start = 0;

    if (way->locked)
        ft_acquire(&pair->lock);
    for (unsigned long i = 0; i < warm(measurement) + measurement->count; i++) {
        if (i == warm(measurement))
            start = bench_now_ns();
        if (self->side)
            way->wait(pair, self->side);
        way->wake(pair, !self->side);
        if (!self->side)
            way->wait(pair, self->side);
    }
    /* Both sides wake and wait once in a round. */
    if (!self->side)
        measurement->us = since(start, 2 * measurement->count);
    if (way->locked)
        ft_release(&pair->lock);
}

static void two_partners(struct measurement *measurement, const struct way *way)
{
    struct pair *pair = ft_allocate(sizeof(*pair));
    struct partner partners[2] = {{pair, 0}, {pair, 1}};
    struct ft_thread *other;

    if (!pair)
        bench_fail("memory for two threads", 0);
    pair->way = way;
    pair->measurement = measurement;
    ft_lock_init(&pair->lock);
    for (int i = 0; i < 2; i++) {
        ft_condition_init(&pair->turns[i]);
        pair->events[i] = CreateEventA(NULL, FALSE, FALSE, NULL);
        if (!pair->events[i] || !CreatePipe(&pair->reads[i], &pair->writes[i], NULL, 0) ||
            pipe(pair->pipes[i]) != 0)
            bench_fail("events and pipes", 0);
    }
    other = ft_fork(partner_main, &partners[1]);
    if (!other)
        bench_fail("ft_fork", 0);
    partner_main(&partners[0]);
    ft_join(other);
}

static void signal_wait(void *arg)
{
    two_partners(arg, &by_condition);
}

static void kernel_event(void *arg)
{
    two_partners(arg, &by_event);
}

static void kernel_pipe(void *arg)
{
    two_partners(arg, &by_pipe);
}

static void kernel_bare(void *arg)
{
    two_partners(arg, &by_bare_calls);
}

static const struct {
    const char *name;
    void (*first)(void *);
} operations[] = {
    {"null_fork", null_fork},     {"signal_wait", signal_wait}, {"kernel_event", kernel_event},
    {"kernel_pipe", kernel_pipe}, {"kernel_bare", kernel_bare},
};

int main(int argc, char **argv)
{
    struct ft_options options = {.processors = 1};
    struct measurement measurement = {0, 0};
    DWORD error;

    if (argc == 4 && ft_ground_named(argv[2], &options.ground))
        measurement.count = strtoul(argv[3], NULL, 10);
    for (size_t i = 0; measurement.count && i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (strcmp(argv[1], operations[i].name) != 0)
            continue;
        error = ft_run(&options, operations[i].first, &measurement, NULL);
        if (error)
            bench_fail("ft_run", 0);
        bench_emit("us", measurement.us);
        return 0;
    }
    fprintf(stderr,
            "usage: %s null_fork|signal_wait|kernel_event|kernel_pipe|kernel_bare "
            "ums|kernel|spin|user|processes COUNT\n",
            argv[0]);
    return 2;
}
