/* SPDX-License-Identifier: MIT
 *
 * process.c - the server as a child process: started, looked at through /proc, ended.
 */
#define _GNU_SOURCE
#include "load.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

bool server_start(struct server_process *server, const struct load_options *options,
                  const char *mode)
{
    char schedulers[16];
    char *words[8] = {(char *)options->server, "--mode", (char *)mode};
    int count = 3;
    int input[2], output[2], port = 0;
    posix_spawn_file_actions_t actions;
    bool started;

    snprintf(schedulers, sizeof(schedulers), "%d", options->schedulers);
    if (options->schedulers) {
        words[count++] = "--schedulers";
        words[count++] = schedulers;
    }
    if (options->bare)
        words[count++] = "--bare";
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
    started = posix_spawn(&server->pid, options->server, &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    server->input = input[1];
    server->output = fdopen(output[0], "r");
    if (started && server->output && fscanf(server->output, "port %d", &port) == 1) {
        server->port = (unsigned short)port;
        return true;
    }
    fprintf(stderr, "server_load: cannot start %s --mode %s\n", options->server, mode);
    if (server->output)
        fclose(server->output);
    close(server->input);
    if (started) {
        kill(server->pid, SIGKILL);
        waitpid(server->pid, NULL, 0);
    }
    return false;
}

/* The child's exit status, or -1 when it had to be killed. */
static int await_end(pid_t pid)
{
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

bool server_stop(struct server_process *server, long requests)
{
    long answered = -1, refused = -1, left = -1;
    int status;
    bool good;

    close(server->input);
    good = fscanf(server->output, " requests %ld, refused %ld, left %ld", &answered, &refused,
                  &left) == 3;
    status = await_end(server->pid);
    fclose(server->output);
    good = good && status == 0 && answered == requests && refused == 0 && left == 0;
    if (!good)
        fprintf(stderr,
                "server_load: the server ended with status %d; it answered %ld requests of %ld, "
                "refused %ld connections, left %ld\n",
                status, answered, requests, refused, left);
    return good;
}

double server_rss_kib(const struct server_process *server)
{
    char name[64], line[128];
    double kib = 0;
    FILE *file;

    snprintf(name, sizeof(name), "/proc/%d/status", (int)server->pid);
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

    snprintf(name, sizeof(name), "/proc/%d/stat", (int)server->pid);
    file = fopen(name, "r");
    if (!file)
        return 0;
    if (fgets(line, sizeof(line), file) && (after = strrchr(line, ')')) != NULL)
        sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    fclose(file);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}
