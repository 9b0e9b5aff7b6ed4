/* SPDX-License-Identifier: MIT
 *
 * main.c - fastthreads: a small program on the thread package, on whatever ground is asked for.
 *
 * Sums up a tree of numbers by forking a thread for each branch; some branches sleep in the system.
 * Prints how long it took, what the package did, and a verdict. See README.md.
 */
#include "crossings.h"
#include "fastthreads.h"
#include "operations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 7, LEAVES = 1 << DEPTH, NAPS = LEAVES / 4, NAP_MS = 5 };

struct shared {
    struct ft_lock lock;
    struct ft_condition changed;
    int leaves;
    int naps;
    long sum;
    int woken;
    int forks_failed;
};

struct branch {
    struct shared *shared;
    int depth;
    int from;
};

static void leaf(struct shared *shared, int number)
{
    volatile double work = number;

    for (int i = 0; i < 20000; i++)
        work = work * 0.5 + 1;
    if (number % 4 == 0)
        Sleep(NAP_MS); /* a blocking call like any other */
    ft_acquire(&shared->lock);
    shared->leaves++;
    shared->sum += number;
    shared->naps += number % 4 == 0;
    if (shared->leaves == LEAVES)
        ft_broadcast(&shared->changed);
    ft_release(&shared->lock);
}

static void branch_main(void *arg)
{
    struct branch *branch = arg;
    struct branch half[2];
    struct ft_thread *threads[2];

    if (branch->depth == 0) {
        leaf(branch->shared, branch->from);
        return;
    }
    for (int i = 0; i < 2; i++) {
        half[i] = (struct branch){branch->shared, branch->depth - 1,
                                  branch->from + i * (1 << (branch->depth - 1))};
        threads[i] = ft_fork(branch_main, &half[i]);
        if (!threads[i]) {
            branch->shared->forks_failed++;
            branch_main(&half[i]); /* nobody to do it: so do it here */
        }
    }
    for (int i = 0; i < 2; i++)
        if (threads[i])
            ft_join(threads[i]);
}

static void watcher_main(void *arg)
{
    struct shared *shared = arg;

    ft_acquire(&shared->lock);
    while (shared->leaves < LEAVES)
        ft_wait(&shared->changed, &shared->lock);
    shared->woken = 1;
    ft_release(&shared->lock);
}

static struct shared result;

static void first(void *arg)
{
    struct shared *shared = ft_allocate(sizeof(*shared));
    struct branch trunk = {shared, DEPTH, 0};
    struct ft_thread *watcher;

    (void)arg;
    if (!shared)
        return;
    ft_lock_init(&shared->lock);
    ft_condition_init(&shared->changed);
    watcher = ft_fork(watcher_main, shared);
    ft_yield();
    branch_main(&trunk);
    if (watcher)
        ft_join(watcher);
    result = *shared;
    ft_free(shared, sizeof(*shared));
}

static int usage(const char *what, const char *value)
{
    fprintf(stderr,
            "fastthreads: cannot make sense of %s %s; usage: fastthreads [--ground "
            "ums|kernel|spin|user|processes] [--processors 1..%d] [--allocator NAME] "
            "[--priority 0..99] [--operations 1000..100000000], or "
            "fastthreads --crossings 1000..1000000\n",
            what, value ? value : "without a value", FT_MAX_PROCESSORS);
    return 2;
}

static int number(const char *text, long least, long most)
{
    size_t digits = strspn(text, "0123456789");

    return digits > 0 && digits == strlen(text) && atol(text) >= least && atol(text) <= most;
}

static void report(const struct ft_options *options, const struct ft_statistics *counts, double ms)
{
    printf("%d threads on %s, %d processors: %.1f ms, of which each of %d naps is %d\n",
           2 * LEAVES - 1, ft_ground_name(options->ground), options->processors, ms, NAPS, NAP_MS);
    printf("  forks %lu, of them new threads %lu; switches %lu, steals %lu\n", counts->forks,
           counts->created, counts->switches, counts->steals);
    printf("  blocked %lu, preempted %lu, unblocked %lu; idle %lu, recoveries %lu, returns %lu\n",
           counts->blocked, counts->preempted, counts->unblocked, counts->idle, counts->recoveries,
           counts->returns);
    if (options->ground == FT_SPIN)
        printf("  locks that were taken: %lu after a spin, %lu after a block\n", counts->locks_spun,
               counts->locks_blocked);
    if (options->allocator)
        printf("  allocator %s: hints %lu, processors given up %lu%s\n", options->allocator,
               counts->hints, counts->given_up,
               counts->allocator_lost ? "; it is not there, went on without" : "");
}

int main(int argc, char **argv)
{
    struct ft_options options = {.ground = FT_UMS, .processors = 2};
    struct ft_statistics counts;
    LARGE_INTEGER frequency, before, after;
    unsigned long crossings = 0, operations = 0;
    DWORD error;
    int good;

    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (!value)
            return usage(argv[i], value);
        if (strcmp(argv[i], "--allocator") == 0 && *value)
            options.allocator = value;
        else if (strcmp(argv[i], "--processors") == 0 && number(value, 1, FT_MAX_PROCESSORS))
            options.processors = atoi(value);
        else if (strcmp(argv[i], "--priority") == 0 && number(value, 0, 99))
            options.priority = atoi(value);
        else if (strcmp(argv[i], "--crossings") == 0 && argc == 3 && number(value, 1000, 1000000))
            crossings = strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--operations") == 0 && number(value, 1000, 100000000))
            operations = strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--ground") != 0 || !ft_ground_named(value, &options.ground))
            return usage(argv[i], value);
    }
    if (crossings)
        return crossings_report(crossings);
    if (operations)
        return operations_report(&options, operations);
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&before);
    error = ft_run(&options, first, NULL, &counts);
    QueryPerformanceCounter(&after);
    if (!ft_ground_here(options.ground)) {
        fprintf(
            stderr,
            "fastthreads: no ground \"%s\" on this system, which has no fork: try --ground ums, "
            "user, kernel or spin\n",
            ft_ground_name(options.ground));
        return 1;
    }
    if (error) {
        printf("verdict: FAILED, ft_run gives error %lu\n", (unsigned long)error);
        return 1;
    }
    report(&options, &counts,
           (double)(after.QuadPart - before.QuadPart) * 1000.0 / (double)frequency.QuadPart);
    good = result.leaves == LEAVES && result.sum == (long)LEAVES * (LEAVES - 1) / 2 &&
           result.naps == NAPS && result.woken && result.forks_failed == 0;
    printf("verdict: %s, %d of %d leaves, sum %ld\n", good ? "OK" : "FAILED", result.leaves, LEAVES,
           result.sum);
    return good ? 0 : 1;
}
