/* SPDX-License-Identifier: MIT
 *
 * server - a TCP server: a thread or a UMS worker for each connection, in blocking style; or a few
 * UMS workers over a completion port.
 *
 * Prints its port, serves until its standard input ends, then prints what it did.
 */
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const HOST *g_host = &g_umsHost;

static int Usage(const char *what, const char *value)
{
    fprintf(stderr,
            "server: %s%s; try: server [--mode ums|port|threads] [--schedulers 1..%d] "
            "[--port 0..65535]\n",
            what, value, MAX_SCHEDULERS);
    return 2;
}

static BOOL Number(const char *text, int least, int most, int *number)
{
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : 0;

    if (!text || end == text || *end || value < least || value > most)
        return FALSE;
    *number = (int)value;
    return TRUE;
}

static int Failure(const char *what)
{
    fprintf(stderr, "server: cannot %s, last error %lu\n", what, (unsigned long)GetLastError());
    return 1;
}

static int Run(unsigned short port, int schedulers)
{
    ULONGLONG until;
    char line[16];
    BOOL good;

    if (!g_host->start(schedulers))
        return Failure("start");
    if (!StartAccepting(&port))
        return Failure("listen");
    printf("port %d\n", port);
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin))
        ;
    good = StopAccepting();
    until = GetTickCount64() + END_MS;
    while (g_live && GetTickCount64() < until)
        Sleep(1);
    printf("requests %lld, refused %ld, left %ld\n", (long long)g_requests, (long)g_refused,
           (long)g_live);
    fflush(stdout);
    if (g_live)
        ExitProcess(1); /* they still use what stop would take away */
    return g_host->stop() && good && !g_refused ? 0 : 1;
}

int main(int argc, char **argv)
{
    int schedulers = 0, port = 0;
    int i;

    for (i = 1; i < argc; i += 2) {
        const char *value = argv[i + 1];

        if (!strcmp(argv[i], "--mode") && value && !strcmp(value, "ums"))
            g_host = &g_umsHost;
        else if (!strcmp(argv[i], "--mode") && value && !strcmp(value, "port"))
            g_host = &g_portHost;
        else if (!strcmp(argv[i], "--mode") && value && !strcmp(value, "threads"))
            g_host = &g_threadHost;
        else if (!strcmp(argv[i], "--schedulers") && Number(value, 1, MAX_SCHEDULERS, &schedulers))
            continue;
        else if (!strcmp(argv[i], "--port") && Number(value, 0, 65535, &port))
            continue;
        else
            return Usage("cannot make sense of ", argv[i]);
    }
    if (!schedulers) {
        SYSTEM_INFO info;

        GetSystemInfo(&info);
        schedulers = info.dwNumberOfProcessors < MAX_SCHEDULERS ? (int)info.dwNumberOfProcessors
                                                                : MAX_SCHEDULERS;
    }
    return Run((unsigned short)port, schedulers);
}
