/* SPDX-License-Identifier: MIT
 *
 * server.h - what the two servers share: a connection, and the code that serves it.
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include <Windows.h>

#include "net.h"

/* connection.c: blocks until the other side closes. How many requests it answered. */
long ServeConnection(NET_SOCKET socket);
extern volatile LONG g_live;         /* connections that are being served */
extern volatile LONGLONG g_requests; /* of those that are over */

/* A way to run connections. */
typedef struct HOST {
    const char *name;
    BOOL (*start)(int schedulers);
    /* Takes over the socket. FALSE: it cannot be served, and was closed. */
    BOOL (*serve)(NET_SOCKET socket);
    /* Between two requests of a connection: others' turn, where nobody takes it by force. */
    VOID (*turn)(VOID);
    /* When g_live is 0. FALSE: it did not end well. */
    BOOL (*stop)(VOID);
} HOST;

extern const HOST *g_host;

extern const HOST g_threadHost; /* one thread for each connection */
extern const HOST g_umsHost;    /* one worker for each connection, on a few schedulers */

enum { STACK_BYTES = 256 * 1024, MAX_SCHEDULERS = 64, END_MS = 10000 };

#endif
