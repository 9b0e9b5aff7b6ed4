/* SPDX-License-Identifier: MIT
 *
 * probe_threads.c - paper_threads: the same operations on bare POSIX threads, without this library; and what the
 * paper holds them against, a procedure call and a system call.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned long count;

static void *nothing(void *arg)
{
    return arg;
}

static double null_fork(void)
{
    pthread_attr_t attributes;
    uint64_t start = 0;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    for (unsigned long i = 0; i < count + count / 10 + 1; i++) {
        pthread_t thread;

        if (i == count / 10 + 1)
            start = bench_now_ns();
        if (pthread_create(&thread, &attributes, nothing, NULL) != 0)
            bench_fail("pthread_create", 0);
        pthread_join(thread, NULL);
    }
    return (double)(bench_now_ns() - start) / 1000.0 / (double)count;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turns[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static int turn;
static int pipes[2][2];

static void wait_for(int side)
{
    while (turn != side)
        pthread_cond_wait(&turns[side], &mutex);
}

static void *by_condition(void *arg)
{
    int side = arg != NULL;

    pthread_mutex_lock(&mutex);
    for (unsigned long i = 0; i < count; i++) {
        wait_for(side);
        turn = !side;
        pthread_cond_signal(&turns[!side]);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *by_pipe(void *arg)
{
    int side = arg != NULL;
    char byte = 0;

    for (unsigned long i = 0; i < count; i++)
        if (read(pipes[side][0], &byte, 1) != 1 || write(pipes[!side][1], &byte, 1) != 1)
            bench_fail("a pipe", 0);
    return NULL;
}

static double two_threads(void *(*body)(void *))
{
    pthread_t thread;
    uint64_t start;

    if (pipe(pipes[0]) != 0 || pipe(pipes[1]) != 0 ||
        pthread_create(&thread, NULL, body, &turn) != 0)
        bench_fail("two threads", 0);
    if (body == by_pipe && write(pipes[0][1], "", 1) != 1)
        bench_fail("a pipe", 0);
    start = bench_now_ns();
    body(NULL);
    pthread_join(thread, NULL);
    return (double)(bench_now_ns() - start) / 1000.0 / (2.0 * (double)count);
}

/* ---- The yardsticks ------------------------------------------------------------------------------ */

static __attribute__((noinline)) void procedure(void)
{
    __asm__ volatile("");
}

static void system_call(void)
{
    syscall(SYS_getppid);
}

static double one_of(void (*what)(void))
{
    uint64_t start = bench_now_ns();

    for (unsigned long i = 0; i < count; i++)
        what();
    return (double)(bench_now_ns() - start) / 1000.0 / (double)count;
}

int main(int argc, char **argv)
{
    if (argc == 4)
        count = strtoul(argv[3], NULL, 10);
    if (count && strcmp(argv[1], "null_fork") == 0)
        bench_emit("us", null_fork());
    else if (count && strcmp(argv[1], "signal_wait") == 0)
        bench_emit("us", two_threads(by_condition));
    else if (count && strcmp(argv[1], "kernel_pipe") == 0)
        bench_emit("us", two_threads(by_pipe));
    else if (count && strcmp(argv[1], "procedure_call") == 0)
        bench_emit("us", one_of(procedure));
    else if (count && strcmp(argv[1], "system_call") == 0)
        bench_emit("us", one_of(system_call));
    else {
        fprintf(stderr,
                "usage: %s null_fork|signal_wait|kernel_pipe|procedure_call|system_call threads "
                "COUNT\n",
                argv[0]);
        return 2;
    }
    return 0;
}
