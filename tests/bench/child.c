/* SPDX-License-Identifier: MIT
 *
 * child.c - a probe in a process of its own, within a time limit.
 */
#define _GNU_SOURCE
#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_MS = 90000 };

extern char **environ;

/* None: the probes are programs of their own. */
const struct bench_runner driver_probes[] = {{0}};

/* What stands before the "/" of a probe: its executable, and by which way its calls are to be seen. */
static const struct family {
    const char *name, *program;
    const char *detect, *front; /* the switches; NULL: as the driver was told */
} families[] = {
    {"ums", "ums", NULL, NULL},       {"peers", "peers", NULL, NULL},
    {"server", "server", NULL, NULL}, /* a load, and a server of its own beside it */
    {"notify", "ums", "notify", "0"}, /* every call that may wait is a notification, */
    {"traps", "ums", "traps", "0"},   /* or a trap; */
    {"library", "ums", "0", NULL},    /* or only what libc does is seen */
};

static const struct family *family_of(const struct catalog_probe *probe)
{
    size_t length = strcspn(probe->id, "/");

    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
        if (strlen(families[i].name) == length && memcmp(families[i].name, probe->id, length) == 0)
            return &families[i];
    return NULL;
}

/* The probes' executables lie beside the driver's: ums_bench_ums, ums_bench_peers. */
static bool program_path(const struct catalog_probe *probe, char *path, size_t size)
{
    const struct family *family = family_of(probe);
    ssize_t length = readlink("/proc/self/exe", path, size - 1);

    if (!family || length < 0 || (size_t)length + 1 + strlen(family->program) + 1 > size)
        return false;
    snprintf(path + length, size - (size_t)length, "_%s", family->program);
    return true;
}

static void put_switch(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* For the time that it takes to start one. */
static int spawn_in_family(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                           char *const *argv, const struct family *family)
{
    static const char *const names[] = {"UMSSHIM_DETECT", "UMSSHIM_FRONT"};
    const char *wanted[] = {family->detect, family->front};
    char *told[2];
    int error;

    for (int i = 0; i < 2; i++) {
        told[i] = getenv(names[i]) ? strdup(getenv(names[i])) : NULL;
        if (family->detect)
            put_switch(names[i], wanted[i]);
    }
    error = posix_spawn(pid, path, actions, NULL, argv, environ);
    for (int i = 0; i < 2; i++) {
        put_switch(names[i], told[i]);
        free(told[i]);
    }
    return error;
}

/* Reads until the probe closes its output or its time is up. */
static bool collect(int fd, char *output, size_t size)
{
    uint64_t deadline = bench_now_ns() + LIMIT_MS * UINT64_C(1000000);
    size_t length = 0;

    for (;;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        uint64_t now = bench_now_ns();
        ssize_t got;

        output[length] = '\0';
        if (now >= deadline)
            return false;
        if (poll(&ready, 1, (int)((deadline - now) / 1000000u) + 1) <= 0)
            continue;
        got = read(fd, output + length, size - 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        length += (size_t)got;
    }
}

static bool start(const char *path, const struct catalog_probe *probe, bool quick,
                  unsigned patience, int output, pid_t *pid)
{
    char number[16];
    char *argv[] = {(char *)path, (char *)strchr(probe->id, '/') + 1,
                    (char *)(quick ? "quick" : "full"), number, NULL};
    posix_spawn_file_actions_t actions;
    int error;

    snprintf(number, sizeof(number), "%u", patience);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    error = spawn_in_family(pid, path, &actions, argv, family_of(probe));
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        fprintf(stderr, "bench: %s: %s\n", path, strerror(error));
    return error == 0;
}

enum child_end run_child(const struct catalog_probe *probe, bool quick, unsigned patience,
                         char *output, size_t size)
{
    char path[4096];
    int ends[2];
    int status = 0;
    bool in_time;
    pid_t pid;

    if (!program_path(probe, path, sizeof(path)) || pipe2(ends, O_CLOEXEC) != 0) {
        fprintf(stderr, "bench: %s: cannot be started\n", probe->id);
        return CHILD_FAILED;
    }
    if (!start(path, probe, quick, patience, ends[1], &pid)) {
        close(ends[0]);
        close(ends[1]);
        return CHILD_FAILED;
    }
    close(ends[1]);
    in_time = collect(ends[0], output, size);
    close(ends[0]);
    if (!in_time)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!in_time)
        fprintf(stderr, "bench: %s: killed after %d s\n", probe->id, LIMIT_MS / 1000);
    else if (WIFSIGNALED(status))
        fprintf(stderr, "bench: %s: ended by signal %d\n", probe->id, WTERMSIG(status));
    else if (WEXITSTATUS(status) == BENCH_NO_TIME)
        return CHILD_HAD_NO_TIME;
    else if (WEXITSTATUS(status) != 0)
        fprintf(stderr, "bench: %s: exit status %d\n", probe->id, WEXITSTATUS(status));
    else
        return CHILD_GOOD;
    return CHILD_FAILED;
}
