/* SPDX-License-Identifier: MIT
 *
 * main.c - "PROGRAM ROUNDS SCHEDULERS": does the work and prints the time on the clock and the
 * processor time that it took, in milliseconds. The start of the engine counts.
 */
#include "crew.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

unsigned real_rounds;

void real_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static double milliseconds(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static double on_the_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int count, char **words)
{
    struct rusage used;
    unsigned schedulers = count == 3 ? (unsigned)atoi(words[2]) : 0;
    real_rounds = count == 3 ? (unsigned)atoi(words[1]) : 0;
    if (!real_rounds || schedulers > CREW)
        real_fail(words[0], "usage: ROUNDS SCHEDULERS");
    double begin = on_the_clock();
    crew_run(schedulers, real_work);
    double end = on_the_clock();
    getrusage(RUSAGE_SELF, &used);
    printf("%.1f %.1f\n", end - begin, milliseconds(used.ru_utime) + milliseconds(used.ru_stime));
    return 0;
}
