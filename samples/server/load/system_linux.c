/* SPDX-License-Identifier: MIT
 *
 * system_linux.c - time, the machine, and the server as a child process, looked at through /proc.
 */
#define _GNU_SOURCE
#include "load.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool system_has_room(int connections)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max; /* the server inherits it, and its engine needs numbers too */
    setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur >= 2 * (rlim_t)connections + 64; /* blocked calls hold duplicates */
}

const char *server_beside(void)
{
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof("server"));
    char *slash;

    if (length <= 0)
        return "./server";
    path[length] = 0;
    slash = strrchr(path, '/');
    strcpy(slash + 1, "server");
    return path;
}

void system_name(char *name, size_t room)
{
    struct utsname system;

    uname(&system);
    snprintf(name, room, "%s", system.release);
}

int system_processors(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

bool server_start(struct server_process *server, const struct load_options *options,
                  const char *mode)
{
    char schedulers[16];
    char *words[8] = {(char *)options->server, "--mode", (char *)mode};
    int count = 3;
    int input[2], output[2], port = 0;
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    bool started;

    snprintf(schedulers, sizeof(schedulers), "%d", options->schedulers);
    if (options->schedulers) {
        words[count++] = "--schedulers";
        words[count++] = schedulers;
    }
    if (pipe2(input, O_CLOEXEC))
        return false;
    if (pipe2(output, O_CLOEXEC)) {
        close(input[0]);
        close(input[1]);
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], 0);
    posix_spawn_file_actions_adddup2(&actions, output[1], 1);
    started = posix_spawn(&pid, options->server, &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    server->process = pid;
    server->input = input[1];
    server->output = fdopen(output[0], "r");
    if (started && server->output && fscanf(server->output, "port %d", &port) == 1) {
        server->port = (unsigned short)port;
        return true;
    }
    fprintf(stderr, "server_load: cannot start %s --mode %s\n", options->server, mode);
    if (server->output)
        fclose(server->output);
    close((int)server->input);
    if (started) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return false;
}

int server_end(struct server_process *server)
{
    pid_t pid = (pid_t)server->process;

    for (int tenth = 0; tenth < 300; tenth++) {
        struct timespec pause = {0, 100000000};
        int status;

        if (waitpid(pid, &status, WNOHANG) == pid)
            return status;
        nanosleep(&pause, NULL);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return -1;
}

void server_close_input(struct server_process *server)
{
    close((int)server->input);
}

double server_rss_kib(const struct server_process *server)
{
    char name[64], line[128];
    double kib = 0;
    FILE *file;

    snprintf(name, sizeof(name), "/proc/%d/status", (int)server->process);
    file = fopen(name, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof(line), file))
        if (sscanf(line, "VmRSS: %lf", &kib) == 1)
            break;
    fclose(file);
    return kib;
}

double server_cpu_seconds(const struct server_process *server)
{
    char name[64], line[1024];
    unsigned long user = 0, system = 0;
    const char *after;
    FILE *file;

    snprintf(name, sizeof(name), "/proc/%d/stat", (int)server->process);
    file = fopen(name, "r");
    if (!file)
        return 0;
    if (fgets(line, sizeof(line), file) && (after = strrchr(line, ')')) != NULL)
        sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    fclose(file);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}
