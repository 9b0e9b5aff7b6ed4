/* SPDX-License-Identifier: MIT
 *
 * block.h - two that wait for each other, in each of the ways a program blocks: the same loops for
 * workers and for threads.
 *
 * A kind is a way to wait. One side sends a token and waits for the answer, the other waits and
 * answers; a kind that does not wait is a loop of calls on one side.
 */
#ifndef UMSSHIM_TESTS_BENCH_BLOCK_H
#define UMSSHIM_TESTS_BENCH_BLOCK_H

#include "bench.h"

/* BLOCK_KIND(name): the probe is "block-name". Two players each. */
#define BLOCK_KINDS(BLOCK_KIND)                                                                    \
    BLOCK_KIND(pipe)                                                                               \
    BLOCK_KIND(socketpair)                                                                         \
    BLOCK_KIND(bare)                                                                               \
    BLOCK_KIND(number)                                                                             \
    BLOCK_KIND(eventfd)                                                                            \
    BLOCK_KIND(stdio)                                                                              \
    BLOCK_KIND(poll)                                                                               \
    BLOCK_KIND(epoll)                                                                              \
    BLOCK_KIND(condition)                                                                          \
    BLOCK_KIND(semaphore)                                                                          \
    BLOCK_KIND(futex)

/* BLOCK_CALL(name): the probe is "nowait-name". One player. */
#define BLOCK_CALLS(BLOCK_CALL)                                                                    \
    BLOCK_CALL(open)                                                                               \
    BLOCK_CALL(write)

enum block_kind {
#define ROW(name) BLOCK_##name,
    BLOCK_KINDS(ROW) BLOCK_CALLS(ROW)
#undef ROW
};

struct block_game;

struct block_game *block_init(enum block_kind kind, const struct bench_scale *scale);

/* The two players; the first has the clock. A kind that does not wait has the first only. */
void block_play_first(struct block_game *game);
void block_play_second(struct block_game *game);

/* "trip": microseconds a round trip; or "call": nanoseconds. */
void block_emit(const struct block_game *game);

/* Round trips played, warming up included. */
double block_trips(const struct block_game *game);

#endif
