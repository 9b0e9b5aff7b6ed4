/* SPDX-License-Identifier: MIT
 *
 * ums_host.c - one UMS worker for each connection, dealt to a few schedulers.
 */
#include "ums_workers.h"

static VOID Connection(LPVOID socket)
{
    ServeConnection((SOCKET)socket);
}

static BOOL Serve(SOCKET socket)
{
    return StartWorker(Connection, (LPVOID)socket);
}

/* A connection whose next request is always there already would never block: then nobody else on
 * its scheduler would ever run. */
static VOID Turn(VOID)
{
    UmsThreadYield(NULL);
}

const HOST g_umsHost = {"ums", StartSchedulers, Serve, Turn, StopSchedulers};
