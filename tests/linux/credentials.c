/* SPDX-License-Identifier: MIT
 *
 * credentials.c - setuid and its kin, called by any thread: they return, and hold in every kernel thread.
 *
 * Each part runs in a process of its own, as root (which then becomes nobody) or as the user that runs the
 * tests.
 *
 * modes: ways
 * with: changing_ids.c
 */
#include "changing_ids.h"
#include "child.h"
#include "come_and_go.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NO_NAMESPACE = 77 };

/* ---- Whom it meets ---------------------------------------------------------------------------------------- */

static int changed, raw_pipe[2], front_pipe[2];
static HANDLE event_of_test;

static void read_bare(struct worker *self)
{
    char byte = 0;

    EXPECT_EQ(syscall(SYS_read, raw_pipe[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'r');
}

static void read_by_libc(struct worker *self)
{
    char byte = 0;

    EXPECT_EQ(read(front_pipe[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'f');
}

static void wait_for_event(struct worker *self)
{
    EXPECT_EQ(WaitForSingleObject(event_of_test, 20000), (DWORD)WAIT_OBJECT_0);
}

static void yield_on(struct worker *self)
{
    while (!flag_get(&changed))
        UmsThreadYield(NULL);
}

static void sleep_on(struct worker *self)
{
    while (!flag_get(&changed)) {
        EXPECT_EQ(usleep(300), 0);
        UmsThreadYield(NULL);
    }
}

static void create_on(struct worker *self)
{
    while (!flag_get(&changed))
        come_and_go(self);
}

/* Lets all of them go. */
static void finish(void)
{
    flag_set(&changed, 1);
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(write(raw_pipe[1], "r", 1), 1);
        EXPECT_EQ(write(front_pipe[1], "f", 1), 1);
    }
    SetEvent(event_of_test);
}

static void change_in_worker(struct worker *self)
{
    for (int i = 0; i < 20; i++) {
        UmsThreadYield(NULL);
        usleep(100);
    }
    change_all();
    finish();
}

static void *change_in_thread(void *unused)
{
    usleep(20000);
    change_all();
    finish();
    return unused;
}

static int activations;

static void change_in_scheduler(const struct activation *activation, void *unused)
{
    if (flag_add(&activations, 1) == 30) {
        change_all();
        finish();
    }
}

enum who { BY_WORKER, BY_THREAD, BY_SCHEDULER };

static int meet_all(void *by)
{
    enum who who = *(enum who *)by;
    struct fleet *fleet = fleet_create(2, 16, FLEET_SHARED_READY);
    pthread_t thread;

    EXPECT_EQ(pipe(raw_pipe), 0);
    EXPECT_EQ(pipe(front_pipe), 0);
    event_of_test = CreateEvent(NULL, TRUE, FALSE, NULL);
    for (int i = 0; i < 2; i++) {
        fleet_add(fleet, read_bare, NULL);
        fleet_add(fleet, read_by_libc, NULL);
        fleet_add(fleet, wait_for_event, NULL);
        fleet_add(fleet, yield_on, NULL);
        fleet_add(fleet, sleep_on, NULL);
        fleet_add(fleet, create_on, NULL);
    }
    if (who == BY_WORKER)
        fleet_add(fleet, change_in_worker, NULL);
    else if (who == BY_SCHEDULER)
        fleet_set_hook(fleet, change_in_scheduler, NULL);
    else
        EXPECT_EQ(pthread_create(&thread, NULL, change_in_thread, NULL), 0);
    fleet_run(fleet);
    if (who == BY_THREAD)
        EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(flag_get(&changed), 1);
    fleet_destroy(fleet);
    return 0;
}

static void meet(enum who who)
{
    EXPECT_IN_CHILD(meet_all, &who, LIMIT_MS);
}

CALL_TEST(Credentials, changed_by_a_worker, meet(BY_WORKER))
CALL_TEST(Credentials, changed_by_a_plain_thread, meet(BY_THREAD))
CALL_TEST(Credentials, changed_by_a_scheduler, meet(BY_SCHEDULER))

/* ---- Elsewhere ------------------------------------------------------------------------------------------- */

static void *do_nothing(void *unused)
{
    return unused;
}

static int without_ums(void *unused)
{
    pthread_t thread;

    EXPECT_EQ(pthread_create(&thread, NULL, do_nothing, NULL), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(setuid(getuid()), 0);
    EXPECT_EQ(setgid(getgid()), 0);
    return 0;
}

CALL_TEST(Credentials, a_process_without_ums, EXPECT_IN_CHILD(without_ums, NULL, LIMIT_MS))

static void nothing(struct worker *self)
{
    UmsThreadYield(self);
}

/* In a sandbox without /proc the library cannot list the threads. It refuses the call, and no
 * thread is changed. */
static int without_proc(void *unused)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    fleet_add(fleet, nothing, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/proc", "tmpfs", 0, NULL) != 0)
        return NO_NAMESPACE;
    EXPECT_ERRNO(setuid(NOBODY), ENOSYS);
    EXPECT_EQ(getuid(), 0u);
    return 0;
}

TEST(Credentials, without_proc)
{
    struct child_result result = child_run(without_proc, NULL, LIMIT_MS);

    if (result.exited && result.code == NO_NAMESPACE)
        SKIP("no mount namespace may be made here");
    EXPECT_CHILD_OK(result);
    EXPECT_THAT(strstr(result.output, "/proc/self/task"), "it does not say why: %s", result.output);
}

static void *leave_main(void *unused)
{
    usleep(50000);
    if (getuid() == 0)
        change_as_root();
    change_as_anybody();
    exit(0);
    return unused;
}

/* The process's main thread ends first and stays as a zombie, which no signal reaches. */
static int main_has_ended(void *unused)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    pthread_t thread;

    fleet_add(fleet, nothing, NULL);
    fleet_run(fleet);
    EXPECT_EQ(pthread_create(&thread, NULL, leave_main, NULL), 0);
    pthread_exit(NULL);
}

CALL_TEST(Credentials, the_main_thread_has_ended, EXPECT_IN_CHILD(main_has_ended, NULL, LIMIT_MS))
