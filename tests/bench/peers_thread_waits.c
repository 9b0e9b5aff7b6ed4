/* SPDX-License-Identifier: MIT
 *
 * peers_thread_waits.c - kernel threads that fight for a mutex, pass a token on, and sleep.
 */
#define _GNU_SOURCE
#include "probes_peers.h"

#include "peers_threads.h"
#include "ring.h"
#include "section.h"
#include "sleepers.h"

#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- A mutex that several fight for ---------------------------------------------------------- */

enum { MOST_FIGHTERS = 8 };

static pthread_mutex_t section = PTHREAD_MUTEX_INITIALIZER;

static void enter(void)
{
    pthread_mutex_lock(&section);
}

static void leave(void)
{
    pthread_mutex_unlock(&section);
}

static void give_way(void *unused)
{
    sched_yield();
}

static void *fight(void *game)
{
    section_play(game, enter, leave, give_way, NULL);
    return NULL;
}

static void run_section(const struct bench_scale *scale, unsigned threads)
{
    pthread_t all[MOST_FIGHTERS];
    struct section_game game = {0};

    section_init(&game, scale->entries / 4, threads);
    enter(); /* so that all start at once */
    for (unsigned i = 0; i < threads; i++)
        all[i] = start_thread(fight, &game);
    leave();
    for (unsigned i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    section_emit(&game);
}

void peer_section_two(const struct bench_scale *scale)
{
    run_section(scale, 2);
}

void peer_section_eight(const struct bench_scale *scale)
{
    run_section(scale, 8);
}

/* ---- A ring of semaphores -------------------------------------------------------------------- */

static sem_t *semaphores;
static struct ring ring;

static void wait_for(unsigned which)
{
    while (sem_wait(&semaphores[which]) != 0)
        if (errno != EINTR)
            bench_fail("sem_wait", errno);
}

static void release(unsigned which)
{
    if (sem_post(&semaphores[which]) != 0)
        bench_fail("sem_post", errno);
}

static void *pass_on(void *semaphore)
{
    ring_play(&ring, (unsigned)((sem_t *)semaphore - semaphores), wait_for, release);
    return NULL;
}

void peer_ring(const struct bench_scale *scale)
{
    pthread_t *threads;

    ring_init(&ring, scale->ring, scale->handovers);
    threads = calloc(ring.members, sizeof(*threads));
    semaphores = calloc(ring.members, sizeof(*semaphores));
    if (!threads || !semaphores)
        bench_fail("no memory for the ring", ENOMEM);
    for (unsigned i = 0; i < ring.members; i++)
        sem_init(&semaphores[i], 0, 0);
    for (unsigned i = 0; i < ring.members; i++)
        threads[i] = start_thread(pass_on, &semaphores[i]);
    release(0);
    for (unsigned i = 0; i < ring.members; i++)
        pthread_join(threads[i], NULL);
    ring_emit(&ring);
}

/* ---- A crowd asleep -------------------------------------------------------------------------- */

static struct sleepers sleepers;
static sem_t all_back;
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    unsigned there;
    bool open;
} gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};

static unsigned pass_gate(void)
{
    unsigned index;

    pthread_mutex_lock(&gate.mutex);
    index = gate.there++;
    while (!gate.open)
        pthread_cond_wait(&gate.opened, &gate.mutex);
    pthread_mutex_unlock(&gate.mutex);
    return index;
}

static void open_gate_for(unsigned count)
{
    static const struct timespec tick = {.tv_nsec = 1000000};

    while (!gate.open) {
        nanosleep(&tick, NULL);
        pthread_mutex_lock(&gate.mutex);
        gate.open = gate.there == count;
        pthread_mutex_unlock(&gate.mutex);
    }
    pthread_cond_broadcast(&gate.opened);
}

static void *sleep_once(void *unused)
{
    unsigned index = pass_gate();
    uint64_t due_ns;
    uint32_t length = sleepers_lie_down(&sleepers, index, &due_ns);
    struct timespec time = {.tv_sec = length / 1000, .tv_nsec = length % 1000 * 1000000L};

    while (nanosleep(&time, &time) != 0 && errno == EINTR) {
    }
    if (sleepers_rise(&sleepers, index, due_ns))
        sem_post(&all_back);
    for (;;)
        pause();
    return unused;
}

/* As many as the system lets us have: the report says how many those were. */
static void run_sleep(const struct bench_scale *scale, enum sleepers_plan plan)
{
    pthread_t thread;
    unsigned count = 0;

    sem_init(&all_back, 0, 0);
    while (count < scale->crowd && !try_start_thread(&thread, sleep_once, NULL))
        count++;
    if (!count)
        bench_fail("not a single thread", 0);
    sleepers_init(&sleepers, plan, scale, count);
    open_gate_for(count);
    while (sem_wait(&all_back) != 0) {
    }
    sleepers_emit(&sleepers);
}

void peer_sleep_alike(const struct bench_scale *scale)
{
    run_sleep(scale, SLEEP_ALIKE);
}

void peer_sleep_spread(const struct bench_scale *scale)
{
    run_sleep(scale, SLEEP_SPREAD);
}

void peer_sleep_together(const struct bench_scale *scale)
{
    run_sleep(scale, SLEEP_TOGETHER);
}
