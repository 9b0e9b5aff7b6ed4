/* SPDX-License-Identifier: MIT
 *
 * named.c - what an event costs that processes share by its name. ums_named NUMBER has two of them
 * hand over to each other so often, by two events and by two of POSIX's named semaphores, in turns;
 * then it sets events with a name and without, and waits for them, within one process.
 */
#include "bench.h"

#include <windows.h>

#include <fcntl.h>
#include <inttypes.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 11, NAME_ROOM = 64, EVENTS = 0, SEMAPHORES = 1, WAYS = 2 };

/* What this process waits for, and what it signals. */
static HANDLE event_in, event_out;
static sem_t *semaphore_in, *semaphore_out;

static void hand_over(int way)
{
    if (way == EVENTS ? !SetEvent(event_out) : sem_post(semaphore_out))
        bench_fail("signalling the other process", 0);
}

static void take_over(int way)
{
    if (way == EVENTS ? WaitForSingleObject(event_in, INFINITE) != WAIT_OBJECT_0
                      : sem_wait(semaphore_in))
        bench_fail("waiting for the other process", 0);
}

static void be_partner(uint64_t number)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < WAYS; way++)
            for (uint64_t i = 0; i < number; i++) {
                take_over(way);
                hand_over(way);
            }
}

static double round_trip_us(int way, uint64_t number)
{
    uint64_t begin = bench_now_ns();

    for (uint64_t i = 0; i < number; i++) {
        hand_over(way);
        take_over(way);
    }
    return (double)(bench_now_ns() - begin) / (double)number / 1000;
}

static void find(pid_t owner, bool partner)
{
    char names[2][NAME_ROOM];
    HANDLE events[2];
    sem_t *semaphores[2];

    for (int i = 0; i < 2; i++) {
        snprintf(names[i], NAME_ROOM, "/ums_named-%d-%d", (int)owner, i);
        events[i] = CreateEventA(NULL, FALSE, FALSE, names[i]);
        semaphores[i] = sem_open(names[i], O_CREAT, 0600, 0);
        if (!events[i] || semaphores[i] == SEM_FAILED)
            bench_fail("making an object with a name", 0);
        if (partner)
            sem_unlink(names[i]);
    }
    event_in = events[partner];
    event_out = events[!partner];
    semaphore_in = semaphores[partner];
    semaphore_out = semaphores[!partner];
}

/* For one that is set. */
static double set_and_wait_ns(HANDLE event, uint64_t number)
{
    uint64_t begin = bench_now_ns();

    for (uint64_t i = 0; i < number; i++)
        if (!SetEvent(event) || WaitForSingleObject(event, INFINITE) != WAIT_OBJECT_0)
            bench_fail("setting an event and waiting for it", 0);
    return (double)(bench_now_ns() - begin) / (double)number;
}

static int by_size(const void *a, const void *b)
{
    return *(const double *)a < *(const double *)b ? -1 : 1;
}

int main(int argc, char **argv)
{
    uint64_t number = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
    double took[WAYS + 1][ROUNDS];
    pid_t owner = getpid();
    int ready[2], status;
    char byte = 0;

    if (!number || pipe(ready)) {
        fprintf(stderr, "usage: %s NUMBER\n", argv[0]);
        return 2;
    }
    pid_t partner = fork();
    if (partner == 0) {
        if (read(ready[0], &byte, 1) != 1)
            return 1;
        find(owner, true);
        be_partner(number);
        return 0;
    }
    find(owner, false);
    if (write(ready[1], &byte, 1) != 1)
        bench_fail("telling the partner", 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int way = 0; way < WAYS; way++)
            took[way][round] = round_trip_us(way, number);
        took[WAYS][round] = took[EVENTS][round] / took[SEMAPHORES][round];
    }
    for (int i = 0; i <= WAYS; i++)
        qsort(took[i], ROUNDS, sizeof took[i][0], by_size);
    if (waitpid(partner, &status, 0) != partner || status)
        bench_fail("the partner", status);
    HANDLE own[WAYS] = {event_out, CreateEventA(NULL, FALSE, FALSE, NULL)};
    double alone[WAYS + 1][ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        for (int way = 0; way < WAYS; way++)
            alone[way][round] = set_and_wait_ns(own[way], number * 100);
        alone[WAYS][round] = alone[0][round] / alone[1][round];
    }
    for (int i = 0; i <= WAYS; i++)
        qsort(alone[i], ROUNDS, sizeof alone[i][0], by_size);
    printf("a round trip: events %.2f us, semaphores %.2f us; ratio %.2f (%.2f to %.2f)\n",
           took[EVENTS][ROUNDS / 2], took[SEMAPHORES][ROUNDS / 2], took[WAYS][ROUNDS / 2],
           took[WAYS][0], took[WAYS][ROUNDS - 1]);
    printf("set and waited for alone: with a name %.0f ns, without %.0f ns; ratio %.2f (%.2f to "
           "%.2f)\n",
           alone[0][ROUNDS / 2], alone[1][ROUNDS / 2], alone[WAYS][ROUNDS / 2], alone[WAYS][0],
           alone[WAYS][ROUNDS - 1]);
    return 0;
}
