/* SPDX-License-Identifier: MIT
 *
 * peers_block.c - two kernel threads wait for each other, kind by kind.
 */
#include "probes_peers.h"

#include "block.h"
#include "line.h"
#include "peers_threads.h"

#include <stdlib.h>

static void *first(void *game)
{
    block_play_first(game);
    return NULL;
}

static void *second(void *game)
{
    block_play_second(game);
    return NULL;
}

/* The process has two threads where only one plays, too (peers_threads.c, peer_call). */
static void play(enum block_kind kind, bool alone, const struct bench_scale *scale)
{
    struct block_game *game = block_init(kind, scale);
    pthread_t other = start_thread(alone ? first : second, game);

    if (!alone)
        block_play_first(game);
    pthread_join(other, NULL);
    block_emit(game);
}

#define ROW(name)                                                                                  \
    void peer_block_##name(const struct bench_scale *scale)                                        \
    {                                                                                              \
        play(BLOCK_##name, false, scale);                                                          \
    }
BLOCK_KINDS(ROW)
#undef ROW

#define ROW(name)                                                                                  \
    void peer_nowait_##name(const struct bench_scale *scale)                                       \
    {                                                                                              \
        play(BLOCK_##name, true, scale);                                                           \
    }
BLOCK_CALLS(ROW)
#undef ROW

static void *stand_in_line(void *unused)
{
    line_wait();
    return unused;
}

void peer_line(const struct bench_scale *scale)
{
    pthread_t *threads = calloc(scale->line_few, sizeof(*threads));

    if (!threads)
        bench_fail("no memory for the line", 0);
    line_begin(scale->line_few);
    for (unsigned i = 0; i < scale->line_few; i++)
        threads[i] = start_thread(stand_in_line, NULL);
    for (unsigned i = 0; i < scale->line_few; i++)
        pthread_join(threads[i], NULL);
    line_emit();
}
