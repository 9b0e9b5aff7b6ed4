/* SPDX-License-Identifier: MIT
 *
 * plain.c - what calls that do not wait cost a plain thread of a process whose engine runs: call sites lead to the
 * library by then.
 */
#include "probes_ums.h"

#include "calls.h"
#include "rig.h"

static void nothing(struct rig_worker *self)
{
    (void)self;
}

static void start_engine(void)
{
    static struct rig rig;

    rig_init(&rig, 1);
    rig_add(&rig, nothing, NULL);
    rig_run(&rig);
}

static void play(struct rig_worker *self)
{
    block_play_first(self->arg);
}

#define ROW(name)                                                                                  \
    void probe_plain_##name(const struct bench_scale *scale)                                       \
    {                                                                                              \
        struct block_game *game = block_init(BLOCK_##name, scale);                                 \
                                                                                                   \
        start_engine();                                                                            \
        rig_run_threads(1, play, game);                                                            \
        block_emit(game);                                                                          \
    }
BLOCK_CALLS(ROW)
#undef ROW

static void getppid_again_and_again(struct rig_worker *self)
{
    const struct bench_scale *scale = self->arg;

    bench_emit("call", calls_getppid_ns(scale->calls));
}

void probe_plain_call(const struct bench_scale *scale)
{
    start_engine();
    rig_run_threads(1, getppid_again_and_again, (void *)scale);
}

static void instant(struct rig_worker *self)
{
    const struct bench_scale *scale = self->arg;

    bench_emit("call", calls_instant_ns(scale->calls / 10, false));
}

void probe_plain_instant(const struct bench_scale *scale)
{
    start_engine();
    rig_run_threads(1, instant, (void *)scale);
}
