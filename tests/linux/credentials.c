/* SPDX-License-Identifier: MIT
 *
 * credentials.c - setuid and its kin, called by any thread: they return, and hold in every kernel thread.
 *
 * Each part runs in a process of its own, as root (which then becomes nobody) or as the user that runs the
 * tests.
 */
#include "child.h"
#include "come_and_go.h"
#include "fleet.h"
#include "gtest_c.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOBODY = 65534, LIMIT_MS = 24000, NO_NAMESPACE = 77 };

/* ---- What the kernel says of every thread ----------------------------------------------------------- */

static int read_status(const char *tid, char *text, size_t bytes)
{
    char path[300];
    size_t length = 0;
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "/proc/self/task/%s/status", tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    while (length < bytes - 1 && (n = syscall(SYS_read, fd, text + length, bytes - 1 - length)) > 0)
        length += (size_t)n;
    close(fd);
    text[length] = 0;
    /* A thread of the kernel's, for io_uring, runs nothing of ours; one that is ending neither. */
    return length && !strstr(text, "iou-") && !strstr(text, "State:\tZ") &&
           !strstr(text, "State:\tX");
}

static void number_line(char *line, size_t bytes, const char *name, const long *ids)
{
    snprintf(line, bytes, "\n%s:\t%ld\t%ld\t%ld\t%ld\n", name, ids[0], ids[1], ids[2],
             ids[1] /* fs */);
}

/* Every thread has these ids, and these groups unless NULL ("5 6 "). The number of threads. */
static int expect_everywhere(const long *uids, const long *gids, const char *groups)
{
    char text[8192], line[256];
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int count = 0;

    if (!tasks) {
        EXPECT_NE(tasks, NULL);
        return 0;
    }
    while ((entry = readdir(tasks)) != NULL) {
        if (entry->d_name[0] == '.' || !read_status(entry->d_name, text, sizeof text))
            continue;
        count++;
        number_line(line, sizeof line, "Uid", uids);
        EXPECT_THAT(strstr(text, line), "thread %s has other user ids: %.600s", entry->d_name,
                    text);
        number_line(line, sizeof line, "Gid", gids);
        EXPECT_THAT(strstr(text, line), "thread %s has other group ids: %.600s", entry->d_name,
                    text);
        if (groups) {
            snprintf(line, sizeof line, "\nGroups:\t%s\n", groups);
            EXPECT_THAT(strstr(text, line), "thread %s is in other groups: %.600s", entry->d_name,
                        text);
        }
    }
    closedir(tasks);
    return count;
}

static void expect_ids(long ruid, long euid, long suid, long rgid, long egid, long sgid,
                       const char *groups)
{
    const long uids[3] = {ruid, euid, suid}, gids[3] = {rgid, egid, sgid};

    EXPECT_GT(expect_everywhere(uids, gids, groups), 1);
}

/* ---- What is called ------------------------------------------------------------------------------------ */

static void change_as_anybody(void)
{
    uid_t uid = getuid();
    gid_t gid = getgid();

    EXPECT_EQ(setuid(uid), 0);
    EXPECT_EQ(seteuid(uid), 0);
    EXPECT_EQ(setreuid(uid, uid), 0);
    EXPECT_EQ(setresuid((uid_t)-1, uid, (uid_t)-1), 0);
    EXPECT_EQ(setgid(gid), 0);
    EXPECT_EQ(setegid(gid), 0);
    EXPECT_EQ(setregid(gid, gid), 0);
    EXPECT_EQ(setresgid((gid_t)-1, gid, (gid_t)-1), 0);
    expect_ids(uid, uid, uid, gid, gid, gid, NULL);
    EXPECT_ERRNO(seteuid((uid_t)-1), EINVAL);
    EXPECT_ERRNO(setegid((gid_t)-1), EINVAL);
}

static void fail_as_nobody(void)
{
    gid_t group = 5;

    EXPECT_ERRNO(setuid(0), EPERM);
    EXPECT_ERRNO(seteuid(0), EPERM);
    EXPECT_ERRNO(setresuid(0, 0, 0), EPERM);
    EXPECT_ERRNO(setgid(0), EPERM);
    EXPECT_ERRNO(setgroups(1, &group), EPERM);
    EXPECT_ERRNO(initgroups("nobody", 7), EPERM);
    expect_ids((long)getuid(), (long)getuid(), (long)getuid(), (long)getgid(), (long)getgid(),
               (long)getgid(), NULL);
}

static void change_as_root(void)
{
    gid_t groups[] = {5, 6};

    EXPECT_EQ(setgroups(2, groups), 0);
    expect_ids(0, 0, 0, 0, 0, 0, "5 6 ");
    EXPECT_EQ(initgroups("nobody", 7), 0);
    expect_ids(0, 0, 0, 0, 0, 0, "7 ");
    EXPECT_EQ(seteuid(NOBODY), 0);
    expect_ids(0, NOBODY, 0, 0, 0, 0, NULL);
    EXPECT_EQ(seteuid(0), 0);
    expect_ids(0, 0, 0, 0, 0, 0, NULL);
    EXPECT_EQ(setegid(NOBODY), 0);
    expect_ids(0, 0, 0, 0, NOBODY, 0, NULL);
    EXPECT_EQ(setregid(3, 4), 0);
    expect_ids(0, 0, 0, 3, 4, 4, NULL);
    EXPECT_EQ(setresgid(NOBODY, NOBODY, NOBODY), 0);
    EXPECT_EQ(setreuid(0, NOBODY), 0);
    expect_ids(0, NOBODY, NOBODY, NOBODY, NOBODY, NOBODY, "7 ");
    EXPECT_EQ(seteuid(0), 0);
    EXPECT_EQ(setgroups(0, NULL), 0);
    EXPECT_EQ(setuid(NOBODY), 0);
    expect_ids(NOBODY, NOBODY, NOBODY, NOBODY, NOBODY, NOBODY, " ");
}

static void change_all(void)
{
    if (getuid() == 0)
        change_as_root();
    change_as_anybody();
    fail_as_nobody();
}

/* ---- Whom it meets ---------------------------------------------------------------------------------------- */

static int changed, raw_pipe[2], front_pipe[2];
static HANDLE event_of_test;

static void read_bare(struct worker *self)
{
    char byte = 0;

    (void)self;
    EXPECT_EQ(syscall(SYS_read, raw_pipe[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'r');
}

static void read_by_libc(struct worker *self)
{
    char byte = 0;

    (void)self;
    EXPECT_EQ(read(front_pipe[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'f');
}

static void wait_for_event(struct worker *self)
{
    (void)self;
    EXPECT_EQ(WaitForSingleObject(event_of_test, 20000), (DWORD)WAIT_OBJECT_0);
}

static void yield_on(struct worker *self)
{
    (void)self;
    while (!flag_get(&changed))
        UmsThreadYield(NULL);
}

static void sleep_on(struct worker *self)
{
    (void)self;
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
    (void)self;
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
    (void)activation;
    (void)unused;
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
    struct child_result result = child_run(meet_all, &who, LIMIT_MS);

    EXPECT_CHILD_OK(result);
}

TEST(Credentials, changed_by_a_worker)
{
    meet(BY_WORKER);
}

TEST(Credentials, changed_by_a_plain_thread)
{
    meet(BY_THREAD);
}

TEST(Credentials, changed_by_a_scheduler)
{
    meet(BY_SCHEDULER);
}

/* ---- Standing carriers ----------------------------------------------------------------------------------- */

enum { PAIRS = 8, ROUNDS = 150 };

static int ping[PAIRS][2], pong[PAIRS][2];

/* Bare calls that wait for each other while rounds go on: no byte is lost, none comes twice, and what the
 * kernel tells itself about restarts reaches nobody. */
static void play(struct worker *self)
{
    int pair = self->index / 2;
    bool first = self->index % 2 == 0;
    unsigned char byte = 0;

    for (int i = 0; !first || !flag_get(&changed); i++) {
        unsigned char expected = (unsigned char)i;

        if (first) {
            EXPECT_EQ(syscall(SYS_write, ping[pair][1], &expected, 1), 1);
            EXPECT_EQ(syscall(SYS_read, pong[pair][0], &byte, 1), 1);
            EXPECT_EQ(byte, expected);
        } else {
            if (syscall(SYS_read, ping[pair][0], &byte, 1) != 1)
                return;
            EXPECT_EQ(byte, expected);
            EXPECT_EQ(syscall(SYS_write, pong[pair][1], &byte, 1), 1);
        }
    }
    if (first)
        close(ping[pair][1]);
}

static void *change_often(void *unused)
{
    for (int i = 0; i < ROUNDS; i++)
        EXPECT_EQ(seteuid(getuid() ? getuid() : i % 2 ? 0 : NOBODY), 0);
    flag_set(&changed, 1);
    return unused;
}

static int play_meanwhile(void *unused)
{
    struct fleet *fleet = fleet_create(2, 2 * PAIRS, FLEET_SHARED_READY);
    pthread_t threads[2];

    (void)unused;
    for (int i = 0; i < PAIRS; i++) {
        EXPECT_EQ(pipe(ping[i]), 0);
        EXPECT_EQ(pipe(pong[i]), 0);
        fleet_add(fleet, play, NULL);
        fleet_add(fleet, play, NULL);
    }
    for (int i = 0; i < 2; i++) /* two that change at once */
        EXPECT_EQ(pthread_create(&threads[i], NULL, change_often, NULL), 0);
    fleet_run(fleet);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(pthread_join(threads[i], NULL), 0);
    fleet_destroy(fleet);
    return 0;
}

TEST(Credentials, changed_while_bare_calls_block_and_return)
{
    struct child_result result = child_run(play_meanwhile, NULL, LIMIT_MS);

    EXPECT_CHILD_OK(result);
}

/* ---- Workers that wait for every signal ------------------------------------------------------------------ */

/* libc's own signals are in the set, as they are for a program that fills it by hand. They are not for it. */
static void wait_for_any(struct worker *self)
{
    static const struct timespec no_time, moment = {0, 200000};
    uint64_t all = ~0ull;

    for (int i = 0; !flag_get(&changed); i++) {
        EXPECT_ERRNO((int)syscall(SYS_rt_sigtimedwait, &all, NULL,
                                  (i + self->index) % 4 ? &no_time : &moment, sizeof all),
                     EAGAIN);
    }
}

/* Nor are they blocked by a full mask, or taken by a thread that opens one. */
static void block_and_open(struct worker *self)
{
    sigset_t all, none, before;

    (void)self;
    memset(&all, 0xff, sizeof all);
    sigemptyset(&none);
    while (!flag_get(&changed)) {
        EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
        EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &none, &before), 0);
        EXPECT_EQ(before.__val[0], ~(1ul << (SIGKILL - 1) | 1ul << (SIGSTOP - 1) | 3ul << 31));
        UmsThreadYield(NULL);
    }
}

static int wait_meanwhile(void *unused)
{
    struct fleet *fleet = fleet_create(2, 6, FLEET_SHARED_READY);
    pthread_t thread;

    (void)unused;
    for (int i = 0; i < 4; i++)
        fleet_add(fleet, wait_for_any, NULL);
    for (int i = 0; i < 2; i++)
        fleet_add(fleet, block_and_open, NULL);
    EXPECT_EQ(pthread_create(&thread, NULL, change_often, NULL), 0);
    fleet_run(fleet);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    fleet_destroy(fleet);
    return 0;
}

TEST(Credentials, changed_while_workers_wait_for_every_signal)
{
    struct child_result result = child_run(wait_meanwhile, NULL, LIMIT_MS);

    EXPECT_CHILD_OK(result);
}

/* ---- Workers that end ------------------------------------------------------------------------------------ */

static int begun;

/* One that is ended before it was executed would be missed by its scheduler. */
static DWORD WINAPI end_workers(LPVOID fleet)
{
    for (int i = 0; i < 8; i++) {
        while (flag_get(&begun) <= i)
            Sleep(1);
        EXPECT_OK(TerminateThread(fleet_worker(fleet, i)->thread, 7));
        Sleep(5);
    }
    return 0;
}

static void block_for_good(struct worker *self)
{
    char byte;

    flag_set(&begun, self->index + 1);
    syscall(SYS_read, raw_pipe[0], &byte, 1);
    EXPECT_THAT(false, "a call that nobody completes has returned");
}

static int end_meanwhile(void *unused)
{
    struct fleet *fleet = fleet_create(1, 9, 0);
    pthread_t thread;
    HANDLE ender;

    (void)unused;
    EXPECT_EQ(pipe(raw_pipe), 0);
    for (int i = 0; i < 8; i++)
        fleet_add(fleet, block_for_good, NULL);
    EXPECT_EQ(pthread_create(&thread, NULL, change_often, NULL), 0);
    ender = CreateThread(NULL, 0, end_workers, fleet, 0, NULL);
    fleet_run(fleet);
    EXPECT_EQ(WaitForSingleObject(ender, 20000), (DWORD)WAIT_OBJECT_0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    fleet_destroy(fleet);
    return 0;
}

TEST(Credentials, changed_while_blocked_workers_are_ended)
{
    struct child_result result = child_run(end_meanwhile, NULL, LIMIT_MS);

    EXPECT_CHILD_OK(result);
}

/* ---- Elsewhere ------------------------------------------------------------------------------------------- */

static void *do_nothing(void *unused)
{
    return unused;
}

static int without_ums(void *unused)
{
    pthread_t thread;

    (void)unused;
    EXPECT_EQ(pthread_create(&thread, NULL, do_nothing, NULL), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(setuid(getuid()), 0);
    EXPECT_EQ(setgid(getgid()), 0);
    return 0;
}

TEST(Credentials, a_process_without_ums)
{
    struct child_result result = child_run(without_ums, NULL, LIMIT_MS);

    EXPECT_CHILD_OK(result);
}

static void nothing(struct worker *self)
{
    UmsThreadYield(self);
}

/* Sandboxes: the list of threads cannot be had. Refused, and nobody is changed. */
static int without_proc(void *unused)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    (void)unused;
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

/* Its main thread stays behind as a zombie, which no signal reaches. */
static int main_has_ended(void *unused)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    pthread_t thread;

    (void)unused;
    fleet_add(fleet, nothing, NULL);
    fleet_run(fleet);
    EXPECT_EQ(pthread_create(&thread, NULL, leave_main, NULL), 0);
    pthread_exit(NULL);
}

TEST(Credentials, the_main_thread_has_ended)
{
    struct child_result result = child_run(main_has_ended, NULL, LIMIT_MS);

    EXPECT_CHILD_OK(result);
}
