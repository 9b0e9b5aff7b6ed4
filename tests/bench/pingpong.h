/* SPDX-License-Identifier: MIT
 *
 * pingpong.h - one byte to and fro over two pipes: the same loop for workers and for threads.
 *
 * Two ways to make a call: through libc, as programs do, and as a bare system call, which no
 * wrapper in user mode can shorten.
 */
#ifndef UMSSHIM_TESTS_BENCH_PINGPONG_H
#define UMSSHIM_TESTS_BENCH_PINGPONG_H

#include "bench.h"
#include "../support/bare_call.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

struct pingpong {
    int there[2];
    int back[2];
    bool bare_read;
    bool bare_write;
    uint64_t warm;
    uint64_t trips;
    uint64_t start_ns;
    uint64_t end_ns;
};

static inline void pingpong_init(struct pingpong *game, const struct bench_scale *scale)
{
    game->trips = scale->trips;
    game->warm = scale->trips / 10 + 1;
    if (pipe(game->there) != 0 || pipe(game->back) != 0)
        bench_fail("pipe", errno);
}

static inline void pingpong_receive(const struct pingpong *game, int fd)
{
    char byte = 0;
    long got = game->bare_read ? bare_call(SYS_read, fd, &byte, 1) : read(fd, &byte, 1);

    if (got != 1)
        bench_fail("read", errno);
}

static inline void pingpong_send(const struct pingpong *game, int fd)
{
    char byte = 'x';
    long sent = game->bare_write ? bare_call(SYS_write, fd, &byte, 1) : write(fd, &byte, 1);

    if (sent != 1)
        bench_fail("write", errno);
}

static inline void pingpong_serve(struct pingpong *game)
{
    for (uint64_t i = 0; i < game->warm + game->trips; i++) {
        if (i == game->warm)
            game->start_ns = bench_now_ns();
        pingpong_send(game, game->there[1]);
        pingpong_receive(game, game->back[0]);
    }
    game->end_ns = bench_now_ns();
}

static inline void pingpong_return(struct pingpong *game)
{
    for (uint64_t i = 0; i < game->warm + game->trips; i++) {
        pingpong_receive(game, game->there[0]);
        pingpong_send(game, game->back[1]);
    }
}

static inline double pingpong_us(const struct pingpong *game)
{
    return (double)(game->end_ns - game->start_ns) / 1000.0 / (double)game->trips;
}

#endif
