/* SPDX-License-Identifier: MIT
 *
 * shared_name_places.c - places where names cannot be shared, so the name of a section, an event, a
 * semaphore or a mutex is the process's own and a line says why: a folder that is another user's,
 * missing, full, read-only or without locks; another /proc; and processes that may not share names.
 * And a process that makes a name locks the folder, so another one waits.
 *
 * modes: default
 * with: own_shm.c
 */
#include "filters.h"
#include "own_shm.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[300];

static void make_once(void)
{
    HANDLE section = make_section("mine");

    EXPECT_OK(section != NULL);
    EXPECT_OK(CloseHandle(section));
}

/* Named events, semaphores and mutexes work within the process, though no other process finds them.
 * */
static void expect_own_sync(void)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, "event");
    HANDLE semaphore = CreateSemaphoreA(NULL, 1, 2, "semaphore");
    HANDLE mutex = CreateMutexA(NULL, TRUE, "mutex");
    HANDLE found[] = {OpenEventA(EVENT_ALL_ACCESS, FALSE, "event"),
                      OpenSemaphoreA(SEMAPHORE_ALL_ACCESS, FALSE, "semaphore"),
                      OpenMutexA(MUTEX_ALL_ACCESS, FALSE, "mutex")};

    EXPECT_OK(event != NULL && semaphore != NULL && mutex != NULL);
    EXPECT_EQ(WaitForMultipleObjects(3, found, TRUE, 0), WAIT_TIMEOUT);
    EXPECT_OK(SetEvent(event));
    EXPECT_EQ(WaitForMultipleObjects(3, found, TRUE, 0), WAIT_OBJECT_0);
    EXPECT_OK(ReleaseMutex(mutex) && ReleaseMutex(mutex));
    for (int i = 0; i < 3; i++)
        EXPECT_OK(CloseHandle(found[i]));
    EXPECT_OK(CloseHandle(event) && CloseHandle(semaphore) && CloseHandle(mutex));
    EXPECT_FAILS(OpenEventA(EVENT_ALL_ACCESS, FALSE, "event"), ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(OpenMutexA(MUTEX_ALL_ACCESS, FALSE, "mutex"), ERROR_FILE_NOT_FOUND);
}

/* A name is the process's own: this process finds it, and it is gone with the last handle. */
static void expect_own(void)
{
    HANDLE section = make_section("mine");
    HANDLE again = make_section("mine");

    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    EXPECT_OK(section != NULL);
    EXPECT_OK(CloseHandle(section));
    section = find_section("mine");
    EXPECT_OK(section != NULL);
    EXPECT_OK(CloseHandle(section));
    EXPECT_OK(CloseHandle(again));
    EXPECT_FAILS(find_section("mine"), ERROR_FILE_NOT_FOUND);
    expect_own_sync();
}

/* ---- Folders that are not the user's --------------------------------------------------------- */

static int not_ours(void *unused)
{
    if (!own_place("/dev/shm"))
        return NO_PLACE;
    make_once();
    EXPECT_EQ(entries("/dev/shm", folder, sizeof folder), 1);
    EXPECT_EQ(chmod(folder, 0770), 0);
    expect_own();
    EXPECT_EQ(chmod(folder, 0700), 0);
    EXPECT_EQ(chown(folder, NOBODY, NOBODY), 0);
    expect_own();
    EXPECT_EQ(rmdir(folder), 0);
    EXPECT_EQ(mkdir("/dev/shm/elsewhere", 0700), 0);
    EXPECT_EQ(symlink("/dev/shm/elsewhere", folder), 0);
    expect_own();
    EXPECT_EQ(rmdir("/dev/shm/elsewhere"), 0); /* nothing is in it */
    EXPECT_EQ(unlink(folder), 0);
    make_once();
    return 0;
}

CALL_TEST(SharedNamePlaces, may_not_be_the_users,
          in_own_place(not_ours, "is not this user's alone"))

/* A process that is somebody else now closes its section when the folder has gone. */
static int somebody_else(void *unused)
{
    HANDLE section;
    char last[600];

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    section = make_section("mine");
    EXPECT_OK(section != NULL);
    EXPECT_EQ(entries("/dev/shm", folder, sizeof folder), 1);
    EXPECT_EQ(entries(folder, last, sizeof last), 1);
    EXPECT_EQ(unlink(last), 0);
    EXPECT_EQ(rmdir(folder), 0);
    EXPECT_EQ(setresuid(NOBODY, NOBODY, NOBODY), 0);
    EXPECT_OK(CloseHandle(section));
    EXPECT_EQ(entries("/dev/shm", last, sizeof last), 0);
    return 0;
}

CALL_TEST(SharedNamePlaces, are_not_made_again_when_a_name_is_closed,
          in_own_place(somebody_else, NULL))

/* ---- Other places ---------------------------------------------------------------------------- */

static int no_place(void *unused)
{
    if (!own_place("/dev") || !own_place("/tmp"))
        return NO_PLACE;
    EXPECT_EQ(mount(NULL, "/tmp", NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    expect_own();
    return 0;
}

CALL_TEST(SharedNamePlaces, may_be_missing, in_own_place(no_place, "there is no /dev/shm"))

static int full(void *unused)
{
    char last[600];
    int fd;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    make_once();
    EXPECT_EQ(entries("/dev/shm", folder, sizeof folder), 1);
    EXPECT_EQ(mount(NULL, "/dev/shm", NULL, MS_REMOUNT, "size=4k"), 0);
    fd = open("/dev/shm/else", O_RDWR | O_CREAT, 0600);
    EXPECT_EQ(write(fd, "all", 3), 3); /* a page, and there is one */
    close(fd);
    expect_own();
    EXPECT_EQ(entries(folder, last, sizeof last), 0);
    return 0;
}

CALL_TEST(SharedNamePlaces, may_be_full, in_own_place(full, "/dev/shm is full"))

/* The process is one of those that share such objects, and then there is no room for a name. */
static int full_later(void *unused)
{
    HANDLE event;
    int fd;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    event = CreateEventA(NULL, FALSE, FALSE, "before");
    EXPECT_OK(event != NULL);
    EXPECT_EQ(mount(NULL, "/dev/shm", NULL, MS_REMOUNT, "size=12k"), 0);
    fd = open("/dev/shm/else", O_RDWR | O_CREAT, 0600);
    EXPECT_EQ(write(fd, "all", 3), 3); /* the third page, and there are three */
    close(fd);
    expect_own();
    EXPECT_OK(SetEvent(event));
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(event));
    return 0;
}

TEST(SharedNamePlaces, may_become_full)
{
    in_own_place(full_later, "/dev/shm is full");
}

/* The folder is there, and cannot be written to. */
static int read_only(void *unused)
{
    if (!own_place("/dev/shm"))
        return NO_PLACE;
    make_once();
    EXPECT_EQ(mount(NULL, "/dev/shm", NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    expect_own();
    return 0;
}

CALL_TEST(SharedNamePlaces, may_be_read_only, in_own_place(read_only, "to write to"))

static int without_locks(void *unused)
{
    char last[600];

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    EXPECT_EQ(refuse_call(SYS_flock, EPERM), 0);
    expect_own();
    expect_own();
    EXPECT_EQ(entries("/dev/shm", folder, sizeof folder), 1);
    EXPECT_EQ(entries(folder, last, sizeof last), 0);
    return 0;
}

CALL_TEST(SharedNamePlaces, may_refuse_locks, in_own_place(without_locks, "flock is refused"))

static int use_own(void)
{
    expect_own();
    return tc_failures() != 0;
}

/* This /proc has other numbers for the child's processes than these have themselves. */
static int with_another_proc(void *unused)
{
    char last[600];

    if (!own_place("/dev/shm") || unshare(CLONE_NEWPID))
        return NO_PLACE;
    other_process(use_own, 0);
    EXPECT_EQ(entries("/dev/shm", last, sizeof last), 0);
    return 0;
}

CALL_TEST(SharedNamePlaces, may_be_seen_by_another_proc,
          in_own_place(with_another_proc, "of another pid name space"))

/* ---- Processes ------------------------------------------------------------------------------- */

/* A process made its first event as another user, and shares with that user's processes. The names
 * that it finds now are not theirs. */
static int as_another_user(void *unused)
{
    HANDLE event;
    char last[600];

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    event = CreateEventA(NULL, FALSE, FALSE, "before");
    EXPECT_OK(event != NULL);
    EXPECT_EQ(setresuid(NOBODY, NOBODY, NOBODY), 0);
    expect_own_sync();
    EXPECT_EQ(entries("/dev/shm", last, sizeof last), 1); /* root's */
    EXPECT_OK(SetEvent(event));
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(event));
    return 0;
}

CALL_TEST(SharedNamePlaces, may_be_those_of_another_user,
          in_own_place(as_another_user, "it has another user than when"))

/* SIGXFSZ is not for what the library does. The test's output is a file, too. */
static int small_files(void *unused)
{
    struct rlimit limit;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = 4096;
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    expect_own_sync();
    EXPECT_FAILS(
        CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 2 * BYTES, "mine"),
        ERROR_NOT_ENOUGH_MEMORY);
    return 0;
}

CALL_TEST(SharedNamePlaces, may_be_of_a_process_with_small_files,
          in_own_place(small_files, "RLIMIT_FSIZE"))

/* ---- Two processes --------------------------------------------------------------------------- */

static bool is_listed(const char *format, pid_t process)
{
    char line[200];
    bool listed = false;
    FILE *locks = fopen("/proc/locks", "r");

    while (locks && fgets(line, sizeof line, locks)) {
        int by = 0;

        listed |= sscanf(line, format, &by) == 1 && by == process;
    }
    if (locks)
        fclose(locks);
    return listed;
}

static bool has_a_lock(pid_t process)
{
    return is_listed("%*d: FLOCK ADVISORY WRITE %d", process);
}

static bool waits_for_a_lock(pid_t process)
{
    return is_listed("%*d: -> FLOCK ADVISORY WRITE %d", process);
}

/* A process that makes a name locks the folder: another one waits. */
static int one_at_a_time(void *unused)
{
    int status = -1;
    pid_t user, over = 0;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    make_once();
    EXPECT_EQ(entries("/dev/shm", folder, sizeof folder), 1);
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    EXPECT_EQ(flock(fd, LOCK_EX), 0);
    if (!has_a_lock(getpid()))
        return NO_PLACE; /* this /proc does not tell */
    user = fork();
    if (user == 0) {
        make_once();
        _exit(tc_failures());
    }
    while (!over && !waits_for_a_lock(user) && !tc_failures()) {
        over = waitpid(user, &status, WNOHANG);
        usleep(1000); /* nothing tells of a line in /proc/locks */
    }
    EXPECT_EQ(over, 0);
    EXPECT_EQ(flock(fd, LOCK_UN), 0);
    if (!over)
        EXPECT_EQ(waitpid(user, &status, 0), user);
    EXPECT_EQ(status, 0);
    close(fd);
    return 0;
}

CALL_TEST(SharedNamePlaces, are_one_processes_at_a_time, in_own_place(one_at_a_time, NULL))
