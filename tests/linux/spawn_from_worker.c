/* SPDX-License-Identifier: MIT
 *
 * spawn_from_worker.c - posix_spawn, system, popen and vfork-like children made by a worker.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- Children that go on when their parent is seen to wait for them ---- */

static char shells_command[128];

/* The shell's first command waits for the parent, then come the rest. A child inherits the number
 * that dup gives. */
static const char *when_let_go(struct block_case *c, const char *format)
{
    c->fd[2] = dup(c->fd[0]);
    snprintf(shells_command, sizeof shells_command, format, c->fd[2]);
    return shells_command;
}

static void let_go(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "go\n", 3), 3);
}

static void run_with_child(block_step block)
{
    struct block_case c = {.block = block, .complete = let_go};

    make_pipe(c.fd);
    run_block_case(&c);
    close_all(&c);
}

/* ---- Ways to make them ---- */

static void spawn(struct block_case *c)
{
    const char *shell = when_let_go(c, "read line < /dev/fd/%d; exit 7");
    char *arguments[] = {"sh", "-c", (char *)shell, NULL};
    pid_t pid = 0;
    int status = 0;

    EXPECT_EQ(posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environ), 0);
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(WIFEXITED(status), 1);
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

CALL_TEST(SpawnFromWorker, posix_spawn, run_with_child(spawn))

WORKER_TEST(SpawnFromWorker, posix_spawn_that_fails)
{
    char *arguments[] = {"none", NULL};
    pid_t pid = 0;

    EXPECT_EQ(posix_spawn(&pid, "/nonexistent/program", NULL, NULL, arguments, environ), ENOENT);
}

static void run_system(struct block_case *c)
{
    int status = system(when_let_go(c, "read line < /dev/fd/%d; exit 3"));

    EXPECT_EQ(WIFEXITED(status), 1);
    EXPECT_EQ(WEXITSTATUS(status), 3);
}

CALL_TEST(SpawnFromWorker, system, run_with_child(run_system))

static void read_from_popen(struct block_case *c)
{
    FILE *stream = popen(
        when_let_go(c, "read line < /dev/fd/%d; echo hello; read line < /dev/null; exit 5"), "r");
    char line[32] = {0};

    EXPECT_NE(stream, NULL);
    EXPECT_NE(fgets(line, sizeof line, stream), NULL);
    EXPECT_STREQ(line, "hello\n");
    EXPECT_EQ(WEXITSTATUS(pclose(stream)), 5);
}

CALL_TEST(SpawnFromWorker, popen, run_with_child(read_from_popen))

/* The program that is executed waits, reads and pipes: all of it trapped by the inherited filter.
 */
static void run_pipeline(struct block_case *c)
{
    EXPECT_EQ(system(when_let_go(c, "n=$( (read line < /dev/fd/%d; echo abc) | cat | wc -c ); "
                                    "test \"$n\" = 4")),
              0);
}

CALL_TEST(SpawnFromWorker, shell_pipeline, run_with_child(run_pipeline))

static void run_in_turn(struct worker *self)
{
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(system("exit 0"), 0);
        EXPECT_OK(UmsThreadYield(self));
    }
}

TEST(SpawnFromWorker, several_workers_at_once)
{
    ASSERT_OK(FLEET_RUN(2, FLEET_SHARED_READY, {6, run_in_turn, NULL}));
}

/* A program started in the background goes on after this process has ended. */
static void start_in_background(struct block_case *c)
{
    char command[128];

    snprintf(command, sizeof command, "(read x <&%d; sleep 0.05; echo done >&%d) &", c->fd[0],
             c->fd[3]);
    EXPECT_EQ(system(command), 0);
}

static int start_and_leave(void *arg)
{
    struct block_case *c = arg;

    run_in_worker(start_in_background, c);
    return 0;
}

TEST(SpawnFromWorker, program_that_outlives_this_process)
{
    struct block_case c = {.number = 0};
    char text[8] = {0};

    EXPECT_EQ(pipe(c.fd), 0); /* inheritable */
    EXPECT_EQ(pipe(c.fd + 2), 0);
    EXPECT_IN_CHILD(start_and_leave, &c, 10000);
    EXPECT_EQ(write(c.fd[1], "go\n", 3), 3);
    close(c.fd[3]);
    c.fd[3] = 0;
    EXPECT_EQ(read(c.fd[2], text, sizeof text), 5);
    EXPECT_STREQ(text, "done\n");
    close_all(&c);
}
