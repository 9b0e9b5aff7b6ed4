/* SPDX-License-Identifier: MIT
 *
 * block.c - what the two players of each kind do to send a token and to wait for one.
 */
#define _GNU_SOURCE
#include "block.h"

#include "../support/bare_call.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One direction: a token goes in at one end and comes out at the other. */
struct way {
    int in, out;
    int set; /* epoll's */
    FILE *file_in, *file_out;
    sem_t semaphore;
    _Atomic uint32_t word; /* the futex: 1 when there is a token */
};

struct way_kind {
    void (*open)(struct way *way);
    void (*send)(struct way *way);
    void (*receive)(struct way *way);
};

struct block_game {
    enum block_kind kind;
    struct way there, back;
    uint64_t warm, trips, start_ns, end_ns;
    pthread_mutex_t mutex; /* the condition's */
    pthread_cond_t turned;
    unsigned turn;
};

static void must(bool good, const char *what)
{
    if (!good)
        bench_fail(what, errno);
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

static void open_pipe(struct way *way)
{
    int ends[2];

    must(pipe(ends) == 0, "pipe");
    way->out = ends[0];
    way->in = ends[1];
}

static void send_libc(struct way *way)
{
    char byte = 'x';

    must(write(way->in, &byte, 1) == 1, "write");
}

static void receive_libc(struct way *way)
{
    char byte;

    must(read(way->out, &byte, 1) == 1, "read");
}

static void send_bare(struct way *way)
{
    char byte = 'x';

    must(bare_call(SYS_write, way->in, &byte, 1) == 1, "bare write");
}

static void receive_bare(struct way *way)
{
    char byte = 0;

    must(bare_call(SYS_read, way->out, &byte, 1) == 1, "bare read");
}

static void send_by_number(struct way *way)
{
    char byte = 'x';

    must(syscall(SYS_write, way->in, &byte, 1) == 1, "write by syscall()");
}

static void receive_by_number(struct way *way)
{
    char byte;

    must(syscall(SYS_read, way->out, &byte, 1) == 1, "read by syscall()");
}

static void open_sockets(struct way *way)
{
    int ends[2];

    must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    way->out = ends[0];
    way->in = ends[1];
}

static void send_socket(struct way *way)
{
    char byte = 'x';

    must(send(way->in, &byte, 1, 0) == 1, "send");
}

static void receive_socket(struct way *way)
{
    char byte;

    must(recv(way->out, &byte, 1, 0) == 1, "recv");
}

static void open_event(struct way *way)
{
    way->in = way->out = eventfd(0, 0);
    must(way->in >= 0, "eventfd");
}

static void send_event(struct way *way)
{
    uint64_t one = 1;

    must(write(way->in, &one, sizeof(one)) == sizeof(one), "write to an eventfd");
}

static void receive_event(struct way *way)
{
    uint64_t count;

    must(read(way->out, &count, sizeof(count)) == sizeof(count), "read from an eventfd");
}

static void open_stdio(struct way *way)
{
    open_pipe(way);
    way->file_in = fdopen(way->in, "w");
    way->file_out = fdopen(way->out, "r");
    must(way->file_in && way->file_out, "fdopen");
    setvbuf(way->file_in, NULL, _IONBF, 0);
    setvbuf(way->file_out, NULL, _IONBF, 0);
}

static void send_stdio(struct way *way)
{
    must(fputc('x', way->file_in) == 'x', "fputc");
}

static void receive_stdio(struct way *way)
{
    must(fgetc(way->file_out) == 'x', "fgetc");
}

static void receive_poll(struct way *way)
{
    struct pollfd ready = {.fd = way->out, .events = POLLIN};

    must(poll(&ready, 1, -1) == 1, "poll");
    receive_libc(way);
}

static void open_epoll(struct way *way)
{
    struct epoll_event interest = {.events = EPOLLIN};

    open_pipe(way);
    way->set = epoll_create1(0);
    must(way->set >= 0 && epoll_ctl(way->set, EPOLL_CTL_ADD, way->out, &interest) == 0, "epoll");
}

static void receive_epoll(struct way *way)
{
    struct epoll_event event;

    must(epoll_wait(way->set, &event, 1, -1) == 1, "epoll_wait");
    receive_libc(way);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void open_semaphore(struct way *way)
{
    must(sem_init(&way->semaphore, 0, 0) == 0, "sem_init");
}

static void send_semaphore(struct way *way)
{
    must(sem_post(&way->semaphore) == 0, "sem_post");
}

static void receive_semaphore(struct way *way)
{
    while (sem_wait(&way->semaphore) != 0)
        must(errno == EINTR, "sem_wait");
}

static void open_futex(struct way *way)
{
    atomic_init(&way->word, 0);
}

static void send_futex(struct way *way)
{
    atomic_store(&way->word, 1);
    must(syscall(SYS_futex, &way->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) >= 0, "futex wake");
}

static void receive_futex(struct way *way)
{
    while (!atomic_exchange(&way->word, 0))
        if (syscall(SYS_futex, &way->word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) != 0)
            must(errno == EAGAIN || errno == EINTR, "futex wait");
}

/* Without functions: it is played otherwise, by take_turns or make_calls. */
static const struct way_kind way_kinds[] = {
    [BLOCK_pipe] = {open_pipe, send_libc, receive_libc},
    [BLOCK_socketpair] = {open_sockets, send_socket, receive_socket},
    [BLOCK_bare] = {open_pipe, send_bare, receive_bare},
    [BLOCK_number] = {open_pipe, send_by_number, receive_by_number},
    [BLOCK_eventfd] = {open_event, send_event, receive_event},
    [BLOCK_stdio] = {open_stdio, send_stdio, receive_stdio},
    [BLOCK_poll] = {open_pipe, send_libc, receive_poll},
    [BLOCK_epoll] = {open_epoll, send_libc, receive_epoll},
    [BLOCK_semaphore] = {open_semaphore, send_semaphore, receive_semaphore},
    [BLOCK_futex] = {open_futex, send_futex, receive_futex},
    [BLOCK_condition] = {0},
    [BLOCK_open] = {0},
    [BLOCK_write] = {0},
};

/* ---- The games ------------------------------------------------------------------------------- */

struct block_game *block_init(enum block_kind kind, const struct bench_scale *scale)
{
    struct block_game *game = aligned_alloc(64, (sizeof(*game) + 63) / 64 * 64);

    if (!game)
        bench_fail("no memory for the game", ENOMEM);
    *game = (struct block_game){
        .kind = kind, .mutex = PTHREAD_MUTEX_INITIALIZER, .turned = PTHREAD_COND_INITIALIZER};
    game->trips = scale->trips;
    if (kind == BLOCK_open || kind == BLOCK_write)
        game->trips = scale->calls / 10;
    game->warm = game->trips / 10 + 1;
    if (way_kinds[kind].open) {
        way_kinds[kind].open(&game->there);
        way_kinds[kind].open(&game->back);
    }
    return game;
}

/* Like the hand-over of the group yield: both in one condition, the mutex held between the waits. */
static void take_turns(struct block_game *game, unsigned me)
{
    pthread_mutex_lock(&game->mutex);
    for (uint64_t i = 0; i < game->warm + game->trips; i++) {
        if (!me && i == game->warm)
            game->start_ns = bench_now_ns();
        while (game->turn != me)
            pthread_cond_wait(&game->turned, &game->mutex);
        game->turn = !me;
        pthread_cond_signal(&game->turned);
    }
    if (!me)
        game->end_ns = bench_now_ns();
    pthread_mutex_unlock(&game->mutex);
}

static void open_and_close(void)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    must(fd >= 0, "/dev/null");
    close(fd);
}

static void make_calls(struct block_game *game)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    char byte = 'x';

    must(null >= 0, "/dev/null");
    for (uint64_t i = 0; i < game->warm + game->trips; i++) {
        if (i == game->warm)
            game->start_ns = bench_now_ns();
        if (game->kind == BLOCK_open)
            open_and_close();
        else
            must(write(null, &byte, 1) == 1, "write to /dev/null");
    }
    game->end_ns = bench_now_ns();
    close(null);
}

void block_play_first(struct block_game *game)
{
    const struct way_kind *kind = &way_kinds[game->kind];

    if (game->kind == BLOCK_condition) {
        take_turns(game, 0);
        return;
    }
    if (!kind->send) {
        make_calls(game);
        return;
    }
    for (uint64_t i = 0; i < game->warm + game->trips; i++) {
        if (i == game->warm)
            game->start_ns = bench_now_ns();
        kind->send(&game->there);
        kind->receive(&game->back);
    }
    game->end_ns = bench_now_ns();
}

void block_play_second(struct block_game *game)
{
    const struct way_kind *kind = &way_kinds[game->kind];

    if (game->kind == BLOCK_condition) {
        take_turns(game, 1);
        return;
    }
    for (uint64_t i = 0; i < game->warm + game->trips; i++) {
        kind->receive(&game->there);
        kind->send(&game->back);
    }
}

double block_trips(const struct block_game *game)
{
    return (double)(game->warm + game->trips);
}

void block_emit(const struct block_game *game)
{
    double each = (double)(game->end_ns - game->start_ns) / (double)game->trips;

    if (way_kinds[game->kind].send || game->kind == BLOCK_condition)
        bench_emit("trip", each / 1000.0);
    else
        bench_emit("call", each);
}
