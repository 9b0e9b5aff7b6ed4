/* SPDX-License-Identifier: MIT
 *
 * pipe.c - blocking pipe ping-pong between two workers of one scheduler, in three variants.
 */
#include "probes_ums.h"

#include "pingpong.h"
#include "rig.h"

static void serve(struct rig_worker *self)
{
    pingpong_serve(self->arg);
}

static void give_back(struct rig_worker *self)
{
    pingpong_return(self->arg);
}

static void play(struct pingpong *game, const struct bench_scale *scale)
{
    static struct rig rig;
    double trips;

    pingpong_init(game, scale);
    trips = (double)(game->trips + game->warm);
    rig_init(&rig, 2);
    rig_add(&rig, give_back, game);
    rig_add(&rig, serve, game);
    rig_run(&rig);
    bench_emit("trip", pingpong_us(game));
    /* Two when every read blocks: says what the time above was spent on. */
    bench_emit("upcalls", (double)atomic_load(&rig.activations[UmsSchedulerThreadBlocked]) / trips);
}

void probe_pipe_libc(const struct bench_scale *scale)
{
    struct pingpong game = {0};

    play(&game, scale);
}

void probe_pipe_bare(const struct bench_scale *scale)
{
    struct pingpong game = {.bare_read = true, .bare_write = true};

    play(&game, scale);
}

void probe_pipe_read_bare(const struct bench_scale *scale)
{
    struct pingpong game = {.bare_read = true};

    play(&game, scale);
}
