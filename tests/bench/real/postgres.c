/* SPDX-License-Identifier: MIT
 *
 * postgres.c - each of the crew has a connection to a PostgreSQL server and lets it add two numbers,
 * a round trip each time. libpq's environment (PGHOST, PGPORT, PGUSER, PGDATABASE) says which server.
 */
#include "crew.h"

#include <stdio.h>
#include <stdlib.h>

#include <libpq-fe.h>

static unsigned long sum(PGconn *server, unsigned a, unsigned b)
{
    char first[16], second[16];
    const char *values[] = {first, second};
    snprintf(first, sizeof first, "%u", a);
    snprintf(second, sizeof second, "%u", b);
    PGresult *result =
        PQexecParams(server, "SELECT $1::bigint + $2::bigint", 2, NULL, values, NULL, NULL, 0);
    if (PQresultStatus(result) != PGRES_TUPLES_OK)
        real_fail("SELECT", PQerrorMessage(server));
    unsigned long answer = strtoul(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return answer;
}

void real_work(unsigned index)
{
    PGconn *server = PQconnectdb("");
    if (PQstatus(server) != CONNECTION_OK)
        real_fail("PQconnectdb", PQerrorMessage(server));
    for (unsigned i = 0; i < real_rounds; i++)
        if (sum(server, index, i) != (unsigned long)index + i)
            real_fail("SELECT", "a sum is wrong");
    PQfinish(server);
}
