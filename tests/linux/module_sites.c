/* SPDX-License-Identifier: MIT
 *
 * module_sites.c - system calls of the program and of libraries that the filter has stopped a few
 * times: they are redirected to the library at the instruction.
 *
 * The test counts the waits of the kernel thread, to see that a redirected call is cheap: a
 * notified call makes its kernel thread wait once.
 *
 * modes: default, UMSSHIM_DETECT=traps
 * with: own_sites.c
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"
#include "own_sites.h"
#include "trapped.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- Shapes ---- */

TEST(ModuleSites, of_all_shapes_give_what_the_kernel_gives)
{
    in_worker(of_all_shapes);
    EXPECT_EQ(write_here(-1, "x", 1), -EBADF); /* in a plain thread */
    EXPECT_EQ(any_write(-1, "x", 1), -EBADF);
    EXPECT_EQ(read_here(-1, "x", 1), -EBADF);
}

static void into_an_instruction(struct block_case *c)
{
    for (int i = 0; i < 200; i++)
        EXPECT_EQ(entered_here(null_device, "x", 1), 1);
    EXPECT_EQ(led(entered_call), 0);
}

TEST(ModuleSites, that_are_jumped_into_stay)
{
    in_worker(into_an_instruction);
}

/* ---- What it costs --------------------------------------------------------------------------- */

static long waits_of_this_thread(void)
{
    struct rusage used;

    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw;
}

static long waits_in(call_function *call, int times)
{
    long before = waits_of_this_thread();

    for (int i = 0; i < times; i++)
        EXPECT_EQ(call(null_device, "x", 1), 1);
    return waits_of_this_thread() - before;
}

static void stop_being_notified(struct block_case *c)
{
    EXPECT_EQ(use(write_here, 1, write_call), 1);
    EXPECT_LT(waits_in(write_here, 1000), 100);
}

TEST(ModuleSites, cost_no_notification_any_more)
{
    in_worker(stop_being_notified);
}

static void stay_as_they_are(struct block_case *c)
{
    long waits = waits_in(write_here, 1000);
    EXPECT_EQ(led(write_call), 0);
    if (!filter_traps())
        EXPECT_GT(waits, 500);
}

static int left_alone(void *unused)
{
    setenv("UMSSHIM_FRONT", "functions", 1);
    in_worker(stay_as_they_are);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

CALL_TEST(ModuleSites, stay_as_they_are_when_told_so, EXPECT_IN_CHILD(left_alone, NULL, 20000))

static void use_two(struct block_case *c)
{
    EXPECT_EQ(use(write_here, 1, write_call), 1);
    for (int i = 0; i < 64; i++)
        EXPECT_EQ(entered_here(null_device, "x", 1), 1);
}

static int told(void *unused)
{
    setenv("UMSSHIM_LOG", "caps", 1);
    in_worker(use_two);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

TEST(ModuleSites, are_counted_in_the_log)
{
    struct child_result result = child_run(told, NULL, 20000);
    EXPECT_CHILD_OK(result);
    EXPECT_NE(strstr(result.output, "is led here (of modules' calls: 1 led here, 0 not)") != NULL,
              0);
    EXPECT_NE(strstr(result.output,
                     "stays as it is: jumped into (of modules' calls: 1 led here, 1 not)") != NULL,
              0);
}

/* ---- Rewritten while others run there -------------------------------------------------------- */

enum { RUNNERS = 3 };
static volatile bool run_on;

struct runner {
    pthread_t thread;
    volatile long rounds;
};

static void *run_in_sites(void *arg)
{
    struct runner *runner = arg;
    int fd[2];
    char byte = 0;

    make_pipe(fd);
    while (run_on) {
        if (write_here(fd[1], "y", 1) != 1 || read_here(fd[0], &byte, 1) != 1 || byte != 'y')
            abort();
        byte = 0;
        if (late_here(fd[1], "z", 1) != 1 || read_here(fd[0], &byte, 1) != 1 || byte != 'z')
            abort();
        runner->rounds++;
    }
    close(fd[0]);
    close(fd[1]);
    return NULL;
}

/* All of them have gone round since. */
static void wait_for_rounds(struct runner *runners)
{
    struct timespec moment = {0, 200000};
    long long begun = now_ms();

    for (int i = 0; i < RUNNERS; i++) {
        long rounds = runners[i].rounds;
        while (runners[i].rounds < rounds + 2 && now_ms() - begun < 10000)
            nanosleep(&moment, NULL);
        EXPECT_GE(runners[i].rounds, rounds + 2);
    }
}

static int rewrite_under_load(void *arg)
{
    struct runner runners[RUNNERS];

    run_on = true;
    memset(runners, 0, sizeof runners);
    for (int i = 0; i < RUNNERS; i++)
        if (pthread_create(&runners[i].thread, NULL, run_in_sites, &runners[i]))
            return 1;
    wait_for_rounds(runners);
    in_worker(of_all_shapes);
    wait_for_rounds(runners);
    run_on = false;
    for (int i = 0; i < RUNNERS; i++)
        pthread_join(runners[i].thread, NULL);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

TEST(ModuleSites, are_rewritten_while_threads_run_there)
{
    for (int i = 0; i < 4; i++)
        EXPECT_IN_CHILD(rewrite_under_load, NULL, 20000);
}

/* ---- Libraries ------------------------------------------------------------------------------- */

static void *library;
static call_function *library_write;
static const char *library_call;
static long library_number;

static void open_library(const char *path, long number)
{
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library != NULL, 0);
    library_write = (call_function *)dlsym(library, "library_write");
    library_call = dlsym(library, "library_call");
    library_number = number;
}

static void use_library(struct block_case *c)
{
    EXPECT_EQ(led(library_call), 0);
    EXPECT_EQ(use(library_write, 1 + library_number, library_call), 1);
    EXPECT_EQ(library_write(null_device, "xyz", 3), 3 + library_number);
}

TEST(ModuleSites, of_a_library_that_takes_anothers_place)
{
    static const char *const paths[] = {MODULE_SITES_1, MODULE_SITES_2};
    const char *first = NULL;
    int again = 0;

    for (int i = 0; i < 40; i++) {
        open_library(paths[i % 2], 1 + i % 2);
        if (!library)
            return;
        again += library_call == first;
        first = first ? first : library_call;
        in_worker(use_library);
        ASSERT_EQ(dlclose(library), 0);
    }
    EXPECT_GT(again, 0); /* else nothing was tried */
}
