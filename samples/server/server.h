/* SPDX-License-Identifier: MIT
 *
 * server.h - what the servers share: how connections come, how each is served, who runs them.
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include <winsock2.h>

#include <Windows.h>

extern volatile LONG g_live;         /* connections that are being served */
extern volatile LONGLONG g_requests; /* of those that are over */

/* connection.c: serves it in blocking calls until the other side closes, and closes it. */
VOID ServeConnection(SOCKET socket);

/* A way to run connections. */
typedef struct HOST {
    const char *name;
    BOOL (*start)(int schedulers);
    /* Takes over the socket, which is counted in g_live until it is over. FALSE: it cannot be
     * served; it is still the caller's. */
    BOOL (*serve)(SOCKET socket);
    /* Between two requests of a connection: others' turn, where nobody takes it by force. */
    VOID (*turn)(VOID);
    /* When g_live is 0. FALSE: it did not end well. */
    BOOL (*stop)(VOID);
} HOST;

extern const HOST *g_host;

extern const HOST g_threadHost; /* one thread for each connection */
extern const HOST g_umsHost;    /* one worker for each connection, on a few schedulers */
extern const HOST g_portHost;   /* a few workers, which take what a completion port has */

/* accept.c: listens on the loopback and hands each connection to g_host. */
BOOL StartAccepting(unsigned short *port); /* 0: any port, which it then tells */
BOOL StopAccepting(VOID);                  /* FALSE: it did not end well */
extern LONG g_refused;                     /* connections that could not be served */

enum { STACK_BYTES = 256 * 1024, MAX_SCHEDULERS = 64, END_MS = 60000 };

#endif
