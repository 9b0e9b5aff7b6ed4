/* SPDX-License-Identifier: MIT
 *
 * Hazard: a worker gets a kernel thread from the stock of homes, and finds it not as fresh as one
 * made for it; is born twice; or is lost if it is ended, or its process forks, at that moment. Or
 * an idle program keeps the stock.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "bare.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SCHEDULERS = 4, BOSSES = 8, CHILDREN = 60, FORKS = 8 };

static struct worker *add_child(struct worker *boss, worker_body body, void *arg)
{
    struct worker *child = fleet_add(boss->fleet, body, arg);

    EXPECT_NE(child, NULL);
    return child;
}

/* Several at once, so that some come out of the stock and some do not. */
static void add_children(struct worker *boss, worker_body body, int count)
{
    enum { AT_ONCE = 5 };
    struct worker *some[AT_ONCE];

    for (int made = 0; made < count && !tc_failures(); made += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++)
            some[i] = add_child(boss, body, NULL);
        for (int i = 0; i < AT_ONCE && some[i]; i++)
            EXPECT_EQ(WaitForSingleObject(some[i]->thread, 10000), WAIT_OBJECT_0);
    }
}

static void run(int schedulers, int bosses, int children, worker_body body)
{
    struct fleet *fleet = fleet_create(schedulers, bosses * (children + 1), FLEET_OWN_LISTS);

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < bosses; i++)
        fleet_add(fleet, body, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
}

/* ---- Fresh ------------------------------------------------------------------------------------------- */

static _Thread_local int own = 7;
static pthread_key_t key;
static int destroyed;

static void count_destroyed(void *value)
{
    flag_add(&destroyed, 1);
}

static int blocked_signals(void)
{
    sigset_t mask;
    int count = 0;

    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
    for (int number = 1; number < NSIG; number++)
        count += sigismember(&mask, number) == 1;
    return count;
}

static int processors(void)
{
    cpu_set_t set;

    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    return CPU_COUNT(&set);
}

static int expected_processors, expected_blocked;

static void look_around(struct worker *self)
{
    char here;

    EXPECT_EQ(own, 7);
    EXPECT_EQ(errno, 0);
    EXPECT_EQ(GetLastError(), 0u);
    EXPECT_EQ(pthread_getspecific(key), NULL);
    EXPECT_EQ(processors(), expected_processors);
    EXPECT_EQ(blocked_signals(), expected_blocked);
    EXPECT_EQ(GetCurrentThreadId(), GetThreadId(self->thread ? self->thread : GetCurrentThread()));
    EXPECT_EQ((DWORD)gettid(), GetCurrentThreadId());
    EXPECT_LT(&here, (char *)((NT_TIB *)NtCurrentTeb())->StackBase);
    EXPECT_GE(&here, (char *)((NT_TIB *)NtCurrentTeb())->StackLimit);
    own = self->index;
    errno = EBUSY;
    SetLastError(5);
    pthread_setspecific(key, &own);
    UmsThreadYield(self);
    EXPECT_EQ(own, self->index);
}

static void make_fresh(struct worker *boss)
{
    add_children(boss, look_around, CHILDREN);
}

TEST(Births, each_worker_is_fresh)
{
    expected_processors = processors();
    expected_blocked = blocked_signals();
    ASSERT_EQ(pthread_key_create(&key, count_destroyed), 0);
    run(SCHEDULERS, BOSSES, CHILDREN, make_fresh);
    EXPECT_EQ(destroyed, BOSSES * CHILDREN);
}

/* ---- Idle ---------------------------------------------------------------------------------------------- */

/* Waits in a futex on its own stack: a home, of a worker or in the stock, or a scheduler's thread whose scheduler runs
 * on a carrier. No other thread of the engine's does. */
static bool parks_at_home(const char *task)
{
    enum { CLOSE = 4096 };
    char path[64], said[256];
    unsigned long word, sp;
    FILE *file;
    bool parks;

    snprintf(path, sizeof path, "/proc/self/task/%s/syscall", task);
    file = fopen(path, "r");
    if (!file)
        return false; /* it has ended */
    parks = fgets(said, sizeof said, file) && strncmp(said, "202 ", 4) == 0 &&
            sscanf(said, "%*d %lx %*x %*x %*x %*x %*x %lx", &word, &sp) == 2 && word - sp < CLOSE;
    fclose(file);
    return parks;
}

static int homes(void)
{
    DIR *folder = opendir("/proc/self/task");
    struct dirent *task;
    int count = 0;

    while ((task = readdir(folder)))
        count += task->d_name[0] != '.' && parks_at_home(task->d_name);
    closedir(folder);
    return count;
}

static void nothing(struct worker *self)
{
}

/* The lane gives its idle homes back, down to KEPT. Without that it would have sixteen. */
static void make_many_and_rest(struct worker *boss)
{
    enum { OURS = 2, KEPT = 4, LIMIT_MS = 8000 }; /* OURS: the boss's, and its scheduler's */
    int count = 0;
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    add_children(boss, nothing, 4 * CHILDREN);
    do
        Sleep(20);
    while ((count = homes()) > OURS + KEPT && GetTickCount64() < until);
    EXPECT_LE(count, OURS + KEPT);
    EXPECT_GE(count, 1);                   /* the boss's: it counts homes */
    add_children(boss, nothing, CHILDREN); /* and goes on */
}

CALL_TEST(Births, an_idle_program_keeps_no_more_than_a_handful,
          run(1, 1, 5 * CHILDREN, make_many_and_rest))

/* ---- Ended, and forked, at birth --------------------------------------------------------------------------- */

/* Makes workers that no scheduler sees, and which end with their contexts. So they are outside the
 * fleet, which waits for each of its own. */
static void end_at_birth(struct worker *self)
{
    PUMS_COMPLETION_LIST list = NULL;
    struct bare born;

    EXPECT_OK(CreateUmsCompletionList(&list));
    for (int i = 0; i < CHILDREN && !tc_failures(); i++) {
        if (!bare_create(&born, list, routine_return, NULL, i % 2 ? CREATE_SUSPENDED : 0))
            return;
        EXPECT_OK(TerminateThread(born.thread, 3));
        EXPECT_EQ(WaitForSingleObject(born.thread, 10000), WAIT_OBJECT_0);
        EXPECT_THAT(is_terminated(born.context), "birth %d", i);
        bare_delete(&born);
    }
    EXPECT_OK(DeleteUmsCompletionList(list));
}

CALL_TEST(Births, workers_that_are_ended_at_birth_are_gone,
          run(SCHEDULERS, BOSSES, 0, end_at_birth))

static void *born_in_child(void *value)
{
    return value;
}

static int in_child(void)
{
    pthread_t thread;
    void *result = NULL;

    if (pthread_create(&thread, NULL, born_in_child, &result) || pthread_join(thread, &result))
        return 2;
    return result == &result ? 0 : 3;
}

static void fork_or_make(struct worker *self)
{
    if (self->index % 2 == 0) {
        add_children(self, nothing, CHILDREN);
        return;
    }
    for (int i = 0; i < FORKS && !tc_failures(); i++) {
        int status = -1;
        pid_t child = fork();

        if (child == 0)
            _exit(in_child());
        EXPECT_GT(child, 0);
        EXPECT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
}

CALL_TEST(Births, a_fork_in_the_middle_of_them, run(2, 2, CHILDREN, fork_or_make))

/* ---- Plain threads of workers ------------------------------------------------------------------------------- */

static int threads_ran;

static DWORD WINAPI plain(LPVOID unused)
{
    flag_add(&threads_ran, 1);
    return 0;
}

static void make_threads(struct worker *boss)
{
    for (int i = 0; i < CHILDREN && !tc_failures(); i++) {
        DWORD id = 0;
        HANDLE thread = CreateThread(NULL, 65536, plain, NULL, 0, &id);

        ASSERT_NE(thread, NULL);
        EXPECT_NE(id, 0u);
        EXPECT_EQ(WaitForSingleObject(thread, 10000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(thread));
    }
}

TEST(Births, of_threads_on_all_schedulers_at_once)
{
    run(SCHEDULERS, BOSSES, 0, make_threads);
    EXPECT_EQ(threads_ran, BOSSES * CHILDREN);
}
