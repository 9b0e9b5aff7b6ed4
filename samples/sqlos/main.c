/* SPDX-License-Identifier: MIT
 *
 * sqlos - a cooperative scheduler per processor, in the manner of SQL Server's, at work.
 *
 * The same sessions run four times, with memory objects that are global, per node, per processor,
 * dynamic. A line now and then while they do; with --report tables of waits and schedulers; a
 * verdict.
 */
#include "demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int Usage(const char *what, const char *value)
{
    fprintf(stderr,
            "sqlos: %s%s; try: sqlos [--report] [--seconds 1..60] [--schedulers 1..%d] "
            "[--nodes 1..schedulers]\n",
            what, value, SOS_MAX_SCHEDULERS);
    return 2;
}

/* TRUE and the number, if the text is one in these bounds and nothing else. */
static BOOL Number(const char *text, int least, int most, int *number)
{
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : 0;

    if (!text || end == text || *end || value < least || value > most)
        return FALSE;
    *number = (int)value;
    return TRUE;
}

/* 0, or the exit code. */
static int ReadOptions(int count, char **words, DEMO_OPTIONS *options)
{
    int i;

    for (i = 1; i < count; i++) {
        BOOL good = TRUE;

        if (!strcmp(words[i], "--report")) {
            options->report = TRUE;
            continue;
        }
        if (!strcmp(words[i], "--seconds"))
            good = Number(words[i + 1], 1, 60, &options->seconds);
        else if (!strcmp(words[i], "--schedulers"))
            good = Number(words[i + 1], 1, SOS_MAX_SCHEDULERS, &options->schedulers);
        else if (!strcmp(words[i], "--nodes"))
            good = Number(words[i + 1], 1, SOS_MAX_SCHEDULERS, &options->nodes);
        else
            return Usage("no such option: ", words[i]);
        if (!good)
            return Usage("needs a number in its range: ", words[i]);
        i++;
    }
    return 0;
}

/* Two schedulers at least, for there is nothing to contend about with one; two nodes from there. */
static VOID Complete(DEMO_OPTIONS *options)
{
    if (!options->schedulers) {
        SYSTEM_INFO info;

        GetSystemInfo(&info);
        options->schedulers = info.dwNumberOfProcessors < 2 ? 2 : (int)info.dwNumberOfProcessors;
        if (options->schedulers > SOS_MAX_SCHEDULERS)
            options->schedulers = SOS_MAX_SCHEDULERS;
    }
    if (!options->nodes)
        options->nodes = options->schedulers > 1 ? 2 : 1;
}

/* Whatever hangs, the program does not. */
static DWORD WINAPI Watchdog(LPVOID param)
{
    DWORD limit = *(DWORD *)param;

    Sleep(limit);
    printf("verdict: FAILED, not over after %lu ms\n", (unsigned long)limit);
    fflush(stdout);
    ExitProcess(1);
}

int main(int argc, char **argv)
{
    DEMO_OPTIONS options = {0, 0, 2, FALSE};
    SOS_CONFIG config = {0};
    PHASE phases[PHASES];
    DWORD limit;
    HANDLE watchdog;
    BOOL good;
    int i = ReadOptions(argc, argv, &options);

    if (i)
        return i;
    Complete(&options);
    if (options.nodes > options.schedulers)
        return Usage("more nodes than schedulers", "");
    config.schedulers = options.schedulers;
    config.nodes = options.nodes;
    limit = (DWORD)options.seconds * 1000 + LIMIT_MS;
    watchdog = CreateThread(NULL, 0, Watchdog, &limit, 0, NULL);
    if (!watchdog || !PrepareWorkload() || !SosStart(&config)) {
        printf("verdict: FAILED, preparing, last error %lu\n", (unsigned long)GetLastError());
        return 1;
    }
    ZeroMemory(phases, sizeof(phases));
    printf("%d schedulers in %d nodes, %d sessions each\n", SosSchedulerCount(), SosNodeCount(),
           SESSIONS_EACH);
    for (i = 0; i < PHASES; i++) {
        phases[i].partitioning = (SOS_PARTITIONING)i;
        RunPhase(&phases[i], (DWORD)options.seconds * 1000 / PHASES, PrintLive);
    }
    PrintPhases(phases);
    if (options.report)
        PrintTables();
    good = Judge(phases);
    good = SosStop(LIMIT_MS) && good;
    printf("verdict: %s\n", good ? "OK" : "FAILED");
    return good ? 0 : 1;
}
