/* SPDX-License-Identifier: MIT
 *
 * block_workers.c - two workers of one scheduler wait for each other, kind by kind.
 */
#include "probes_ums.h"

#include "block.h"
#include "line.h"
#include "rig.h"

static void first(struct rig_worker *self)
{
    block_play_first(self->arg);
}

static void second(struct rig_worker *self)
{
    block_play_second(self->arg);
}

static void play(enum block_kind kind, bool alone, const struct bench_scale *scale)
{
    static struct rig rig;
    struct block_game *game = block_init(kind, scale);

    rig_init(&rig, 2);
    if (!alone)
        rig_add(&rig, second, game);
    rig_add(&rig, first, game);
    rig_run(&rig);
    block_emit(game);
    bench_emit("upcalls", (double)atomic_load(&rig.activations[UmsSchedulerThreadBlocked]) /
                              block_trips(game));
}

#define ROW(name)                                                                                  \
    void probe_block_##name(const struct bench_scale *scale)                                       \
    {                                                                                              \
        play(BLOCK_##name, false, scale);                                                          \
    }
BLOCK_KINDS(ROW)
#undef ROW

#define ROW(name)                                                                                  \
    void probe_nowait_##name(const struct bench_scale *scale)                                      \
    {                                                                                              \
        play(BLOCK_##name, true, scale);                                                           \
    }
BLOCK_CALLS(ROW)
#undef ROW

#define ROW(name)                                                                                  \
    void probe_plain_##name(const struct bench_scale *scale)                                       \
    {                                                                                              \
        struct block_game *game = block_init(BLOCK_##name, scale);                                 \
                                                                                                   \
        rig_run_plain(first, game);                                                                \
        block_emit(game);                                                                          \
    }
BLOCK_CALLS(ROW)
#undef ROW

static void stand_in_line(struct rig_worker *self)
{
    line_wait();
}

static void line(unsigned members)
{
    static struct rig rig;

    rig_init(&rig, members);
    for (unsigned i = 0; i < members; i++)
        rig_add(&rig, stand_in_line, NULL);
    line_begin(members);
    rig_run(&rig);
    line_emit();
}

void probe_line_few(const struct bench_scale *scale)
{
    line(scale->line_few);
}

void probe_line_many(const struct bench_scale *scale)
{
    line(scale->line_many);
}
