/* SPDX-License-Identifier: MIT
 *
 * tables.c - the results for people: our figures and ratios beside the paper's, and the bars.
 */
#include "paper.h"

#include <math.h>
#include <string.h>

enum { PAPER_CORES = 6 };

/* Round by round: both samples met the same state of the machine. */
static struct spread quotient(const struct series *above, const struct series *below)
{
    struct series quotients = {.rounds = above->rounds};

    for (int i = 0; i < quotients.rounds; i++)
        quotients.samples[i] = above->samples[i] / below->samples[i];
    return spread_of(&quotients);
}

struct spread paper_ratio(const struct cell *above, const struct cell *below)
{
    return above && below ? quotient(&above->series, &below->series) : (struct spread){.count = 0};
}

struct spread paper_cpu_ratio(const struct cell *above, const struct cell *below)
{
    return above && below ? quotient(&above->cpu, &below->cpu) : (struct spread){.count = 0};
}

static int bar(const char *what, struct spread ratio, bool at_least, double bound)
{
    bool good = at_least ? ratio.median >= bound : ratio.median <= bound;

    if (ratio.count == 0)
        return 0;
    printf("  %-4s %-62s %6.2f  (%s %g)\n", good ? "PASS" : "MISS", what, ratio.median,
           at_least ? "at least" : "at most", bound);
    return !good;
}

static double median(const struct cell *cell)
{
    struct spread spread = {.median = NAN};

    if (cell)
        spread = spread_of(&cell->series);
    return spread.median;
}

/* Kernel threads over UMS: of this library's and bare ones, those that are better off. */
static struct spread faster_kernel(const struct plan *plan, const char *what)
{
    const struct cell *ums = plan_find(plan, "table1", what, "ums", 0);
    struct spread ours = paper_ratio(plan_find(plan, "table1", what, "kernel", 0), ums);
    struct spread bare = paper_ratio(plan_find(plan, "table1", what, "threads", 0), ums);

    return ours.median < bare.median ? ours : bare;
}

static void table1_row(const struct plan *plan, const char *what, const char *name,
                       const char *paper)
{
    static const char *const grounds[] = {"user", "ums", "kernel", "threads", "processes"};

    printf("  %-34s", name);
    for (int i = 0; i < 5; i++) {
        double us = median(plan_find(plan, "table1", what, grounds[i], 0));

        if (isfinite(us))
            printf(" %10.*f", us < 10 ? 3 : 1, us);
        else
            printf(" %10s", "-");
    }
    printf("\n  %-34s %s\n", "", paper);
}

/* Of all Signal-Waits, the part that may go through the kernel before kernel threads take less time. */
static void break_even(const struct plan *plan, const char *what, const char *name)
{
    double in_user = median(plan_find(plan, "table1", "signal_wait", "ums", 0));
    double in_kernel = median(plan_find(plan, "table1", what, "ums", 0));
    double threads = fmin(median(plan_find(plan, "table1", "signal_wait", "kernel", 0)),
                          median(plan_find(plan, "table1", "signal_wait", "threads", 0)));

    printf("  break-even, %-20s ", name);
    if (in_user < threads && in_kernel < threads)
        printf("UMS takes less time however many go through the kernel\n");
    else if (in_user < threads)
        printf("UMS takes less time while less than %.0f %% go through the kernel\n",
               100 * (threads - in_user) / (in_kernel - in_user));
    else
        printf("there is none: UMS takes more time without the kernel\n");
}

static void yardsticks(const struct plan *plan)
{
    double procedure = median(plan_find(plan, "table1", "procedure_call", "threads", 0));
    double call = median(plan_find(plan, "table1", "system_call", "threads", 0));
    double fork = median(plan_find(plan, "table1", "null_fork", "ums", 0));

    printf(
        "  a procedure call takes %.4f us, a system call %.3f us (paper: 7 and 19); a Null Fork on\n"
        "  UMS is %.0f procedure calls, or %.2f system calls (paper: 5.3, or 1.9)\n",
        procedure, call, fork / procedure, fork / call);
}

static int table1(const struct plan *plan)
{
    static const struct {
        const char *what, *bar;
    } through[] = {{"kernel_event", "Signal-Wait by events / kernel threads"},
                   {"kernel_pipe", "Signal-Wait by pipes, library calls / kernel threads"},
                   {"kernel_bare", "Signal-Wait by pipes, bare system calls / kernel threads"}};
    int missed = 0;

    if (!plan_find(plan, "table1", "null_fork", "ums", 0))
        return 0;
    printf("\nTables 1 and 4: microseconds for an operation, one processor\n");
    printf("  %-34s %10s %10s %10s %10s %10s\n", "", "user", "UMS", "kernel", "pthreads",
           "processes");
    table1_row(plan, "null_fork", "Null Fork",
               "paper:  34         37        948          -      11300");
    table1_row(plan, "signal_wait", "Signal-Wait",
               "paper:  37         42        441          -       1840");
    table1_row(plan, "kernel_event", "Signal-Wait, events", "");
    table1_row(plan, "kernel_pipe", "Signal-Wait, pipes", "");
    table1_row(plan, "kernel_bare", "Signal-Wait, pipes, bare calls",
               "paper:   -       2400        441");
    yardsticks(plan);
    break_even(plan, "kernel_event", "events:");
    break_even(plan, "kernel_pipe", "pipes:");
    break_even(plan, "kernel_bare", "pipes, bare calls:");
    printf("  the slower way for us counts: kernel threads are the faster of the two columns\n");
    missed += bar("Null Fork: kernel threads / UMS (paper: 26)", faster_kernel(plan, "null_fork"),
                  true, 2);
    missed += bar("Signal-Wait: kernel threads / UMS (paper: 11)",
                  faster_kernel(plan, "signal_wait"), true, 25);
    for (int i = 0; i < 3; i++)
        missed += bar(through[i].bar,
                      paper_ratio(plan_find(plan, "table1", through[i].what, "ums", 0),
                                  plan_find(plan, "table1", through[i].what, "kernel", 0)),
                      false, 3.5);
    return missed;
}

static void figure2(const struct plan *plan)
{
    static const char *const grounds[] = {"ums", "user", "kernel"};
    const struct cell *one = plan_find(plan, "figure2", "seconds", "sequential", 0);

    if (!one)
        return;
    printf("\nFigure 2: speed-up over one processor without threads (%ld cores here, %d there)\n",
           plan->cores, PAPER_CORES);
    printf("  %-12s %8s %8s %8s   processor time over it: UMS, user, kernel\n", "processors", "UMS",
           "user", "kernel");
    for (int p = 1; p <= 16; p++) {
        if (!plan_find(plan, "figure2", "seconds", "ums", p))
            continue;
        printf("  %-12d", p);
        for (int g = 0; g < 3; g++)
            printf(" %8.2f",
                   paper_ratio(one, plan_find(plan, "figure2", "seconds", grounds[g], p)).median);
        printf("  ");
        for (int g = 0; g < 3; g++)
            printf(
                " %6.2f",
                paper_cpu_ratio(plan_find(plan, "figure2", "seconds", grounds[g], p), one).median);
        printf("\n");
    }
}

/* The fastest of the three, or with page faults only faster than the one that is not told of them. */
static int figure3(const struct plan *plan, bool faults)
{
    const char *experiment = faults ? "figure3-faults" : "figure3";
    int sizes = 0;
    int first = 0;

    for (int percent = 100; percent >= 40; percent -= 10) {
        double ums = median(plan_find(plan, experiment, "seconds", "ums", percent));
        double user = median(plan_find(plan, experiment, "seconds", "user", percent));
        double kernel = median(plan_find(plan, experiment, "seconds", "kernel", percent));

        if (!plan_find(plan, experiment, "seconds", "ums", percent))
            continue;
        if (!sizes++) {
            printf("\nFigure 3%s: milliseconds against memory available\n",
                   faults ? ", by page faults" : "");
            printf("  %-12s %10s %10s %10s\n", "memory", "UMS", "user", "kernel");
        }
        printf("  %3d %%        %10.1f %10.1f %10.1f\n", percent, ums * 1000, user * 1000,
               kernel * 1000);
        first += ums <= user && (faults || ums <= kernel);
    }
    if (!sizes)
        return 0;
    printf(faults ? "  %s UMS is faster than the user-level package at %d of %d sizes\n"
                  : "  %s UMS is the fastest of the three at %d of %d sizes (the paper: at all)\n",
           first == sizes ? "PASS" : "MISS", first, sizes);
    return first != sizes;
}

static int table5(const struct plan *plan)
{
    static const struct {
        const char *ground, *name, *paper;
    } rows[] = {{"kernel", "kernel threads", "1.29 of 3"},
                {"user", "original, user level", "1.26 of 3"},
                {"ums", "UMS with the allocator", "2.45 of 3"},
                {"ums, no allocator", "UMS without", "-"}};
    const struct cell *one = plan_find(plan, "table5", "seconds", "sequential", 0);
    const struct cell *half = plan_find(plan, "table5", "one copy, half", "ums", 1);
    const struct cell *ums = plan_find(plan, "table5", "two copies", "ums", 2);
    double share = plan->cores / 2.0;
    struct spread reached = paper_ratio(one, ums);
    int missed = 0;

    if (!one)
        return 0;
    printf("\nTable 5: two copies at once, the speed-up of each (%.1f is possible here)\n", share);
    for (int i = 0; i < 4; i++) {
        const struct cell *copies = plan_find(plan, "table5", "two copies", rows[i].ground, 2);
        struct spread speedup = paper_ratio(one, copies);

        printf("  %-26s %6.2f  [%.2f to %.2f]   processor time %4.2f   paper: %s\n", rows[i].name,
               speedup.median, speedup.least, speedup.most, paper_cpu_ratio(copies, one).median,
               rows[i].paper);
    }
    printf("  %-26s %6.2f\n", "UMS, one copy on half", paper_ratio(one, half).median);
    printf("  processor time: of a copy, over that of the program without threads; idle spinning\n"
           "  and thread management are what is above 1\n");
    reached.median /= share;
    missed += bar("UMS with the allocator: share of the ideal", reached, true, 0.9);
    missed += bar("... against kernel threads",
                  paper_ratio(plan_find(plan, "table5", "two copies", "kernel", 2), ums), true, 1);
    return missed;
}

int tables_print(const struct plan *plan, const struct machine *machine,
                 const struct paper_options *options)
{
    int missed = 0;

    printf("%s, %ld cores, %ld MiB; %s; %s; %s\n", machine->cpu, machine->cores,
           machine->memory_mib, machine->kernel, machine->system, machine->date);
    printf("%d rounds, medians; ratios are medians of the rounds' ratios\n", options->repeat);
    missed += table1(plan);
    figure2(plan);
    missed += figure3(plan, false);
    missed += figure3(plan, true);
    missed += table5(plan);
    return missed;
}
