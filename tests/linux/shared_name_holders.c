/* SPDX-License-Identifier: MIT
 *
 * shared_name_holders.c - the processes that have a section's name: processes that die, are
 * stopped, have lost their first thread, or may not be inspected.
 *
 * modes: default
 * with: own_shm.c
 */
#include "own_shm.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[300];

static bool is_there(const char *name)
{
    HANDLE section = find_section(name);

    return section && CloseHandle(section);
}

static int make_mine(void)
{
    HANDLE section = make_section("mine");

    return !section || GetLastError() != ERROR_SUCCESS;
}

static int find_mine(void)
{
    return is_there("mine") ? 0 : (int)GetLastError();
}

/* ---- Processes that die ---------------------------------------------------------------------- */

static int die_with_names(void)
{
    make_section("first");
    make_section("second");
    make_section("third");
    raise(SIGKILL);
    return 1;
}

static int use_one(void)
{
    char last[600];

    if (find_section("second") || GetLastError() != ERROR_FILE_NOT_FOUND)
        return 100;
    return entries(folder, last, sizeof last); /* all that is left */
}

static int left_behind(void *unused)
{
    char last[600];

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    other_process(die_with_names, -SIGKILL);
    EXPECT_EQ(entries("/dev/shm", folder, sizeof folder), 1);
    EXPECT_EQ(entries(folder, last, sizeof last), 3);
    other_process(use_one, 0);
    return 0;
}

CALL_TEST(SharedNameHolders, that_died_leave_names_which_are_swept, in_own_place(left_behind, NULL))

enum { ROUNDS = 40, NAMES = 3 };
static int rounds[2];

/* Makes, finds and closes names until it is killed; each time around it says so. */
static int use_names(void)
{
    const char *const names[NAMES] = {"first", "second", "third"};

    for (;;) {
        for (int i = 0; i < NAMES; i++) {
            HANDLE section = make_section(names[i]);
            LONG *view =
                section ? MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, sizeof(LONG)) : NULL;

            if (!view)
                return 1;
            InterlockedIncrement(view);
            if (!CloseHandle(section) || !UnmapViewOfFile(view))
                return 2;
        }
        if (write(rounds[1], "", 1) != 1)
            return 3;
    }
}

/* Killed wherever they are: two at a time, which are in each other's way. */
static int killed_anywhere(void *unused)
{
    char last[600];
    char byte;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    EXPECT_EQ(pipe(rounds), 0);
    for (int i = 0; i < ROUNDS; i++) {
        pid_t users[2];

        for (int k = 0; k < 2; k++)
            if ((users[k] = fork()) == 0) {
                close(rounds[0]);
                _exit(use_names());
            }
        for (int k = 0; k < 2 + i % 5; k++)
            EXPECT_EQ(read(rounds[0], &byte, 1), 1);
        for (int k = 0; k < 2; k++) {
            int status = 0;

            EXPECT_EQ(kill(users[k], SIGKILL), 0);
            EXPECT_EQ(waitpid(users[k], &status, 0), users[k]);
            EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), -SIGKILL);
        }
    }
    other_process(make_mine, 0);
    EXPECT_EQ(entries("/dev/shm", folder, sizeof folder), 1);
    EXPECT_EQ(entries(folder, last, sizeof last), 1); /* "mine", by the one that has just ended */
    EXPECT_FAILS(find_section("first"), ERROR_FILE_NOT_FOUND);
    EXPECT_EQ(entries(folder, last, sizeof last), 0);
    return 0;
}

CALL_TEST(SharedNameHolders, may_be_killed_anywhere, in_own_place(killed_anywhere, NULL))

static HANDLE kept;

static int keep_mine(void)
{
    kept = find_section("mine");
    return kept == NULL;
}

/* Each finds the section by whichever process still has it. */
static int in_turn(void *unused)
{
    struct held held[3];

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    if (!hold(&held[0], make_mine) || !hold(&held[1], keep_mine))
        return 1;
    kill_held(&held[0]);
    if (!hold(&held[2], keep_mine))
        return 2;
    let_go(&held[1]);
    EXPECT_OK(is_there("mine"));
    kill_held(&held[2]);
    EXPECT_FAILS(find_section("mine"), ERROR_FILE_NOT_FOUND);
    return 0;
}

CALL_TEST(SharedNameHolders, take_over_from_each_other, in_own_place(in_turn, NULL))

/* ---- Processes in odd states ----------------------------------------------------------------- */

static int stopped(void *unused)
{
    struct held held;
    int status;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    if (!hold(&held, make_mine))
        return 1;
    EXPECT_EQ(kill(held.process, SIGSTOP), 0);
    EXPECT_EQ(waitpid(held.process, &status, WUNTRACED), held.process);
    EXPECT_OK(is_there("mine"));
    EXPECT_EQ(kill(held.process, SIGCONT), 0);
    let_go(&held);
    return 0;
}

CALL_TEST(SharedNameHolders, may_be_stopped, in_own_place(stopped, NULL))

static int says[2];
static int ends[2];
static pthread_t first;

static bool has_ended(pid_t process)
{
    char path[64];
    char state = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)process);
    file = fopen(path, "r");
    if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        _exit(3);
    fclose(file);
    return state == 'Z';
}

static void *outlive(void *unused)
{
    char byte = 0;

    /* The kernel has ended it before it shows that. */
    if (pthread_join(first, NULL))
        _exit(2);
    while (!has_ended(getpid()))
        sched_yield();
    if (make_mine() || write(says[1], "", 1) != 1 || read(ends[0], &byte, 1) != 1)
        _exit(1);
    _exit(0);
}

/* Only the process's second thread shows its files in /proc. */
static int without_first_thread(void *unused)
{
    char byte;
    int status = 0;
    pid_t process;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    EXPECT_EQ(pipe(says), 0);
    EXPECT_EQ(pipe(ends), 0);
    process = fork();
    if (process == 0) {
        pthread_t thread;

        close(ends[1]);
        first = pthread_self();
        if (pthread_create(&thread, NULL, outlive, NULL))
            _exit(4);
        syscall(SYS_exit, 0); /* alone: pthread_exit waits for the others */
    }
    close(says[1]);
    EXPECT_EQ(read(says[0], &byte, 1), 1);
    EXPECT_OK(is_there("mine"));
    EXPECT_EQ(write(ends[1], "", 1), 1);
    EXPECT_EQ(waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
    EXPECT_FAILS(find_section("mine"), ERROR_FILE_NOT_FOUND);
    return 0;
}

CALL_TEST(SharedNameHolders, may_have_lost_their_first_thread,
          in_own_place(without_first_thread, NULL))

/* Becomes an ordinary user. The kernel lets such a user look only into processes that allow it,
 * which they do not after a change of ids: so this allows it. */
static int as_nobody(void)
{
    return setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ||
           prctl(PR_SET_DUMPABLE, 1);
}

static int make_hidden(void)
{
    return as_nobody() || make_mine() || prctl(PR_SET_DUMPABLE, 0);
}

static int make_seen(void)
{
    return as_nobody() || make_mine();
}

static int find_as_nobody(void)
{
    return as_nobody() ? 100 : find_mine();
}

static int hidden(void *unused)
{
    struct held held;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    if (!hold(&held, make_hidden))
        return 1;
    other_process(find_as_nobody, ERROR_ACCESS_DENIED);
    kill_held(&held);
    other_process(find_as_nobody, ERROR_FILE_NOT_FOUND);
    if (!hold(&held, make_seen))
        return 2;
    other_process(find_as_nobody, 0);
    kill_held(&held);
    other_process(find_as_nobody, ERROR_FILE_NOT_FOUND);
    return 0;
}

CALL_TEST(SharedNameHolders, must_let_others_look_at_them,
          in_own_place(hidden, "cannot be looked into"))

static int as_nobody_before(void)
{
    umask(0777);
    return as_nobody() || make_mine();
}

/* An ordinary user's folder and files are his whatever the umask was when they were made. */
static int strict_umask(void *unused)
{
    struct held held;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    if (!hold(&held, as_nobody_before))
        return 1;
    other_process(find_as_nobody, 0);
    let_go(&held);
    other_process(find_as_nobody, ERROR_FILE_NOT_FOUND);
    return 0;
}

CALL_TEST(SharedNameHolders, may_have_any_umask, in_own_place(strict_umask, NULL))

/* Makes a section of a file that nobody may open for writing any more. Only the process that made
 * it has it open. */
static int make_of_file(void)
{
    HANDLE file;

    if (as_nobody())
        return 1;
    file = CreateFileA("/dev/shm/file", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, NULL,
                       CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE || chmod("/dev/shm/file", 0444))
        return 2;
    return !CreateFileMappingA(file, NULL, PAGE_READWRITE, 0, BYTES, "mine");
}

static int closed_file(void *unused)
{
    struct held held;

    if (!own_place("/dev/shm"))
        return NO_PLACE;
    if (!hold(&held, make_of_file))
        return 1;
    other_process(find_as_nobody, ERROR_ACCESS_DENIED);
    let_go(&held);
    return 0;
}

TEST(SharedNameHolders, may_have_a_file_that_is_closed_to_others)
{
    struct child_result result = child_run(closed_file, NULL, LIMIT_MS);

    if (result.exited && result.code == NO_PLACE)
        SKIP("only root may have a /dev/shm of its own");
    EXPECT_CHILD_OK(result);
    EXPECT_THAT(!strstr(result.output, "looked into"), "it blames /proc: %s", result.output);
}
