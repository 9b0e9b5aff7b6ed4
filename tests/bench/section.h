/* SPDX-License-Identifier: MIT
 *
 * section.h - a lock that several fight for: the same loop for workers, threads and fibers.
 *
 * Each one enters, does a little, leaves. Every eighth time it gives way inside, so that the others
 * come and have to wait, and once more outside, so that one of them gets the lock.
 */
#ifndef UMSSHIM_TESTS_BENCH_SECTION_H
#define UMSSHIM_TESTS_BENCH_SECTION_H

#include "bench.h"

enum { SECTION_GIVE_WAY = 8, SECTION_WORK = 8 };

struct section_game {
    uint64_t each; /* how often each one enters */
    /* All below belongs to the thread that is inside. */
    uint64_t warm;
    uint64_t total;
    uint64_t entered;
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t random;
    unsigned inside;
};

static inline void section_init(struct section_game *game, uint64_t entries, unsigned players)
{
    game->each = entries / players;
    game->total = game->each * players;
    game->warm = game->total / 10 + 1;
    game->random = 1;
}

static inline void section_work(struct section_game *game)
{
    if (game->inside++)
        bench_fail("two are in the section", 0);
    for (int i = 0; i < SECTION_WORK; i++)
        bench_random(&game->random);
    game->entered++;
    if (game->entered == game->warm)
        game->start_ns = bench_now_ns();
    if (game->entered == game->total)
        game->end_ns = bench_now_ns();
}

/* Inlined with its functions, which are constants wherever it is called. */
__attribute__((always_inline)) static inline void section_play(struct section_game *game,
                                                               void (*enter)(void),
                                                               void (*leave)(void),
                                                               void (*give_way)(void *), void *self)
{
    for (uint64_t i = 1; i <= game->each; i++) {
        bool give = i % SECTION_GIVE_WAY == 0;

        enter();
        section_work(game);
        if (give)
            give_way(self);
        game->inside--;
        leave();
        if (give)
            give_way(self);
    }
}

static inline void section_emit(const struct section_game *game)
{
    if (game->entered != game->total)
        bench_fail("the section was not entered as often as was meant", 0);
    bench_emit("entry",
               (double)(game->end_ns - game->start_ns) / (double)(game->total - game->warm));
}

#endif
