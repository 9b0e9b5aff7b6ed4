/* SPDX-License-Identifier: MIT
 *
 * server - a TCP server in blocking style: a thread or a UMS worker for each connection.
 *
 * Prints its port, serves until its standard input ends, then prints what it did.
 */
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static NET_SOCKET s_listener;
const HOST *g_host = &g_umsHost;
static volatile LONG s_refused;

static int Usage(const char *what, const char *value)
{
    fprintf(stderr,
            "server: %s%s; try: server [--mode ums|threads] [--schedulers 1..%d] "
            "[--port 0..65535] [--bare]\n",
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

static DWORD WINAPI Acceptor(LPVOID param)
{
    NET_SOCKET socket;

    UNREFERENCED_PARAMETER(param);
    while ((socket = NetAccept(s_listener)) >= 0)
        if (!g_host->serve(socket))
            InterlockedIncrement(&s_refused);
    return 0;
}

static int Run(unsigned short port, int schedulers)
{
    ULONGLONG until;
    HANDLE acceptor;
    char line[16];
    BOOL good;

    s_listener = NetListen(&port);
    if (s_listener < 0) {
        fprintf(stderr, "server: cannot listen on port %d\n", port);
        return 1;
    }
    if (!g_host->start(schedulers)) {
        fprintf(stderr, "server: cannot start, last error %lu\n", (unsigned long)GetLastError());
        return 1;
    }
    acceptor = CreateThread(NULL, 0, Acceptor, NULL, 0, NULL);
    if (!acceptor)
        return 1;
    printf("port %d\n", port);
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin))
        ;
    NetStop(s_listener);
    good = WaitForSingleObject(acceptor, END_MS) == WAIT_OBJECT_0;
    until = GetTickCount64() + END_MS;
    while (g_live && GetTickCount64() < until)
        Sleep(1);
    printf("requests %lld, refused %ld, left %ld\n", (long long)g_requests, (long)s_refused,
           (long)g_live);
    fflush(stdout);
    if (g_live)
        ExitProcess(1); /* they still use what stop would take away */
    return g_host->stop() && good && !s_refused ? 0 : 1;
}

int main(int argc, char **argv)
{
    int schedulers = 0, port = 0;
    int i;

    for (i = 1; i < argc; i += 2) {
        const char *value = argv[i + 1];

        if (!strcmp(argv[i], "--bare")) {
            if (!NetCallBare())
                return Usage("no such calls here: ", argv[i]);
            i--; /* it has no value */
            continue;
        }
        if (!strcmp(argv[i], "--mode") && value && !strcmp(value, "ums"))
            g_host = &g_umsHost;
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
