/* SPDX-License-Identifier: MIT
 *
 * births.c - that births leave no memory behind: ums_births NUMBER creates that many workers, one
 * after the other. Each has a thread-local object and the value of a key, as left_behind.h says.
 */
#include "bench.h"
#include "left_behind.h"
#include "rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TENTHS = 10, WARM = 1000, MOST_GROWN = 1 << 20 };

struct births {
    uint64_t number, ran;
    int64_t grown; /* bytes, from the warm state to the end */
};

static void child(struct rig_worker *self)
{
    leave_behind();
    ++((struct births *)self->arg)->ran;
}

static void join(struct rig_worker *made)
{
    if (WaitForSingleObject(made->thread, INFINITE) != WAIT_OBJECT_0)
        bench_fail("waiting for a worker's handle", 0);
    CloseHandle(made->thread);
    if (!DeleteUmsThreadContext(made->context))
        bench_fail("DeleteUmsThreadContext", 0);
}

static uint64_t told(uint64_t born)
{
    uint64_t bytes = bench_anonymous_bytes();

    printf("%10" PRIu64 " births: %" PRIu64 " KiB private\n", born, bytes / 1024);
    fflush(stdout);
    return bytes;
}

static void boss(struct rig_worker *self)
{
    struct births *births = self->arg;
    struct rig_worker *made = rig_add(self->rig, child, births);
    uint64_t warm = 0;

    join(made);
    for (uint64_t born = 1; born < births->number; born++) {
        if (born == WARM)
            warm = told(born);
        else if (born % (births->number / TENTHS) == 0)
            told(born);
        made = rig_again(made);
        join(made);
    }
    births->grown = (int64_t)(told(births->number) - warm);
}

int main(int argc, char **argv)
{
    static struct rig rig;
    struct births births = {.number = argc == 2 ? strtoull(argv[1], NULL, 10) : 0};

    if (births.number < TENTHS * WARM) {
        fprintf(stderr, "usage: %s NUMBER, of at least %d\n", argv[0], TENTHS * WARM);
        return 2;
    }
    rig_init(&rig, 2);
    rig_add(&rig, boss, &births);
    rig_run(&rig);
    if (births.ran != births.number || left_destroyed() != 2 * births.number)
        bench_fail("not every worker ran, or not everything that was left was destroyed", 0);
    if (births.grown > MOST_GROWN)
        bench_fail("memory has grown by more than 1 MiB", 0);
    return 0;
}
