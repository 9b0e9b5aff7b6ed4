/* SPDX-License-Identifier: MIT
 *
 * probe.c - paper_probe: the paper's two operations, and the second one forced through the kernel.
 *
 * One source for every ground: OPERATION GROUND COUNT, prints "us VALUE" for one operation.
 */
#include "fastthreads.h"

#include "bench.h"
#include "../../support/bare_call.h"

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
    (void)arg;
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
    void (*pass)(struct partner *self); /* wakes the other and waits to be woken */
};

/* Signal-Wait: signal a waiting thread, then wait. */
static void pass_condition(struct partner *self)
{
    struct pair *pair = self->pair;

    pair->turn = !self->side;
    ft_signal(&pair->turns[!self->side]);
    while (pair->turn != self->side)
        ft_wait(&pair->turns[self->side], &pair->lock);
}

static void pass_event(struct partner *self)
{
    SetEvent(self->pair->events[!self->side]);
    WaitForSingleObject(self->pair->events[self->side], INFINITE);
}

static void pass_pipe(struct partner *self)
{
    DWORD moved = 0;
    char byte = 0;

    if (!WriteFile(self->pair->writes[!self->side], &byte, 1, &moved, NULL) ||
        !ReadFile(self->pair->reads[self->side], &byte, 1, &moved, NULL))
        bench_fail("a pipe", 0);
}

/* System calls that nothing in user mode can shorten. */
static void pass_bare(struct partner *self)
{
    char byte = 0;

    if (bare_call(SYS_write, self->pair->pipes[!self->side][1], &byte, 1) != 1 ||
        bare_call(SYS_read, self->pair->pipes[self->side][0], &byte, 1) != 1)
        bench_fail("a pipe", 0);
}

/* What leaves the other one waiting. */
static void last_word(struct partner *self)
{
    struct pair *pair = self->pair;
    DWORD moved = 0;
    char byte = 0;

    if (self->pass == pass_event)
        SetEvent(pair->events[!self->side]);
    else if (self->pass == pass_pipe)
        WriteFile(pair->writes[!self->side], &byte, 1, &moved, NULL);
    else if (self->pass == pass_bare)
        bare_call(SYS_write, pair->pipes[!self->side][1], &byte, 1);
    else {
        pair->turn = !self->side;
        ft_signal(&pair->turns[!self->side]);
    }
}

static void partner_main(void *arg)
{
    struct partner *self = arg;
    struct measurement *measurement = self->pair->measurement;
    uint64_t start = 0;

    ft_acquire(&self->pair->lock);
    if (self->pass != pass_condition)
        ft_release(&self->pair->lock);
    for (unsigned long i = 0; i < warm(measurement) + measurement->count; i++) {
        if (i == warm(measurement))
            start = bench_now_ns();
        self->pass(self);
    }
    /* Both sides wake and wait once in a round. */
    measurement->us = since(start, 2 * measurement->count);
    last_word(self);
    if (self->pass == pass_condition)
        ft_release(&self->pair->lock);
}

static void two_partners(struct measurement *measurement, void (*pass)(struct partner *self))
{
    struct pair *pair = ft_allocate(sizeof(*pair));
    struct partner partners[2] = {{pair, 0, pass}, {pair, 1, pass}};
    struct ft_thread *other;

    if (!pair)
        bench_fail("memory for two threads", 0);
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
    two_partners(arg, pass_condition);
}

static void kernel_event(void *arg)
{
    two_partners(arg, pass_event);
}

static void kernel_pipe(void *arg)
{
    two_partners(arg, pass_pipe);
}

static void kernel_bare(void *arg)
{
    two_partners(arg, pass_bare);
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
