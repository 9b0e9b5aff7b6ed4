/* SPDX-License-Identifier: MIT
 *
 * ctrl_c.c - the signals that end a program end a program with UMS at once, whatever its threads
 * do.
 *
 * modes: default
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { LIMIT_MS = 20000 };
enum kind { ALL_BLOCKED, BUSY, YIELDING, SPINNING_FOR_EVER };

struct scene {
    enum kind kind;
    int ready[2]; /* the child tells that its workers are where they should be */
    int never[2];
};

static void stay_busy(struct worker *self)
{
    struct scene *scene = self->arg;
    char byte;

    if (self->index == 0)
        EXPECT_EQ(write(scene->ready[1], "x", 1), 1);
    switch (scene->kind) {
    case ALL_BLOCKED:
        EXPECT_EQ(read(scene->never[0], &byte, 1), 1); /* does not return */
        break;
    case BUSY:
        for (;;)
            usleep(100);
    case YIELDING:
        for (;;)
            UmsThreadYield(NULL);
    case SPINNING_FOR_EVER:
        for (volatile int i = 0;; i = i + 1) {
        }
    }
}

static int run_scene(void *arg)
{
    struct scene *scene = arg;
    struct fleet *fleet = fleet_create(2, 6, 0);

    for (int i = 0; i < 6; i++)
        fleet_add(fleet, stay_busy, scene);
    fleet_run(fleet);
    return 1;
}

/* The child gets the signal once its workers are in the thick of it; no particular moment is meant. */
static struct child_result signalled(int number, enum kind kind, child_body body)
{
    struct scene scene = {.kind = kind};
    struct child child;
    char byte;

    make_pipe(scene.ready);
    make_pipe(scene.never);
    child = child_start(body, &scene);
    EXPECT_EQ(read(scene.ready[0], &byte, 1), 1);
    usleep(20000);
    EXPECT_EQ(kill(child.pid, number), 0);
    return child_wait(child, LIMIT_MS);
}

static void dies_of(int number, enum kind kind)
{
    struct child_result result = signalled(number, kind, run_scene);

    EXPECT_CHILD_SIGNAL(result, number);
}

CALL_TEST(CtrlC, workers_blocked, dies_of(SIGINT, ALL_BLOCKED))
CALL_TEST(CtrlC, workers_blocking_all_the_time, dies_of(SIGINT, BUSY))
CALL_TEST(CtrlC, workers_yielding, dies_of(SIGINT, YIELDING))
CALL_TEST(CtrlC, workers_spinning, dies_of(SIGINT, SPINNING_FOR_EVER))
CALL_TEST(CtrlC, sigterm, dies_of(SIGTERM, ALL_BLOCKED))
CALL_TEST(CtrlC, sigquit, dies_of(SIGQUIT, BUSY))
CALL_TEST(CtrlC, sigkill, dies_of(SIGKILL, BUSY))
CALL_TEST(CtrlC, sighup, dies_of(SIGHUP, YIELDING))

/* A handler that ends the program from wherever it was called. */
static void leave(int number)
{
    _exit(23);
}

static int run_scene_with_handler(void *arg)
{
    signal(SIGINT, leave);
    return run_scene(arg);
}

static void leaves_by_handler(enum kind kind)
{
    struct child_result result = signalled(SIGINT, kind, run_scene_with_handler);

    EXPECT_THAT(result.exited && result.code == 23, "exit code %d, signal %d, hung %d", result.code,
                result.signal, result.timed_out);
}

CALL_TEST(CtrlC, handler_that_exits_workers_blocked, leaves_by_handler(ALL_BLOCKED))

CALL_TEST(CtrlC, handler_that_exits_workers_spinning, leaves_by_handler(SPINNING_FOR_EVER))
