/* SPDX-License-Identifier: MIT
 *
 * run.c - one sample of a cell: its program, or two copies of it, and an allocator if it wants one.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "paper.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_MS = 180000, READY_MS = 10000 };

struct child {
    pid_t pid;
    int output;
    char text[2048];
    size_t length;
};

static const char *path_of(const char *program)
{
    static const struct {
        const char *name, *path;
    } paths[] = {{"paper_probe", PAPER_PROBE},
                 {"paper_threads", PAPER_THREADS},
                 {"nbody", PAPER_NBODY},
                 {"ft_allocator", PAPER_ALLOCATOR}};

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        if (strcmp(program, paths[i].name) == 0)
            return paths[i].path;
    abort(); /* the plan contradicts itself */
}

static bool start(struct child *child, char *const argv[], bool one_core)
{
    int ends[2];

    *child = (struct child){.pid = -1, .output = -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    fflush(NULL);
    child->pid = fork();
    if (child->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (one_core)
            bench_pin_one_core();
        dup2(ends[1], STDOUT_FILENO);
        execv(path_of(argv[0]), argv);
        fprintf(stderr, "paper: %s: %s\n", path_of(argv[0]), strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    child->output = ends[0];
    return child->pid > 0;
}

/* More of its output within the limit; false: that was all, or time is up. */
static bool read_some(struct child *child, int limit_ms)
{
    struct pollfd ready = {.fd = child->output, .events = POLLIN};
    ssize_t got;

    if (poll(&ready, 1, limit_ms) <= 0 || child->length + 1 >= sizeof(child->text))
        return false;
    got = read(child->output, child->text + child->length, sizeof(child->text) - 1 - child->length);
    if (got <= 0)
        return false;
    child->length += (size_t)got;
    child->text[child->length] = '\0';
    return true;
}

/* After its output ended or its time was up. True: it ended well. */
static bool finish(struct child *child, const char *what, double *cpu)
{
    struct rusage usage = {.ru_utime = {0, 0}};
    int status = 0;
    bool ended;

    close(child->output);
    for (int ms = 0; !(ended = wait4(child->pid, &status, WNOHANG, &usage) != 0) && ms < 2000; ms++)
        usleep(1000);
    if (!ended) {
        kill(child->pid, SIGKILL);
        waitpid(child->pid, &status, 0);
    }
    *cpu += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
            (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    fprintf(stderr, "paper: %s: %s %d\n%s", what,
            !ended                ? "killed, not over after seconds:"
            : WIFSIGNALED(status) ? "ended by signal"
                                  : "exit status",
            !ended                ? LIMIT_MS / 1000
            : WIFSIGNALED(status) ? WTERMSIG(status)
                                  : WEXITSTATUS(status),
            child->text);
    return false;
}

static double value_of(const char *text, const char *field)
{
    size_t length = strlen(field);

    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, field, length) == 0 && line[length] == ' ')
            return strtod(line + length, NULL);
    }
    return NAN;
}

static bool start_allocator(struct child *allocator, char *name, size_t size)
{
    char *argv[] = {"ft_allocator", "--name", name, NULL};

    snprintf(name, size, "paper-%d", (int)getpid());
    if (!start(allocator, argv, false))
        return false;
    while (!strchr(allocator->text, '\n'))
        if (!read_some(allocator, READY_MS))
            return false;
    return true;
}

double run_cell(const struct cell *cell, double *cpu)
{
    char *argv[MAX_WORDS + 3] = {NULL};
    struct child children[MAX_COPIES];
    struct child allocator = {.pid = -1};
    char name[64];
    double of_allocator = 0;
    double sum = 0;
    int words = cell->word_count;

    *cpu = 0;
    for (int i = 0; i < words; i++)
        argv[i] = (char *)cell->words[i];
    if (cell->allocator) {
        if (!start_allocator(&allocator, name, sizeof(name)))
            return NAN;
        argv[words++] = "--allocator";
        argv[words++] = name;
    }
    for (int i = 0; i < cell->copies; i++)
        if (!start(&children[i], argv, cell->one_core))
            return NAN;
    for (int i = 0; i < cell->copies; i++) {
        double value;

        while (read_some(&children[i], LIMIT_MS))
            ;
        value = value_of(children[i].text, cell->field);
        if (!finish(&children[i], argv[0], cpu) || !(value > 0))
            value = NAN;
        if (cell->allocator && value_of(children[i].text, "allocator_lost") != 0)
            value = NAN;
        sum += value / cell->copies;
    }
    if (allocator.pid > 0) {
        kill(allocator.pid, SIGTERM);
        if (!finish(&allocator, "ft_allocator", &of_allocator))
            return NAN;
    }
    *cpu /= cell->copies;
    return sum;
}
