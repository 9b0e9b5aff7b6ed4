/* SPDX-License-Identifier: MIT
 *
 * operations.c - how long the package's own operations take: Null Fork and Signal-Wait.
 *
 * Null Fork: create, schedule, run and finish a thread that does nothing. Signal-Wait: signal a
 * waiting thread, then wait. Neither goes to the kernel on UMS, so that what the package's critical
 * sections cost shows.
 */
#include "operations.h"

#include <stdio.h>

struct measurement {
    unsigned long count;
    LONGLONG ticks;
    BOOL failed;
};

struct pair {
    struct measurement *measurement;
    struct ft_lock lock;
    struct ft_condition turns[2];
    int turn;
};

struct partner {
    struct pair *pair;
    int side;
};

static LONGLONG now(void)
{
    LARGE_INTEGER counter;

    QueryPerformanceCounter(&counter);
    return counter.QuadPart;
}

/* Where the measured part begins. */
static unsigned long warm(const struct measurement *measurement)
{
    return measurement->count / 10;
}

static void nothing(void *arg)
{
    (void)arg;
}

static void null_fork(void *arg)
{
    struct measurement *measurement = arg;
    LONGLONG start = 0;

    for (unsigned long i = 0; i < warm(measurement) + measurement->count; i++) {
        struct ft_thread *thread;

        if (i == warm(measurement))
            start = now();
        thread = ft_fork(nothing, NULL);
        if (!thread) {
            measurement->failed = TRUE;
            return;
        }
        ft_join(thread);
    }
    measurement->ticks = now() - start;
}

/* Each of the two signals and waits once in a round. */
static void partner_main(void *arg)
{
    struct partner *self = arg;
    struct pair *pair = self->pair;
    struct measurement *measurement = pair->measurement;
    unsigned long rounds = (warm(measurement) + measurement->count) / 2;
    LONGLONG start = 0;

    ft_acquire(&pair->lock);
    for (unsigned long i = 0; i < rounds; i++) {
        if (i == warm(measurement) / 2)
            start = now();
        while (pair->turn != self->side)
            ft_wait(&pair->turns[self->side], &pair->lock);
        pair->turn = !self->side;
        ft_signal(&pair->turns[!self->side]);
    }
    measurement->ticks = now() - start;
    ft_release(&pair->lock);
}

static void signal_wait(void *arg)
{
    struct pair *pair = ft_allocate(sizeof(*pair));
    struct partner partners[2] = {{pair, 0}, {pair, 1}};
    struct measurement *measurement = arg;
    struct ft_thread *other = NULL;

    if (pair) {
        pair->measurement = measurement;
        ft_lock_init(&pair->lock);
        ft_condition_init(&pair->turns[0]);
        ft_condition_init(&pair->turns[1]);
        other = ft_fork(partner_main, &partners[1]);
    }
    if (other) {
        partner_main(&partners[0]);
        ft_join(other);
    }
    measurement->failed = !other;
    if (pair)
        ft_free(pair, sizeof(*pair));
}

/* Negative: it did not run. */
static double microseconds(const struct ft_options *options, void (*operation)(void *),
                           unsigned long count)
{
    struct measurement measurement = {count, 0, FALSE};
    LARGE_INTEGER frequency;

    QueryPerformanceFrequency(&frequency);
    if (ft_run(options, operation, &measurement, NULL) || measurement.failed)
        return -1;
    return (double)measurement.ticks * 1e6 / (double)frequency.QuadPart / (double)count;
}

int operations_report(const struct ft_options *options, unsigned long count)
{
    double fork = microseconds(options, null_fork, count);
    double wait = microseconds(options, signal_wait, count);

    if (fork <= 0 || wait <= 0) {
        printf("verdict: FAILED, an operation did not run\n");
        return 1;
    }
    printf("%s, critical sections marked by %s: Null Fork %.4f us, Signal-Wait %.4f us\n",
           ft_ground_name(options->ground), ft_sections_marked_by(), fork, wait);
    return 0;
}
