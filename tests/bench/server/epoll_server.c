/* SPDX-License-Identifier: MIT
 *
 * epoll_server.c - samples/server's protocol on epoll: a thread for each processor, each with the
 * connections that were dealt to it, and one that accepts.
 *
 * A connection belongs to its thread from the moment it is in that thread's set. It serves until
 * its standard input ends, then tells what it did, as the sample does.
 */
#define _GNU_SOURCE
#include "../../../samples/server/protocol.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 64, MOST_THREADS = 64, END_MS = 10000 };

struct connection {
    int fd;
    bool sending; /* else receiving */
    size_t at;    /* bytes of the message that are through */
    struct message message;
    long requests;
    uint32_t wanted; /* events */
};

static int sets[MOST_THREADS], listener;
static atomic_long live, answered, refused;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void end(struct connection *connection)
{
    close(connection->fd);
    atomic_fetch_add(&answered, connection->requests);
    free(connection);
    atomic_fetch_sub(&live, 1);
}

/* Until it would have to wait: the set is told what for. False: the other side is gone. */
static bool go_on(struct connection *connection, int set)
{
    for (;;) {
        char *from = (char *)&connection->message + connection->at;
        size_t rest = sizeof(connection->message) - connection->at;
        ssize_t done = connection->sending
                           ? send(connection->fd, from, rest, MSG_NOSIGNAL | MSG_DONTWAIT)
                           : recv(connection->fd, from, rest, MSG_DONTWAIT);
        struct epoll_event event = {connection->sending ? EPOLLOUT : EPOLLIN, {.ptr = connection}};

        if (done < 0 && errno == EAGAIN) {
            if (event.events == connection->wanted)
                return true;
            connection->wanted = event.events;
            return epoll_ctl(set, EPOLL_CTL_MOD, connection->fd, &event) == 0;
        }
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        connection->at += (size_t)done;
        if (connection->at < sizeof(connection->message))
            continue;
        connection->at = 0;
        connection->sending = !connection->sending;
        if (connection->sending) {
            connection->message.sum = message_sum(&connection->message);
        } else {
            connection->requests++;
            return true; /* the set tells when there is more: others' turn */
        }
    }
}

static void *serve(void *of_thread)
{
    int set = *(int *)of_thread;
    struct epoll_event events[EVENTS];

    for (;;) {
        int count = epoll_wait(set, events, EVENTS, -1);

        for (int i = 0; i < count; i++)
            if (!go_on(events[i].data.ptr, set))
                end(events[i].data.ptr);
    }
    return NULL;
}

static void take(int fd, int set)
{
    struct connection *connection = calloc(1, sizeof(*connection));
    struct epoll_event event = {EPOLLIN, {.ptr = connection}};
    int on = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    atomic_fetch_add(&live, 1);
    if (connection) {
        connection->fd = fd;
        connection->wanted = EPOLLIN;
        if (epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0)
            return;
    }
    free(connection);
    close(fd);
    atomic_fetch_add(&refused, 1);
    atomic_fetch_sub(&live, 1);
}

static void *accept_all(void *threads)
{
    unsigned turn = 0;

    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

        if (fd >= 0)
            take(fd, sets[turn++ % *(unsigned *)threads]);
        else if (errno != EINTR && errno != ECONNABORTED)
            return NULL;
    }
}

static int listen_on_loopback(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);

    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) ||
        listen(listener, SOMAXCONN) || getsockname(listener, (struct sockaddr *)&address, &length))
        fail("epoll_server: listen");
    return ntohs(address.sin_port);
}

/* Until all connections are over, or the time is. */
static void wait_for_ends(void)
{
    for (int ms = 0; ms < END_MS && atomic_load(&live); ms++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

int main(void)
{
    static unsigned threads;
    pthread_t acceptor, server;
    char line[16];

    threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    for (unsigned i = 0; i < threads; i++) {
        sets[i] = epoll_create1(EPOLL_CLOEXEC);
        if (sets[i] < 0 || pthread_create(&server, NULL, serve, &sets[i]))
            fail("epoll_server: threads");
    }
    printf("port %d\n", listen_on_loopback());
    fflush(stdout);
    if (pthread_create(&acceptor, NULL, accept_all, &threads))
        fail("epoll_server: threads");
    while (fgets(line, sizeof(line), stdin))
        ;
    shutdown(listener, SHUT_RDWR);
    pthread_join(acceptor, NULL);
    wait_for_ends();
    printf("requests %ld, refused %ld, left %ld\n", atomic_load(&answered), atomic_load(&refused),
           atomic_load(&live));
    return fflush(stdout) == 0 && !atomic_load(&live) && !atomic_load(&refused) ? 0 : 1;
}
