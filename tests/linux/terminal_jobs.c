/* SPDX-License-Identifier: MIT
 *
 * terminal_jobs.c - a worker of a background job that reads the job's terminal is told so as a
 * thread is: the job stops by SIGTTIN, and the read goes on in the foreground. If SIGTTIN is
 * blocked or ignored, or nobody could let the job go on, the read fails with EIO.
 *
 * modes: ways, UMSSHIM_FRONT=functions, UMSSHIM_DETECT=0
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "is_set.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_MS = 20000 };

static int terminal; /* of the job */
static int told[2];  /* a pipe: the program's handler has run */
static ssize_t got;  /* the read's result, and its error */
static int failure, handled;

static void read_a_line(struct worker *self)
{
    char line[16];

    if (self->arg)
        pthread_sigmask(SIG_BLOCK, self->arg, NULL);
    got = read(terminal, line, sizeof line);
    failure = errno;
}

static void note_signal(int number)
{
    if (flag_add(&handled, number == SIGTTIN) == 1 && write(told[1], "", 1) != 1)
        abort();
}

enum job {
    STOPS,
    STOPS_WITH_A_LINE_THERE,
    BLOCKS,
    IGNORES,
    HANDLES,
    HANDLES_AND_RESTARTS,
    ORPHANED
};

/* In the job. What it ends with: 0 is well. */
static int run_job(enum job job, bool in_worker)
{
    sigset_t ttin;
    struct sigaction action = {.sa_handler = note_signal};

    sigemptyset(&ttin);
    sigaddset(&ttin, SIGTTIN);
    if (job == IGNORES)
        signal(SIGTTIN, SIG_IGN);
    if (job == HANDLES_AND_RESTARTS)
        action.sa_flags = SA_RESTART;
    if (job == HANDLES || job == HANDLES_AND_RESTARTS)
        sigaction(SIGTTIN, &action, NULL);
    if (in_worker) {
        if (!FLEET_RUN(1, 0, {1, read_a_line, job == BLOCKS ? &ttin : NULL}))
            return 1;
    } else {
        read_a_line(&(struct worker){.arg = job == BLOCKS ? &ttin : NULL});
    }
    switch (job) {
    case STOPS:
    case STOPS_WITH_A_LINE_THERE:
        return got == 2 ? 0 : 2;
    case HANDLES_AND_RESTARTS:
        return got == 2 && flag_get(&handled) >= 1 ? 0 : 3;
    case HANDLES:
        return got == -1 && failure == EINTR && flag_get(&handled) == 1 ? 0 : 4;
    default:
        return got == -1 && failure == EIO ? 0 : 5;
    }
}

/* The calling process ends. Its child goes on, whose job nobody can continue. */
static void leave_an_orphan(void)
{
    pid_t parent = getpid();

    if (fork() > 0)
        _exit(0);
    while (getppid() == parent)
        usleep(1000);
}

/* The terminal's session has a leader, in the foreground, and the job, in the background. */
static int lead(enum job job, bool in_worker)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY), status = 0, result[2];
    char name[64];
    pid_t child;

    if (pipe(result) || pipe(told) || setsid() < 0 || master < 0 || grantpt(master) ||
        unlockpt(master) || ptsname_r(master, name, sizeof name) ||
        (terminal = open(name, O_RDWR)) < 0)
        return 20;
    signal(SIGTTOU, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (job == STOPS_WITH_A_LINE_THERE && write(master, "a\n", 2) != 2)
        return 21;
    child = fork();
    if (child == 0) {
        setpgid(0, 0);
        if (job == ORPHANED)
            leave_an_orphan();
        status = run_job(job, in_worker);
        if (write(result[1], &status, sizeof status) != sizeof status)
            status = 22;
        _exit(status);
    }
    setpgid(child, child);
    if (job == STOPS || job == STOPS_WITH_A_LINE_THERE) {
        if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status))
            return WIFEXITED(status) ? 30 + WEXITSTATUS(status) : 23;
        if (WSTOPSIG(status) != SIGTTIN)
            return 24;
    }
    if (job == HANDLES_AND_RESTARTS && read(told[0], name, 1) != 1)
        return 29;
    if (job == STOPS || job == STOPS_WITH_A_LINE_THERE || job == HANDLES_AND_RESTARTS) {
        if (tcsetpgrp(terminal, child))
            return 25;
        kill(-child, SIGCONT);
        if (job != STOPS_WITH_A_LINE_THERE && write(master, "a\n", 2) != 2)
            return 26;
    }
    if (read(result[0], &status, sizeof status) != sizeof status)
        return 27;
    return status;
}

static int in_a_thread(void *job)
{
    return lead(*(enum job *)job, false);
}

static int in_a_worker(void *job)
{
    return lead(*(enum job *)job, true);
}

static void run(enum job job)
{
    EXPECT_IN_CHILD(in_a_thread, &job, LIMIT_MS);
    EXPECT_IN_CHILD(in_a_worker, &job, LIMIT_MS);
}

CALL_TEST(TerminalJobs, stops, run(STOPS))
CALL_TEST(TerminalJobs, stops_with_a_line_there, run(STOPS_WITH_A_LINE_THERE))
CALL_TEST(TerminalJobs, blocks_the_signal, run(BLOCKS))
CALL_TEST(TerminalJobs, ignores_the_signal, run(IGNORES))

/* Without detection the scheduler's thread may take the signal, and nothing ends the read. */
TEST(TerminalJobs, handles_the_signal)
{
    if (is_set("UMSSHIM_DETECT", "0"))
        SKIP("signals of the process are handled by any thread");
    run(HANDLES);
}

CALL_TEST(TerminalJobs, handles_and_restarts, run(HANDLES_AND_RESTARTS))
CALL_TEST(TerminalJobs, orphaned, run(ORPHANED))
