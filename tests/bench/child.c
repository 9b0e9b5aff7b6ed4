/* SPDX-License-Identifier: MIT
 *
 * child.c - a probe in a process of its own, within a time limit.
 */
#define _GNU_SOURCE
#include "driver.h"

#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_MS = 90000 };

extern char **environ;

/* The probes' executables lie beside the driver's: ums_bench_ums, ums_bench_peers. */
static bool program_path(const struct catalog_probe *probe, char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    size_t family = strcspn(probe->id, "/");

    if (length < 0 || (size_t)length + 1 + family + 1 > size)
        return false;
    snprintf(path + length, size - (size_t)length, "_%.*s", (int)family, probe->id);
    return true;
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

static bool start(const char *path, const struct catalog_probe *probe, bool quick, int output,
                  pid_t *pid)
{
    char *argv[] = {(char *)path, (char *)strchr(probe->id, '/') + 1,
                    (char *)(quick ? "quick" : "full"), NULL};
    posix_spawn_file_actions_t actions;
    int error;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    error = posix_spawn(pid, path, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        fprintf(stderr, "bench: %s: %s\n", path, strerror(error));
    return error == 0;
}

bool run_child(const struct catalog_probe *probe, bool quick, char *output, size_t size)
{
    char path[4096];
    int ends[2];
    int status = 0;
    bool in_time;
    pid_t pid;

    if (!program_path(probe, path, sizeof(path)) || pipe2(ends, O_CLOEXEC) != 0) {
        fprintf(stderr, "bench: %s: cannot be started\n", probe->id);
        return false;
    }
    if (!start(path, probe, quick, ends[1], &pid)) {
        close(ends[0]);
        close(ends[1]);
        return false;
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
    else if (WEXITSTATUS(status) != 0)
        fprintf(stderr, "bench: %s: exit status %d\n", probe->id, WEXITSTATUS(status));
    else
        return true;
    return false;
}
