/* SPDX-License-Identifier: MIT
 *
 * views_of_processes.c - views of one file in several processes: a worker of one process reads what
 * a worker of another has written, and a forked child shares the views. If another process has cut
 * off the end of the file, an access to it is a SIGBUS, in that worker.
 *
 * modes: default, UMSSHIM_FAULTS=1, UMSSHIM_FRONT=0
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 8, ROUNDS = 300, LIMIT_MS = 15000 };

static char path[] = "/tmp/umsshim-views-XXXXXX";

/* The file has PAGES pages, each with its number in its first byte. */
static void make_file(void)
{
    int fd;

    strcpy(path + sizeof path - 7, "XXXXXX");
    fd = mkstemp(path);
    ASSERT_THAT(fd >= 0, "mkstemp");
    for (int i = 0; i < PAGES; i++) {
        char page[PAGE] = {(char)(i + 1)};

        EXPECT_EQ(write(fd, page, PAGE), PAGE);
    }
    close(fd);
}

static void *map(DWORD access)
{
    HANDLE file = CreateFileA(path, GENERIC_READ | GENERIC_WRITE,
                              FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    HANDLE section = CreateFileMappingA(file, NULL, PAGE_READWRITE, 0, 0, NULL);
    void *view = MapViewOfFile(section, access, 0, 0, 0);

    EXPECT_OK(view != NULL);
    EXPECT_OK(CloseHandle(section));
    EXPECT_OK(CloseHandle(file));
    return view;
}

/* ---- Two processes ------------------------------------------------------------------------------- */

struct side {
    _Atomic int *says, *hears;
    bool first;
};

static void talk(struct worker *self)
{
    struct side *side = self->arg;
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    for (int round = 1; round <= ROUNDS; round++) {
        if (side->first)
            atomic_store(side->says, round);
        while (atomic_load(side->hears) < round && GetTickCount64() < until)
            Sleep(0);
        if (!side->first)
            atomic_store(side->says, round);
    }
    EXPECT_EQ(atomic_load(side->hears), ROUNDS);
}

static int talk_in_this_process(bool first)
{
    _Atomic int *view = map(FILE_MAP_ALL_ACCESS);
    struct fleet *fleet = fleet_create(1, 1, 0);
    struct side side = {first ? view + 1 : view + 2, first ? view + 2 : view + 1, first};

    fleet_add(fleet, talk, &side);
    EXPECT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
    EXPECT_OK(UnmapViewOfFile(view));
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

static int answer(void *unused)
{
    return talk_in_this_process(false);
}

TEST(ViewsOfProcesses, workers_of_two_processes_talk)
{
    struct child child;
    struct child_result result;

    make_file();
    child = child_start(answer, NULL);
    talk_in_this_process(true);
    result = child_wait(child, LIMIT_MS);
    EXPECT_CHILD_OK(result);
    unlink(path);
}

/* ---- Fork ---------------------------------------------------------------------------------------- */

static void write_both(struct worker *self)
{
    volatile char *const *views = self->arg;

    views[0][PAGE] = 77;
    views[1][PAGE] = 88;
    EXPECT_EQ(views[0][PAGE], 77);
    EXPECT_EQ(views[1][PAGE], 88);
}

static int fork_and_write(void *unused)
{
    char *views[] = {map(FILE_MAP_ALL_ACCESS), map(FILE_MAP_COPY)};
    int status = -1;
    pid_t child;

    EXPECT_EQ(views[1][PAGE], 2);
    views[1][PAGE] = 66; /* the copy is this process's own from here on */
    child = fork();
    if (child == 0) {
        struct fleet *fleet = fleet_create(1, 1, 0);

        fleet_add(fleet, write_both, views);
        EXPECT_OK(fleet_run(fleet));
        _exit(tc_failures() ? 1 : 0);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(views[0][PAGE], 77);
    EXPECT_EQ(views[1][PAGE], 66);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

TEST(ViewsOfProcesses, a_forks_child_shares_views_but_not_copies)
{
    make_file();
    EXPECT_IN_CHILD(fork_and_write, NULL, LIMIT_MS);
    unlink(path);
}

/* ---- Cut off ------------------------------------------------------------------------------------- */

static char *view;
static sigjmp_buf back;
static void *volatile reported;
static volatile int code, others;

static int cut_off(void *unused)
{
    return truncate(path, PAGE) == 0 ? 0 : 1;
}

static void note(int signal, siginfo_t *info, void *context)
{
    reported = info->si_addr;
    code = info->si_code;
    siglongjmp(back, 1);
}

/* Another process has cut the file to one page. A read behind it raises SIGBUS in the worker; the
 * first page can still be read. */
static void read_what_is_gone(struct worker *self)
{
    volatile char *gone = view + 3 * PAGE + 5;

    if (sigsetjmp(back, 1) == 0) {
        (void)*gone;
        FAIL("a page that is gone was read");
    }
    EXPECT_EQ(reported, (void *)gone);
    EXPECT_EQ(code, BUS_ADRERR);
    EXPECT_EQ(view[0], 1);
    UmsThreadYield(self);
    EXPECT_GE(others, 1);
}

static void run_meanwhile(struct worker *self)
{
    others++;
    UmsThreadYield(self);
}

static void have_it_cut_off(void)
{
    view = map(FILE_MAP_ALL_ACCESS);
    EXPECT_IN_CHILD(cut_off, NULL, LIMIT_MS);
}

static int read_with_a_handler(void *unused)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    struct fleet *fleet = fleet_create(1, 2, 0);

    have_it_cut_off();
    EXPECT_EQ(sigaction(SIGBUS, &action, NULL), 0);
    fleet_add(fleet, read_what_is_gone, NULL);
    fleet_add(fleet, run_meanwhile, NULL);
    EXPECT_OK(fleet_run(fleet));
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

static int read_without_one(void *unused)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    have_it_cut_off();
    fleet_add(fleet, read_what_is_gone, NULL);
    fleet_run(fleet);
    return 0;
}

TEST(ViewsOfProcesses, what_another_process_cuts_off_is_SIGBUS)
{
    struct child_result result;

    make_file();
    result = child_run(read_with_a_handler, NULL, LIMIT_MS);
    EXPECT_CHILD_OK(result);
    unlink(path);
    make_file();
    result = child_run(read_without_one, NULL, LIMIT_MS);
    EXPECT_CHILD_SIGNAL(result, SIGBUS);
    unlink(path);
}
