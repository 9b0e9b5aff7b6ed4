/* SPDX-License-Identifier: MIT
 *
 * simulate.c - the steps: build the tree, fork a thread for each few bodies, join, move.
 */
#include "nbody.h"

#include <string.h>

struct simulation {
    const struct nbody_options *options;
    struct nbody_result *result;
    struct body *bodies;
    struct body *scratch;
    struct tree tree;
    enum nbody_storage storage;
    DWORD error;

    struct ft_lock lock; /* for the next two */
    struct ft_condition one_less;
    struct chunk *finished; /* to be joined */
};

struct chunk {
    struct simulation *simulation;
    struct ft_thread *thread;
    struct chunk *next;
    int first, end;
};

static void compute(struct simulation *simulation, int first, int end)
{
    const void *bodies =
        simulation->storage == NBODY_IN_PAGES ? (const void *)pager_memory() : simulation->bodies;

    for (int i = first; i < end; i++)
        simulation->scratch[i].force = tree_force(&simulation->tree, bodies, i,
                                                  simulation->options->theta, simulation->storage);
}

static void chunk_main(void *arg)
{
    struct chunk *chunk = arg;
    struct simulation *simulation = chunk->simulation;

    compute(simulation, chunk->first, chunk->end);
    ft_acquire(&simulation->lock);
    chunk->next = simulation->finished;
    simulation->finished = chunk;
    ft_signal(&simulation->one_less);
    ft_release(&simulation->lock);
}

static int chunk_count(const struct nbody_options *options)
{
    return (options->bodies + options->grain - 1) / options->grain;
}

/* Waits for those that finish first, whichever they are, and returns how many it joined. */
static int join_some(struct simulation *simulation)
{
    struct chunk *chunk;
    int joined = 0;

    ft_acquire(&simulation->lock);
    while (!simulation->finished)
        ft_wait(&simulation->one_less, &simulation->lock);
    chunk = simulation->finished;
    simulation->finished = NULL;
    ft_release(&simulation->lock);
    for (; chunk; chunk = chunk->next) {
        if (chunk->thread)
            ft_join(chunk->thread);
        joined++;
    }
    return joined;
}

/* At most `window` threads at a time: with all at once each would want other pages, and none would
 * find its own still there. Every second step goes backwards: what was read last is in memory. */
static void compute_in_threads(struct simulation *simulation, struct chunk *chunks, int backwards)
{
    const struct nbody_options *options = simulation->options;
    int count = chunk_count(options);
    int running = 0;

    for (int i = 0; i < count; i++) {
        int which = backwards ? count - 1 - i : i;
        int end = (which + 1) * options->grain;

        if (running == options->window)
            running -= join_some(simulation);
        chunks[i] = (struct chunk){.simulation = simulation,
                                   .first = which * options->grain,
                                   .end = end < options->bodies ? end : options->bodies};
        chunks[i].thread = ft_fork(chunk_main, &chunks[i]);
        if (!chunks[i].thread)
            chunk_main(&chunks[i]); /* no more threads to be had: it is done all the same */
        running++;
    }
    while (running > 0)
        running -= join_some(simulation);
}

static double now(void)
{
    LARGE_INTEGER count, frequency;

    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    return (double)count.QuadPart / (double)frequency.QuadPart;
}

/* The forces go to scratch while threads read the bodies, and are compared before they move. */
static void steps(struct simulation *simulation, struct chunk *chunks)
{
    const struct nbody_options *options = simulation->options;
    double before = now();

    for (int step = 0; step < options->steps; step++) {
        if (step > 0)
            bodies_move(simulation->bodies, options->bodies);
        tree_build(&simulation->tree, simulation->bodies, simulation->scratch, options->bodies);
        if (simulation->storage == NBODY_IN_PAGES)
            pager_update();
        if (chunks)
            compute_in_threads(simulation, chunks, step % 2);
        else
            compute(simulation, 0, options->bodies);
        for (int i = 0; i < options->bodies; i++)
            simulation->bodies[i].force = simulation->scratch[i].force;
    }
    simulation->result->seconds = now() - before;
}

static DWORD open_storage(const struct simulation *simulation)
{
    const struct nbody_options *options = simulation->options;
    const struct nbody_result *result = simulation->result;

    if (simulation->storage == NBODY_IN_PAGES)
        return pager_open(simulation->bodies, options->bodies, result->pages, result->room,
                          options->miss_ms);
    if (simulation->storage == NBODY_IN_CACHE &&
        !cache_open(result->pages, result->room, options->miss_ms))
        return ERROR_NOT_ENOUGH_MEMORY;
    return 0;
}

static void close_storage(const struct simulation *simulation)
{
    if (simulation->storage == NBODY_IN_PAGES) {
        simulation->result->misses = pager_misses();
        pager_close();
    } else if (simulation->storage == NBODY_IN_CACHE) {
        simulation->result->misses = cache_misses();
        cache_close();
    }
}

static void threaded_main(void *arg)
{
    struct simulation *simulation = arg;
    size_t bytes = (size_t)chunk_count(simulation->options) * sizeof(struct chunk);
    struct chunk *chunks = ft_allocate(bytes);

    if (!chunks) {
        simulation->error = ERROR_NOT_ENOUGH_MEMORY;
        return;
    }
    ft_lock_init(&simulation->lock);
    ft_condition_init(&simulation->one_less);
    simulation->error = open_storage(simulation);
    if (!simulation->error)
        steps(simulation, chunks);
    close_storage(simulation);
    ft_free(chunks, bytes);
}

static void *memory(size_t count, size_t bytes)
{
    return VirtualAlloc(NULL, count * bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

static void measure(const struct nbody_options *options, struct nbody_result *result)
{
    result->pages = (options->bodies - 1) / NBODY_PER_PAGE + 1;
    result->room = (int)(result->pages * options->memory + 0.5);
    if (result->room < 1)
        result->room = 1;
}

DWORD nbody_run(const struct nbody_options *options, struct nbody_result *result)
{
    struct simulation simulation = {.options = options, .result = result};
    DWORD error = 0;

    memset(result, 0, sizeof(*result));
    if (!options->sequential && options->memory < 1)
        simulation.storage = options->faults ? NBODY_IN_PAGES : NBODY_IN_CACHE;
    simulation.tree.capacity = tree_capacity(options->bodies);
    simulation.tree.nodes = memory((size_t)simulation.tree.capacity, sizeof(struct node));
    simulation.bodies = memory((size_t)options->bodies, sizeof(struct body));
    simulation.scratch = memory((size_t)options->bodies, sizeof(struct body));
    if (simulation.tree.nodes && simulation.bodies && simulation.scratch) {
        bodies_scatter(simulation.bodies, options->bodies);
        measure(options, result);
        if (options->sequential)
            steps(&simulation, NULL);
        else
            error = ft_run(&options->threads, threaded_main, &simulation, &result->threads);
        if (!error)
            error = simulation.error;
        result->checksum = bodies_checksum(simulation.bodies, options->bodies);
        result->error = bodies_error(simulation.bodies, options->bodies);
    } else {
        error = ERROR_NOT_ENOUGH_MEMORY;
    }
    VirtualFree(simulation.tree.nodes, 0, MEM_RELEASE);
    VirtualFree(simulation.bodies, 0, MEM_RELEASE);
    VirtualFree(simulation.scratch, 0, MEM_RELEASE);
    return error;
}
