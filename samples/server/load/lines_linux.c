/* SPDX-License-Identifier: MIT
 *
 * lines_linux.c - see lines.h.
 */
#define _GNU_SOURCE
#include "lines.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256 };

static struct line {
    int fd; /* 0: none */
    void *place;
    size_t bytes;
} * lines;
static int line_count, epoll_fd = -1;

bool lines_open(int count)
{
    lines = calloc((size_t)count, sizeof(*lines));
    line_count = lines ? count : 0;
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    return lines && epoll_fd >= 0;
}

void lines_close(void)
{
    for (int i = 0; i < line_count; i++)
        if (lines[i].fd > 0)
            close(lines[i].fd);
    if (epoll_fd >= 0)
        close(epoll_fd);
    free(lines);
    line_count = 0;
}

bool line_connect(int line, unsigned short port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)line};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;

    lines[line].fd = fd;
    if (fd > 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0 &&
        epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0)
        return true;
    fprintf(stderr, "server_load: connection %d: %s\n", line, strerror(errno));
    return false;
}

bool line_send(int line, const void *message, int bytes)
{
    return send(lines[line].fd, message, (size_t)bytes, MSG_NOSIGNAL) == bytes;
}

bool line_expect(int line, void *place, int bytes)
{
    lines[line].place = place;
    lines[line].bytes = (size_t)bytes;
    return true;
}

static long long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static int take_arrivals(struct arrival *arrivals, int room, int milliseconds)
{
    struct epoll_event events[EVENTS];
    int ready = epoll_wait(epoll_fd, events, room < EVENTS ? room : EVENTS, milliseconds);
    int count = 0;

    for (int i = 0; i < ready; i++) {
        struct line *line = &lines[events[i].data.u32];
        ssize_t got = recv(line->fd, line->place, line->bytes, MSG_DONTWAIT);

        if (got < 0 && errno == EAGAIN)
            continue;
        arrivals[count++] = (struct arrival){(int)events[i].data.u32, got > 0 ? (int)got : 0};
    }
    return count;
}

/* A signal, or an event with nothing behind it, is no arrival. */
int lines_arrived(struct arrival *arrivals, int room, int milliseconds)
{
    long long end = now_ms() + milliseconds, left = milliseconds;
    int count;

    do {
        count = take_arrivals(arrivals, room, (int)left);
        left = end - now_ms();
    } while (count == 0 && left > 0);
    return count;
}
