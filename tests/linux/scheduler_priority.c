/* SPDX-License-Identifier: MIT
 *
 * scheduler_priority.c - a scheduler's priority is the niceness of the kernel thread that carries it,
 * even after a block has changed that thread. If the system would not allow the way back, the
 * priority is only remembered.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOBODY = 65534, NOT_ANSWERED = -100, LIMIT_MS = 10000, ROUNDS = 10 };

static atomic_int asked; /* how often */
static atomic_int answer;
static atomic_int over;

/* The niceness of the one thread that runs beside the caller; NOT_ANSWERED: there is none or more than one. */
static int of_who_runs(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int found = NOT_ANSWERED, running = 0;

    while (tasks && (entry = readdir(tasks))) {
        char path[300], text[512] = "";
        FILE *stat;
        char *after;

        if (atoi(entry->d_name) == 0 || atoi(entry->d_name) == (int)syscall(SYS_gettid))
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
        stat = fopen(path, "r");
        after = stat && fgets(text, sizeof text, stat) ? strrchr(text, ')') : NULL;
        if (stat)
            fclose(stat);
        if (!after || after[1] != ' ' || after[2] != 'R')
            continue;
        running++;
        errno = 0;
        found = getpriority(PRIO_PROCESS, (id_t)atoi(entry->d_name));
        if (found == -1 && errno)
            return NOT_ANSWERED;
    }
    if (tasks)
        closedir(tasks);
    return running == 1 ? found : NOT_ANSWERED;
}

static void *watch(void *arg)
{
    int answered = 0;

    while (!atomic_load(&over)) {
        int now = atomic_load(&asked) > answered ? of_who_runs() : NOT_ANSWERED;

        if (now != NOT_ANSWERED) {
            answered++;
            atomic_store(&answer, now);
        } else {
            usleep(200);
        }
    }
    return NULL;
}

/* The niceness of the kernel thread that carries the caller. The caller computes until another
 * thread has looked at it. */
static int niceness_here(void)
{
    long long until = now_ms() + LIMIT_MS;
    int got;

    atomic_store(&answer, NOT_ANSWERED);
    atomic_fetch_add(&asked, 1);
    while ((got = atomic_load(&answer)) == NOT_ANSWERED && now_ms() < until)
        ;
    return got;
}

static int wanted_priority;
static int expected[3];
static atomic_int now_expected;
static atomic_int blocks;
static HANDLE scheduler;

/* The worker is left on its kernel thread, where the call is seen there, and the scheduler goes on with another. */
static void look_while_blocked(const struct activation *activation, void *arg)
{
    if (activation->reason != UmsSchedulerThreadBlocked)
        return;
    EXPECT_EQ(niceness_here(), atomic_load(&now_expected));
    atomic_fetch_add(&blocks, 1);
}

/* Expects the niceness before a change, after it, and after it was taken back. The worker blocks in
 * between. */
static void look(struct worker *self)
{
    EXPECT_EQ(niceness_here(), expected[0]);
    EXPECT_OK(SetThreadPriority(scheduler, wanted_priority));
    EXPECT_EQ(GetThreadPriority(scheduler), wanted_priority);
    atomic_store(&now_expected, expected[1]);
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT_EQ(niceness_here(), expected[1]);
        usleep(2000);
    }
    EXPECT_OK(SetThreadPriority(scheduler, THREAD_PRIORITY_NORMAL));
    atomic_store(&now_expected, expected[2]);
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT_EQ(niceness_here(), expected[2]);
        usleep(2000);
    }
}

static int run_fleet(void)
{
    struct fleet *fleet = fleet_create(1, 1, 0);
    pthread_t watcher;

    if (!fleet || !DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                                   &scheduler, 0, FALSE, DUPLICATE_SAME_ACCESS))
        return 1;
    EXPECT_EQ(pthread_create(&watcher, NULL, watch, NULL), 0);
    fleet_set_hook(fleet, look_while_blocked, NULL);
    fleet_add(fleet, look, NULL);
    fleet_run(fleet);
    atomic_store(&over, 1);
    pthread_join(watcher, NULL);
    fleet_destroy(fleet);
    EXPECT_GE(atomic_load(&blocks), 1); /* a pause may be over before it begins */
    EXPECT_EQ(getpriority(PRIO_PROCESS, 0), 0);
    return 0;
}

struct scenario {
    int priority;
    int before, set; /* THREAD_PRIORITY_NORMAL before; the niceness then */
    int limit;       /* RLIMIT_NICE */
    bool nobody;
};

static int run_scenario(void *arg)
{
    const struct scenario *scenario = arg;
    struct rlimit limit = {(rlim_t)scenario->limit, (rlim_t)scenario->limit};

    setenv("UMSSHIM_LOG", "caps", 1);
    EXPECT_EQ(setrlimit(RLIMIT_NICE, &limit), 0);
    if (scenario->nobody && geteuid() == 0) {
        EXPECT_EQ(setgroups(0, NULL), 0);
        EXPECT_EQ(setgid(NOBODY), 0);
        EXPECT_EQ(setuid(NOBODY), 0);
    }
    wanted_priority = scenario->priority;
    expected[1] = scenario->set;
    return run_fleet();
}

/* Some containers have a root that may not. */
static bool limit_can_be(int value)
{
    struct rlimit before, limit = {(rlim_t)value, (rlim_t)value};

    return getrlimit(RLIMIT_NICE, &before) == 0 &&
           ((int)before.rlim_max >= value ||
            (setrlimit(RLIMIT_NICE, &limit) == 0 && setrlimit(RLIMIT_NICE, &before) == 0));
}

/* The scenarios name niceness as it is for a program that was not started with nice. */
static bool niceness_can_be_normal(void)
{
    return getpriority(PRIO_PROCESS, 0) == 0 || setpriority(PRIO_PROCESS, 0, 0) == 0;
}

static void run(struct scenario scenario, bool told)
{
    struct child_result result;

    if (!niceness_can_be_normal())
        SKIP("started with niceness %d", getpriority(PRIO_PROCESS, 0));
    if (geteuid() != 0 && (!scenario.nobody || scenario.limit > 0))
        SKIP("only root may do this");
    if (!limit_can_be(scenario.limit))
        SKIP("RLIMIT_NICE cannot be %d here", scenario.limit);
    result = child_run(run_scenario, &scenario, 30000);
    EXPECT_CHILD_OK(result);
    EXPECT_EQ(strstr(result.output, "priorities of schedulers are remembered only") != NULL, told);
}

TEST(SchedulerPriority, lower_than_normal)
{
    run((struct scenario){.priority = THREAD_PRIORITY_BELOW_NORMAL, .set = 5}, false);
}

TEST(SchedulerPriority, higher_than_normal)
{
    run((struct scenario){.priority = THREAD_PRIORITY_HIGHEST, .set = -10}, false);
}

TEST(SchedulerPriority, the_limit_allows_the_way_back)
{
    run(
        (struct scenario){
            .priority = THREAD_PRIORITY_LOWEST, .set = 10, .limit = 20, .nobody = true},
        false);
}

TEST(SchedulerPriority, the_limit_allows_no_more)
{
    run((struct scenario){.priority = THREAD_PRIORITY_HIGHEST, .limit = 20, .nobody = true}, true);
}

TEST(SchedulerPriority, an_ordinary_user_cannot_go_back)
{
    run((struct scenario){.priority = THREAD_PRIORITY_BELOW_NORMAL, .nobody = true}, true);
}

TEST(SchedulerPriority, an_ordinary_user_cannot_be_higher)
{
    run((struct scenario){.priority = THREAD_PRIORITY_ABOVE_NORMAL, .nobody = true}, true);
}

/* The priority that the thread had before it became a scheduler. */
static int run_set_before(void *arg)
{
    EXPECT_OK(SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_LOWEST));
    expected[0] = 10;
    return run_scenario(arg);
}

TEST(SchedulerPriority, set_before_entering)
{
    struct scenario scenario = {.priority = THREAD_PRIORITY_IDLE, .set = 19};

    if (geteuid() != 0 || !niceness_can_be_normal())
        SKIP("only root may do this");
    EXPECT_IN_CHILD(run_set_before, &scenario, 30000);
}
