/* SPDX-License-Identifier: MIT
 *
 * foreign_libraries.c - libraries that were linked without umsshim, in workers. The library's
 * definitions stand before libc's for these, too, however they came into the process and wherever
 * libc is in the linker's order. So the program is built a second time with libc first.
 */
#include "bare_call.h"
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "foreign/foreign.h"
#include "gtest_c.h"
#include "is_set.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* How the library gets into the process. FOREIGN_* are files, one for each way of being linked. */
struct way {
    const char *name;
    const char *file; /* NULL: linked with this program */
    int mode;
};

static const struct way ways[] = {
    {"linked", NULL, 0},
    {"lazy", FOREIGN_LAZY, RTLD_LAZY | RTLD_LOCAL},
    {"now, read-only relocations", FOREIGN_NOW, RTLD_NOW | RTLD_LOCAL},
    {"no PLT, global", FOREIGN_NO_PLT, RTLD_LAZY | RTLD_GLOBAL},
    {"lazy, deep binding", FOREIGN_LAZY_DEEP, RTLD_LAZY | RTLD_DEEPBIND},
    {"now, deep binding", FOREIGN_NOW_DEEP, RTLD_NOW | RTLD_DEEPBIND},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const struct foreign *open_foreign(const struct way *way)
{
    if (!way->file)
        return foreign_calls();
    void *library = dlopen(way->file, way->mode);
    EXPECT_THAT(library != NULL, "%s: %s", way->name, dlerror());
    if (!library)
        return NULL;
    const struct foreign *(*calls)(void) =
        (const struct foreign *(*)(void))dlsym(library, "foreign_calls");
    return calls ? calls() : NULL;
}

/* A step that is made for each way of opening the library, before UMS begins and in a worker. */
struct with_foreign {
    struct block_case c; /* first */
    const struct way *way;
    const struct foreign *foreign;
    void (*step)(const struct foreign *foreign);
};

static void opened_in_worker(struct block_case *c)
{
    struct with_foreign *with = (struct with_foreign *)c;
    if (!with->foreign)
        with->foreign = open_foreign(with->way);
    if (with->foreign)
        with->step(with->foreign);
}

static void in_worker(void (*step)(const struct foreign *foreign))
{
    for (int early = 1; early >= 0; early--) {
        for (int i = 0; i < WAYS; i++) {
            struct with_foreign with = {.way = &ways[i], .step = step};
            int before = tc_failures();
            with.foreign = early ? open_foreign(&ways[i]) : NULL;
            run_in_worker(opened_in_worker, &with.c);
            if (tc_failures() != before) {
                tc_note("that was: %s, opened %s", ways[i].name,
                        early ? "before" : "in the worker");
            }
        }
    }
}

static int processors_of_main(void)
{
    cpu_set_t set;
    sched_getaffinity(getpid(), sizeof set, &set);
    return CPU_COUNT(&set);
}

static int processors;

static void check_thread(const struct foreign_thread *seen)
{
    EXPECT_THAT(seen->blocked == 0, "blocked signals %llx", seen->blocked);
    EXPECT_EQ(seen->processors, processors);
    EXPECT_EQ(seen->seccomp, 0);
}

static void make_threads(const struct foreign *foreign)
{
    struct foreign_thread seen = {.blocked = ~0ULL};
    foreign->std_thread(&seen);
    check_thread(&seen);
    seen = (struct foreign_thread){.blocked = ~0ULL};
    foreign->c11_thread(&seen);
    check_thread(&seen);
}

TEST(ForeignLibraries, threads_are_ordinary)
{
    processors = processors_of_main();
    in_worker(make_threads);
}

static const char blocked_signals[] = "grep SigBlk: /proc/self/status";
static const char none_blocked[] = "SigBlk:\t0000000000000000\n";

static void make_children(const struct foreign *foreign)
{
    char text[128];
    int status = 0;

    foreign->output_of(blocked_signals, text, sizeof text);
    EXPECT_STREQ(text, none_blocked);
    EXPECT_EQ(foreign->system("test \"$(grep SigBlk: /proc/self/status)\" = "
                              "\"$(printf 'SigBlk:\\t0000000000000000')\""),
              0);
    EXPECT_EQ(foreign->spawn_by_vfork("grep -q 'SigBlk:.0000000000000000' /proc/self/status"), 0);
    pid_t pid = foreign->spawn("exec sleep 60");
    EXPECT_THAT(pid > 0, "spawn %d", (int)pid);
    if (pid > 0) {
        EXPECT_EQ(kill(pid, SIGTERM), 0);
        EXPECT_EQ(waitpid(pid, &status, 0), pid);
        EXPECT_THAT(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "status %x",
                    (unsigned)status);
    }
}

TEST(ForeignLibraries, children_have_no_signal_blocked)
{
    in_worker(make_children);
}

/* ---- The fast way of a read: no kernel thread stands in the call meanwhile ------------------------- */

/* Kernel threads that stand in read(fd). -1: the kernel does not tell. */
static int threads_in_read(int fd)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int count = 0;
    int told = 0;

    while (tasks && (entry = readdir(tasks)) != NULL) {
        char path[300];
        char text[256] = "";
        long number = -1;
        unsigned long first = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/syscall", entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "re");
        if (file && fgets(text, sizeof text, file)) {
            told = 1;
            if (sscanf(text, "%ld 0x%lx", &number, &first) == 2)
                count += number == SYS_read && first == (unsigned long)fd;
        }
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return told ? count : -1;
}

struct reading {
    struct block_case c; /* first */
    ssize_t (*read)(int fd, void *buffer, size_t bytes);
    int standing;
};

static void read_one(struct block_case *c)
{
    char byte = 0;
    EXPECT_EQ(((struct reading *)c)->read(c->fd[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
}

static void look_and_write(struct block_case *c)
{
    ((struct reading *)c)->standing = threads_in_read(c->fd[0]);
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

static int standing_in(ssize_t (*read_function)(int fd, void *buffer, size_t bytes))
{
    struct reading reading = {.c = {.block = read_one, .complete = look_and_write},
                              .read = read_function};
    make_pipe(reading.c.fd);
    run_block_case(&reading.c);
    close_all(&reading.c);
    return reading.standing;
}

static ssize_t bare_read(int fd, void *buffer, size_t bytes)
{
    return bare_call(SYS_read, fd, buffer, (long)bytes);
}

TEST(ForeignLibraries, reads_take_the_fast_way)
{
    if (is_set("UMSSHIM_FRONT", "0")) {
        SKIP("UMSSHIM_FRONT=0 turns the fast way off");
        return;
    }
    int bare = standing_in(bare_read);
    if (bare != 1) { /* what is looked for below can be seen */
        SKIP("this kernel does not say in which call a thread stands (%d)", bare);
        return;
    }
    for (int i = 0; i < WAYS; i++) {
        const struct foreign *foreign = open_foreign(&ways[i]);
        if (!foreign)
            continue;
        EXPECT_THAT(standing_in(foreign->read) == 0, "%s: read is a system call", ways[i].name);
        EXPECT_THAT(standing_in(foreign->read_checked) == 0, "%s: __read_chk", ways[i].name);
        EXPECT_THAT(standing_in(foreign->read_by_pointer) == 0, "%s: a pointer to read",
                    ways[i].name);
        if (!(ways[i].mode & RTLD_DEEPBIND)) /* there RTLD_DEFAULT means libc first */
            EXPECT_THAT(standing_in(foreign->read_by_name) == 0, "%s: dlsym", ways[i].name);
    }
}
