/* SPDX-License-Identifier: MIT
 *
 * thread_names.c - the engine's threads have names of their own, and the program's threads keep
 * theirs, as ps, top and debuggers see them.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 4, MOST = 64 };

static const char programs[] = "the program";
static int programs_threads[MOST];
static int known;

static void is_programs(int tid, const char *name)
{
    int place = __atomic_fetch_add(&known, 1, __ATOMIC_RELAXED);
    if (place < MOST)
        programs_threads[place] = tid;
}

static bool knows(int tid)
{
    for (int i = 0; i < known && i < MOST; i++)
        if (programs_threads[i] == tid)
            return true;
    return false;
}

static void each_thread(void (*told)(int tid, const char *name))
{
    DIR *folder = opendir("/proc/self/task");
    ASSERT_NE(folder, NULL);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[64], name[32] = "";
        int tid = atoi(entry->d_name);
        snprintf(path, sizeof path, "/proc/self/task/%d/comm", tid);
        FILE *file = tid ? fopen(path, "r") : NULL;
        if (!file)
            continue;
        if (fgets(name, sizeof name, file)) {
            name[strcspn(name, "\n")] = 0;
            told(tid, name);
        }
        fclose(file);
    }
    closedir(folder);
}

/* ---- Whose a thread is shows in its name ---- */

static int engines, wrong;
static bool last_look;

static void judge(int tid, const char *name)
{
    bool is_engines = strncmp(name, "ums:", 4) == 0;
    engines += is_engines;
    wrong += is_engines == knows(tid);
    if (last_look && is_engines == knows(tid))
        FAIL("thread %d is \"%s\"", tid, name);
}

/* A thread that has not run yet has its creator's name: all are to have theirs within five
 * seconds. */
static void judge_all(void)
{
    for (int looks = 0; looks < 5000; looks++) {
        engines = wrong = 0;
        last_look = looks == 4999;
        each_thread(judge);
        if (!wrong)
            break;
        usleep(1000);
    }
    EXPECT_GE(engines, 3);
}

static void note_scheduler(const struct activation *activation, void *arg)
{
    if (activation->reason == UmsSchedulerStartup)
        is_programs((int)activation->thread_id, "");
}

static int waited;

/* The first wait takes a carrier where calls are notified, the second the timer's thread. */
static void wait_in_both_ways(struct worker *self)
{
    struct timespec moment = {0, 1000000};
    is_programs((int)self->id, "");
    syscall(SYS_nanosleep, &moment, NULL);
    Sleep(1);
    flag_add(&waited, 1);
    if (self->index == 0) {
        while (flag_get(&waited) < WORKERS)
            UmsThreadYield(self);
        judge_all();
    }
}

TEST(ThreadNames, of_the_engine)
{
    EXPECT_EQ(prctl(PR_SET_NAME, programs), 0);
    each_thread(is_programs); /* before there is an engine */
    struct fleet *fleet = fleet_create(2, WORKERS, FLEET_SHARED_READY);
    ASSERT_NE(fleet, NULL);
    fleet_set_hook(fleet, note_scheduler, NULL);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, wait_in_both_ways, NULL);
    ASSERT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
    EXPECT_GE(engines, 3);
}

/* ---- What a worker creates has the program's name, though the engine makes it ---- */

static void expect_programs_name(const char *who)
{
    char name[16] = "";
    EXPECT_EQ(prctl(PR_GET_NAME, name), 0);
    EXPECT_STREQ(name, programs);
    if (strcmp(name, programs) != 0)
        tc_note("%s is \"%s\"", who, name);
}

static DWORD WINAPI win32_main(LPVOID arg)
{
    expect_programs_name(arg);
    return 0;
}

static void *posix_main(void *arg)
{
    expect_programs_name(arg);
    return NULL;
}

static void later_main(struct worker *self)
{
    expect_programs_name(self->arg);
}

static void create_all(struct worker *self)
{
    static char win32[] = "CreateThread's", posix[] = "pthread_create's", later[] = "a worker's";
    pthread_t thread;
    int status = -1;
    expect_programs_name("the worker");
    HANDLE handle = CreateThread(NULL, 0, win32_main, win32, 0, NULL);
    ASSERT_NE(handle, NULL);
    EXPECT_EQ(WaitForSingleObject(handle, INFINITE), WAIT_OBJECT_0);
    CloseHandle(handle);
    ASSERT_EQ(pthread_create(&thread, NULL, posix_main, posix), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    for (int i = 0; i < 8; i++) /* from the stock as well */
        fleet_add(self->fleet, later_main, later);
    pid_t child = fork();
    if (child == 0) {
        char name[16] = "";
        prctl(PR_GET_NAME, name);
        _exit(strcmp(name, programs) != 0);
    }
    ASSERT_GE(child, 1);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(ThreadNames, of_the_program)
{
    EXPECT_EQ(prctl(PR_SET_NAME, programs), 0);
    ASSERT_OK(FLEET_RUN(1, FLEET_SHARED_READY, {1, create_all, NULL}));
}
