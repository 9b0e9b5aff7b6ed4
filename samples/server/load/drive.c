/* SPDX-License-Identifier: MIT
 *
 * drive.c - one run: each connection sends a request, waits for its reply, and sends the next.
 *
 * The latency of a request is from before its send to after its receive.
 */
#include "load.h"

#include "../protocol.h"
#include "lines.h"

#include <stdlib.h>
#include <string.h>

enum { WARM_MS = 300, STALL_MS = 30000, ARRIVALS = 256 };

struct connection {
    unsigned got; /* bytes of the reply */
    uint64_t sent_at;
    struct message request, reply;
};

struct run {
    struct connection *connections;
    int count;
    uint64_t next_id, from, until; /* latencies count between the two */
    uint32_t *latencies;           /* units of 10 ns */
    size_t samples, room;
    long answered, wrong;
    int waiting; /* connections with a request under way */
};

static bool expect_rest(struct run *run, struct connection *connection)
{
    return line_expect((int)(connection - run->connections),
                       (char *)&connection->reply + connection->got,
                       (int)(sizeof(connection->reply) - connection->got));
}

static bool send_next(struct run *run, struct connection *connection)
{
    struct message *request = &connection->request;

    request->id = ++run->next_id;
    request->sum = 0;
    memset(request->text, (int)request->id, sizeof(request->text));
    connection->got = 0;
    connection->sent_at = now_ns();
    if (!expect_rest(run, connection) ||
        !line_send((int)(connection - run->connections), request, sizeof(*request)))
        return false;
    run->waiting++;
    return true;
}

static bool connect_all(struct run *run, unsigned short port)
{
    for (int i = 0; i < run->count; i++)
        if (!line_connect(i, port))
            return false;
    return true;
}

static void record(struct run *run, uint64_t sent_at, uint64_t now)
{
    if (sent_at < run->from || now > run->until || run->samples == run->room)
        return;
    run->latencies[run->samples++] = (uint32_t)((now - sent_at) / 10);
}

/* False: the connection is broken. */
static bool take_reply(struct run *run, struct connection *connection, int bytes)
{
    uint64_t now;

    if (bytes <= 0)
        return false;
    connection->got += (unsigned)bytes;
    if (connection->got < sizeof(connection->reply))
        return expect_rest(run, connection);
    now = now_ns();
    run->waiting--;
    run->answered++;
    if (connection->reply.id != connection->request.id ||
        connection->reply.sum != message_sum(&connection->request))
        run->wrong++;
    record(run, connection->sent_at, now);
    return now >= run->until || send_next(run, connection);
}

/* Until the time is over and every reply is there. */
static bool exchange(struct run *run)
{
    struct arrival arrivals[ARRIVALS];

    for (int i = 0; i < run->count; i++)
        if (!send_next(run, &run->connections[i]))
            return false;
    while (run->waiting > 0) {
        int count = lines_arrived(arrivals, ARRIVALS, STALL_MS);

        if (count == 0) {
            fprintf(stderr, "server_load: %d of %d connections wait, and for %d s nothing came\n",
                    run->waiting, run->count, STALL_MS / 1000);
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (!take_reply(run, &run->connections[arrivals[i].line], arrivals[i].bytes)) {
                fprintf(stderr, "server_load: the server closed a connection\n");
                return false;
            }
        }
    }
    return true;
}

static int by_size(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

static double quantile_us(const struct run *run, double part)
{
    size_t at = (size_t)(part * (double)run->samples);

    if (run->samples == 0)
        return 0;
    return run->latencies[at < run->samples ? at : run->samples - 1] / 100.0;
}

static void summarise(struct run *run, struct result *result)
{
    qsort(run->latencies, run->samples, sizeof(*run->latencies), by_size);
    result->requests_per_second = (double)run->samples * 1e9 / (double)(run->until - run->from);
    result->median_us = quantile_us(run, 0.5);
    result->p99_us = quantile_us(run, 0.99);
    result->p999_us = quantile_us(run, 0.999);
    result->worst_us = quantile_us(run, 1);
    result->requests = run->answered;
    result->wrong = run->wrong;
}

static bool measure(const struct load_options *options, struct server_process *server,
                    struct run *run, struct result *result)
{
    double before = server_rss_kib(server);
    double cpu;
    bool good = lines_open(run->count) && connect_all(run, server->port);

    if (good) {
        cpu = server_cpu_seconds(server);
        run->from = now_ns() + WARM_MS * 1000000ull;
        run->until = run->from + (uint64_t)options->seconds * 1000000000u;
        good = exchange(run);
        cpu = server_cpu_seconds(server) - cpu;
        result->rss_mib = server_rss_kib(server) / 1024;
        result->kib_a_connection = (server_rss_kib(server) - before) / run->count;
        summarise(run, result);
        if (run->answered)
            result->cpu_us_a_request = cpu * 1e6 / (double)run->answered;
    }
    lines_close();
    return good;
}

/* True: exit code 0, and it answered this many requests. */
static bool server_stop(struct server_process *server, long requests)
{
    long answered = -1, refused = -1, left = -1;
    int status;
    bool good;

    server_close_input(server);
    good = fscanf(server->output, " requests %ld, refused %ld, left %ld", &answered, &refused,
                  &left) == 3;
    status = server_end(server);
    fclose(server->output);
    good = good && status == 0 && answered == requests && refused == 0 && left == 0;
    if (!good)
        fprintf(stderr,
                "server_load: the server ended with status %d; it answered %ld requests of %ld, "
                "refused %ld connections, left %ld\n",
                status, answered, requests, refused, left);
    return good;
}

bool drive(const struct load_options *options, const char *mode, struct result *result)
{
    struct run run = {.count = options->connections, .room = (size_t)options->seconds * 500000};
    struct server_process server;
    bool good;

    memset(result, 0, sizeof(*result));
    run.connections = calloc((size_t)run.count, sizeof(*run.connections));
    run.latencies = calloc(run.room, sizeof(*run.latencies));
    good = run.connections && run.latencies;
    if (good) {
        good = server_start(&server, options, mode);
        if (good) {
            good = measure(options, &server, &run, result);
            result->ended_well = server_stop(&server, run.answered);
        }
    }
    free(run.latencies);
    free(run.connections);
    return good;
}
