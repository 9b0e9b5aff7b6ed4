/* SPDX-License-Identifier: MIT
 *
 * peers_threads.c - the peers that are kernel threads.
 */
#define _GNU_SOURCE
#include "probes_peers.h"

#include "calls.h"
#include "left_behind.h"
#include "peers_threads.h"
#include "pingpong.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 65536 };

int try_start_thread(pthread_t *thread, void *(*main_function)(void *), void *arg)
{
    pthread_attr_t attributes;
    int error;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    error = pthread_create(thread, &attributes, main_function, arg);
    pthread_attr_destroy(&attributes);
    return error;
}

pthread_t start_thread(void *(*main_function)(void *), void *arg)
{
    pthread_t thread;
    int error = try_start_thread(&thread, main_function, arg);

    if (error)
        bench_fail("pthread_create", error);
    return thread;
}

/* ---- Two threads that hand a turn to each other ---------------------------------------------- */

struct handover {
    pthread_mutex_t mutex;
    pthread_cond_t turned;
    int turn;
    uint64_t rounds;
};

static void take_turns(struct handover *game, int me, uint64_t rounds)
{
    pthread_mutex_lock(&game->mutex);
    for (uint64_t i = 0; i < rounds; i++) {
        while (game->turn != me)
            pthread_cond_wait(&game->turned, &game->mutex);
        game->turn = !me;
        pthread_cond_signal(&game->turned);
    }
    pthread_mutex_unlock(&game->mutex);
}

static void *handover_other(void *arg)
{
    struct handover *game = arg;

    take_turns(game, 1, game->rounds);
    return NULL;
}

void peer_handover(const struct bench_scale *scale)
{
    struct handover game = {
        .mutex = PTHREAD_MUTEX_INITIALIZER, .turned = PTHREAD_COND_INITIALIZER, .turn = 0};
    uint64_t warm = scale->handovers / 20 + 1;
    uint64_t rounds = scale->handovers / 2;
    pthread_t other;
    uint64_t start;

    game.rounds = warm + rounds;
    other = start_thread(handover_other, &game);
    take_turns(&game, 0, warm);
    start = bench_now_ns();
    take_turns(&game, 0, rounds);
    bench_emit("handover", (double)(bench_now_ns() - start) / (double)(rounds * 2));
    pthread_join(other, NULL);
}

/* ---- Pipe ping-pong -------------------------------------------------------------------------- */

static void *pipe_other(void *arg)
{
    pingpong_return(arg);
    return NULL;
}

void peer_pipe(const struct bench_scale *scale)
{
    struct pingpong game = {0};
    pthread_t other;

    pingpong_init(&game, scale);
    other = start_thread(pipe_other, &game);
    pingpong_serve(&game);
    bench_emit("trip", pingpong_us(&game));
    pthread_join(other, NULL);
}

/* ---- System calls that do not wait ----------------------------------------------------------- */

static void *getppid_again_and_again(void *arg)
{
    const struct bench_scale *scale = arg;

    bench_emit("call", calls_getppid_ns(scale->calls));
    return NULL;
}

static void *instant(void *arg)
{
    const struct bench_scale *scale = arg;

    bench_emit("call", calls_instant_ns(scale->calls / 10, false));
    return NULL;
}

/* One of two threads, as every program of threads has them: for the only one of a process the kernel looks descriptors up
 * without counting, and libc makes a call without a word about cancellation. */
void peer_call(const struct bench_scale *scale)
{
    pthread_join(start_thread(getppid_again_and_again, (void *)scale), NULL);
}

void peer_call_instant(const struct bench_scale *scale)
{
    pthread_join(start_thread(instant, (void *)scale), NULL);
}

/* ---- Create, run, join ----------------------------------------------------------------------- */

static void *child(void *arg)
{
    ++*(uint64_t *)arg;
    return NULL;
}

static void *child_that_leaves(void *arg)
{
    leave_behind();
    return child(arg);
}

static void create_threads(const struct bench_scale *scale, void *(*body)(void *))
{
    uint64_t warm = scale->creates / 10 + 1;
    uint64_t start = 0;
    uint64_t ran = 0;

    for (uint64_t i = 0; i < warm + scale->creates; i++) {
        if (i == warm)
            start = bench_now_ns();
        pthread_join(start_thread(body, &ran), NULL);
    }
    bench_emit("create", (double)(bench_now_ns() - start) / 1000.0 / (double)scale->creates);
    if (ran != warm + scale->creates)
        bench_fail("not every thread ran", 0);
}

void peer_create_thread(const struct bench_scale *scale)
{
    create_threads(scale, child);
}

void peer_create_thread_left(const struct bench_scale *scale)
{
    create_threads(scale, child_that_leaves);
}

/* ---- A crowd of parked threads --------------------------------------------------------------- */

static pthread_barrier_t gathered;

static void *park(void *arg)
{
    pthread_barrier_wait(&gathered);
    for (;;)
        pause();
    return arg;
}

void peer_footprint_thread(const struct bench_scale *scale)
{
    struct bench_footprint before;

    pthread_barrier_init(&gathered, NULL, scale->crowd + 1);
    before = bench_footprint_read();
    before = bench_footprint_read();
    for (unsigned i = 0; i < scale->crowd; i++)
        start_thread(park, NULL);
    pthread_barrier_wait(&gathered);
    bench_footprint_emit(&before, scale->crowd);
}

/* ---- Many threads blocked in read, and woken ------------------------------------------------- */

struct reader {
    int pipe[2];
};

static atomic_uint reading;
static atomic_uint woken;
static atomic_ulong last_woken_ns;

static void *reader_main(void *arg)
{
    struct reader *reader = arg;
    char byte;

    atomic_fetch_add(&reading, 1);
    if (read(reader->pipe[0], &byte, 1) != 1)
        bench_fail("read", errno);
    atomic_store(&last_woken_ns, bench_now_ns());
    atomic_fetch_add(&woken, 1);
    return NULL;
}

void peer_crowd_wake(const struct bench_scale *scale)
{
    static const struct timespec tick = {.tv_nsec = 200000};
    static const struct timespec settle = {.tv_nsec = 100000000};
    struct reader *readers = calloc(scale->crowd_blocked, sizeof(*readers));
    uint64_t start;

    if (!readers)
        bench_fail("no memory for the readers", ENOMEM);
    bench_need_files(2 * scale->crowd_blocked + 64);
    for (unsigned i = 0; i < scale->crowd_blocked; i++) {
        if (pipe(readers[i].pipe) != 0)
            bench_fail("pipe", errno);
        start_thread(reader_main, &readers[i]);
    }
    while (atomic_load(&reading) < scale->crowd_blocked)
        nanosleep(&tick, NULL);
    nanosleep(&settle, NULL); /* the last of them are on their way into the kernel */
    start = bench_now_ns();
    for (unsigned i = 0; i < scale->crowd_blocked; i++)
        if (write(readers[i].pipe[1], "x", 1) != 1)
            bench_fail("write", errno);
    while (atomic_load(&woken) < scale->crowd_blocked)
        nanosleep(&tick, NULL);
    bench_emit("wake", (double)(atomic_load(&last_woken_ns) - start) / 1e6);
}
