/* SPDX-License-Identifier: MIT
 *
 * drive.c - one run: each connection sends a request, waits for its reply, and sends the next.
 *
 * One thread and epoll, so that the load takes as little of the machine from the server as it can.
 * The latency of a request is from before its send to after its receive.
 */
#define _GNU_SOURCE
#include "load.h"

#include "../protocol.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { WARM_MS = 300, STALL_MS = 10000 };

struct connection {
    int fd;
    unsigned got; /* bytes of the reply */
    uint64_t sent_at;
    struct message request, reply;
};

struct run {
    struct connection *connections;
    int count, epoll;
    uint64_t next_id, from, until; /* latencies count between the two */
    uint32_t *latencies;           /* units of 10 ns */
    size_t samples, room;
    long answered, wrong;
    int waiting; /* connections with a request under way */
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool send_next(struct run *run, struct connection *connection)
{
    struct message *request = &connection->request;

    request->id = ++run->next_id;
    request->sum = 0;
    memset(request->text, (int)request->id, sizeof(request->text));
    connection->got = 0;
    connection->sent_at = now_ns();
    if (send(connection->fd, request, sizeof(*request), MSG_NOSIGNAL) != sizeof(*request))
        return false;
    run->waiting++;
    return true;
}

static bool connect_all(struct run *run, unsigned short port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;

    for (int i = 0; i < run->count; i++) {
        struct connection *connection = &run->connections[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};

        connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connection->fd < 0 ||
            connect(connection->fd, (struct sockaddr *)&address, sizeof(address)) ||
            setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
            epoll_ctl(run->epoll, EPOLL_CTL_ADD, connection->fd, &event)) {
            fprintf(stderr, "server_load: connection %d: %s\n", i, strerror(errno));
            return false;
        }
    }
    return true;
}

static void record(struct run *run, uint64_t sent_at, uint64_t now)
{
    if (sent_at < run->from || now > run->until || run->samples == run->room)
        return;
    run->latencies[run->samples++] = (uint32_t)((now - sent_at) / 10);
}

/* False: the connection is broken. */
static bool take_reply(struct run *run, struct connection *connection)
{
    ssize_t got = recv(connection->fd, (char *)&connection->reply + connection->got,
                       sizeof(connection->reply) - connection->got, MSG_DONTWAIT);
    uint64_t now;

    if (got < 0 && errno == EAGAIN)
        return true;
    if (got <= 0)
        return false;
    connection->got += (unsigned)got;
    if (connection->got < sizeof(connection->reply))
        return true;
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
    struct epoll_event events[256];

    for (int i = 0; i < run->count; i++)
        if (!send_next(run, &run->connections[i]))
            return false;
    while (run->waiting > 0) {
        int ready = epoll_wait(run->epoll, events, 256, STALL_MS);

        if (ready == 0) {
            fprintf(stderr, "server_load: %d of %d connections wait, and for %d s nothing came\n",
                    run->waiting, run->count, STALL_MS / 1000);
            return false;
        }
        for (int i = 0; i < ready; i++) {
            if (!take_reply(run, events[i].data.ptr)) {
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
    bool good = connect_all(run, server->port);

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
    for (int i = 0; i < run->count; i++)
        if (run->connections[i].fd > 0)
            close(run->connections[i].fd);
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
    run.epoll = epoll_create1(EPOLL_CLOEXEC);
    good = run.connections && run.latencies && run.epoll >= 0;
    if (good) {
        good = server_start(&server, options, mode);
        if (good) {
            good = measure(options, &server, &run, result);
            result->ended_well = server_stop(&server, run.answered);
        }
    }
    if (run.epoll >= 0)
        close(run.epoll);
    free(run.latencies);
    free(run.connections);
    return good;
}
