/* SPDX-License-Identifier: MIT
 *
 * redis.c - each of the crew has a connection to a redis server and counts up a key of its own, a
 * round trip each time. REDIS_PORT has the server's port on the loopback address.
 */
#include "crew.h"

#include <stdlib.h>

#include <hiredis/hiredis.h>

static long long count_up(redisContext *server, unsigned index, unsigned by)
{
    redisReply *reply = redisCommand(server, "INCRBY count%u %u", index, by);
    if (!reply || reply->type != REDIS_REPLY_INTEGER)
        real_fail("INCRBY", reply ? reply->str : server->errstr);
    long long count = reply->integer;
    freeReplyObject(reply);
    return count;
}

void real_work(unsigned index)
{
    const char *port = getenv("REDIS_PORT");
    long long expected = 0, count = 0;
    redisContext *server = redisConnect("127.0.0.1", port ? atoi(port) : 6379);
    if (!server || server->err)
        real_fail("redisConnect", server ? server->errstr : "no memory");
    freeReplyObject(redisCommand(server, "DEL count%u", index));
    for (unsigned i = 1; i <= real_rounds; i++) {
        expected += i;
        count = count_up(server, index, i);
    }
    if (count != expected)
        real_fail("INCRBY", "a count is wrong");
    redisFree(server);
}
