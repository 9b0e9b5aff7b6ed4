/* SPDX-License-Identifier: MIT
 *
 * channel_linux.c - channels as local sockets that keep messages apart, abstractly named.
 *
 * The kernel closes a socket with its process, however that ends, and an abstract name goes with
 * the socket: nothing is left behind by a crash.
 */
#define _GNU_SOURCE
#include "channel.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct channel {
    int socket;
    uint64_t usable;
};

struct exchange {
    int listener;
    int stop;
    int programs[CHANNEL_MAX_PROGRAMS]; /* -1: nobody */
    int first;                          /* asked first next time, so that nobody is passed over */
};

static socklen_t address_of(const char *name, struct sockaddr_un *address)
{
    int length;

    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    length = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "fastthreads/%s", name);
    if (length < 0 || (size_t)length >= sizeof(address->sun_path) - 1) {
        errno = ENAMETOOLONG;
        return 0;
    }
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

struct channel *channel_open(const char *name, uint64_t usable)
{
    struct sockaddr_un address;
    socklen_t length = address_of(name, &address);
    struct channel *channel = malloc(sizeof(*channel));

    if (!length || !channel) {
        free(channel);
        return NULL;
    }
    channel->usable = usable;
    channel->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (channel->socket < 0 || connect(channel->socket, (struct sockaddr *)&address, length) != 0) {
        channel_close(channel);
        return NULL;
    }
    return channel;
}

bool channel_hint(struct channel *channel, struct channel_hint *hint)
{
    hint->usable = channel->usable;
    return send(channel->socket, hint, sizeof(*hint), MSG_DONTWAIT | MSG_NOSIGNAL) ==
           (ssize_t)sizeof(*hint);
}

bool channel_receive(struct channel *channel, struct channel_grant *grant)
{
    ssize_t got;

    do
        got = recv(channel->socket, grant, sizeof(*grant), 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof(*grant);
}

void channel_shut(struct channel *channel)
{
    shutdown(channel->socket, SHUT_RDWR);
}

void channel_close(struct channel *channel)
{
    if (!channel)
        return;
    if (channel->socket >= 0)
        close(channel->socket);
    free(channel);
}

struct exchange *exchange_open(const char *name)
{
    struct sockaddr_un address;
    socklen_t length = address_of(name, &address);
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    sigset_t ends;

    if (!length || !exchange) {
        free(exchange);
        return NULL;
    }
    memset(exchange->programs, -1, sizeof(exchange->programs));
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    exchange->stop = signalfd(-1, &ends, SFD_CLOEXEC);
    exchange->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (exchange->stop < 0 || exchange->listener < 0 ||
        bind(exchange->listener, (struct sockaddr *)&address, length) != 0 ||
        listen(exchange->listener, CHANNEL_MAX_PROGRAMS) != 0) {
        int error = errno;

        exchange_close(exchange);
        errno = error;
        return NULL;
    }
    return exchange;
}

static enum channel_event take_in(struct exchange *exchange, int *program)
{
    int socket = accept4(exchange->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    for (int i = 0; socket >= 0 && i < CHANNEL_MAX_PROGRAMS; i++) {
        if (exchange->programs[i] < 0) {
            exchange->programs[i] = socket;
            *program = i;
            return CHANNEL_NEW;
        }
    }
    if (socket >= 0)
        close(socket); /* no room: it goes on without an allocator */
    return CHANNEL_TIME;
}

/* A message of another size is from a client that speaks something else: as good as gone. */
static enum channel_event hear(struct exchange *exchange, int program, struct channel_hint *hint)
{
    ssize_t got = recv(exchange->programs[program], hint, sizeof(*hint), MSG_DONTWAIT | MSG_TRUNC);

    if (got == (ssize_t)sizeof(*hint))
        return CHANNEL_HINT;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return CHANNEL_TIME;
    close(exchange->programs[program]);
    exchange->programs[program] = -1;
    return CHANNEL_GONE;
}

enum channel_event exchange_wait(struct exchange *exchange, int milliseconds, int *program,
                                 struct channel_hint *hint)
{
    struct pollfd set[CHANNEL_MAX_PROGRAMS + 2];

    for (int i = 0; i < CHANNEL_MAX_PROGRAMS; i++)
        set[i] = (struct pollfd){.fd = exchange->programs[i], .events = POLLIN};
    set[CHANNEL_MAX_PROGRAMS] = (struct pollfd){.fd = exchange->listener, .events = POLLIN};
    set[CHANNEL_MAX_PROGRAMS + 1] = (struct pollfd){.fd = exchange->stop, .events = POLLIN};
    if (poll(set, CHANNEL_MAX_PROGRAMS + 2, milliseconds) <= 0)
        return CHANNEL_TIME;
    if (set[CHANNEL_MAX_PROGRAMS + 1].revents)
        return CHANNEL_STOP;
    for (int k = 0; k < CHANNEL_MAX_PROGRAMS; k++) {
        int i = (exchange->first + k) % CHANNEL_MAX_PROGRAMS;

        if (set[i].revents) {
            exchange->first = i + 1;
            *program = i;
            return hear(exchange, i, hint);
        }
    }
    return take_in(exchange, program);
}

uint64_t exchange_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* A client that lets its socket fill up misses this grant, and keeps the one before. */
void exchange_grant(struct exchange *exchange, int program, const struct channel_grant *grant)
{
    if (exchange->programs[program] >= 0)
        (void)!send(exchange->programs[program], grant, sizeof(*grant),
                    MSG_DONTWAIT | MSG_NOSIGNAL);
}

void exchange_close(struct exchange *exchange)
{
    for (int i = 0; i < CHANNEL_MAX_PROGRAMS; i++)
        if (exchange->programs[i] >= 0)
            close(exchange->programs[i]);
    if (exchange->listener >= 0)
        close(exchange->listener);
    if (exchange->stop >= 0)
        close(exchange->stop);
    free(exchange);
}
