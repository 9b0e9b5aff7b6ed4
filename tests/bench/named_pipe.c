/* SPDX-License-Identifier: MIT
 *
 * named_pipe.c - one byte to and fro through a named pipe, between two workers: of one scheduler,
 * or of two processes.
 */
#include "probes_ums.h"

#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

struct game {
    char name[64];
    HANDLE server, client;
    uint64_t warm, trips;
    uint64_t start_ns, end_ns;
};

static void receive(HANDLE end)
{
    char byte;
    DWORD count;

    if (!ReadFile(end, &byte, 1, &count, NULL) || count != 1)
        bench_fail("ReadFile", 0);
}

static void send(HANDLE end)
{
    DWORD count;

    if (!WriteFile(end, "x", 1, &count, NULL) || count != 1)
        bench_fail("WriteFile", 0);
}

static void serve(struct rig_worker *self)
{
    struct game *game = self->arg;

    for (uint64_t i = 0; i < game->warm + game->trips; i++) {
        if (i == game->warm)
            game->start_ns = bench_now_ns();
        send(game->server);
        receive(game->server);
    }
    game->end_ns = bench_now_ns();
}

static void give_back(struct rig_worker *self)
{
    struct game *game = self->arg;

    for (uint64_t i = 0; i < game->warm + game->trips; i++) {
        receive(game->client);
        send(game->client);
    }
}

static void begin(struct game *game, const struct bench_scale *scale)
{
    game->trips = scale->trips;
    game->warm = scale->trips / 10 + 1;
    snprintf(game->name, sizeof game->name, "\\\\.\\pipe\\ums-bench-%d", (int)getpid());
    game->server =
        CreateNamedPipeA(game->name, PIPE_ACCESS_DUPLEX, PIPE_TYPE_BYTE, 1, 4096, 4096, 0, NULL);
    if (game->server == INVALID_HANDLE_VALUE)
        bench_fail("CreateNamedPipe", 0);
}

static void connect_client(struct game *game)
{
    game->client =
        CreateFileA(game->name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    if (game->client == INVALID_HANDLE_VALUE)
        bench_fail("CreateFile", 0);
}

static void emit(const struct game *game)
{
    bench_emit("trip", (double)(game->end_ns - game->start_ns) / 1000.0 / (double)game->trips);
}

void probe_named_pipe(const struct bench_scale *scale)
{
    static struct game game;
    static struct rig rig;

    begin(&game, scale);
    connect_client(&game);
    rig_init(&rig, 2);
    rig_add(&rig, give_back, &game);
    rig_add(&rig, serve, &game);
    rig_run(&rig);
    emit(&game);
}

void probe_named_pipe_processes(const struct bench_scale *scale)
{
    static struct game game;
    static struct rig rig;
    pid_t child;
    int status;

    begin(&game, scale);
    child = fork();
    if (child < 0)
        bench_fail("fork", errno);
    rig_init(&rig, 1);
    if (child == 0) {
        connect_client(&game);
        rig_add(&rig, give_back, &game);
        rig_run(&rig);
        bench_end(0);
    }
    if (!ConnectNamedPipe(game.server, NULL) && GetLastError() != ERROR_PIPE_CONNECTED)
        bench_fail("ConnectNamedPipe", 0);
    rig_add(&rig, serve, &game);
    rig_run(&rig);
    if (waitpid(child, &status, 0) != child || status)
        bench_fail("the other process", 0);
    emit(&game);
}
