/* SPDX-License-Identifier: MIT
 *
 * identity_front.c - libc functions that act on the calling kernel thread, for UMS threads.
 *
 * A carrier blocks all signals, and its processor and its filter are the engine's. The library
 * keeps a worker's settings with the worker. The broker thread creates the threads and processes of
 * a worker, so they are as the program expects: outside the filter, free to run anywhere, with the
 * worker's signal mask. Plain threads get libc's functions.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <paths.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>
#pragma GCC visibility pop

#include "platform/linux/calls/broker.h"
#include "platform/linux/current.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/births.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/program_threads.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/unwinding.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/threads/program_end.h"
#include "platform/linux/traps/call_identity.h"

extern char **environ;

/* ---- Threads --------------------------------------------------------------------------------- */

/* Rounding, and the exceptions that trap. */
struct float_control {
    uint32_t mxcsr;
    uint16_t x87;
};

static void float_control_get(struct float_control *control)
{
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(control->mxcsr), "=m"(control->x87));
}

static void float_control_set(const struct float_control *control)
{
    __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(control->mxcsr), "m"(control->x87));
}

struct new_thread {
    pthread_t *thread;
    const pthread_attr_t *attr;
    void *(*start)(void *);
    void *arg;
    sigset_t mask;
    bool outside;      /* the broker thread makes it, for a UMS thread */
    bool inherits;     /* it gets the creator's policy */
    bool own_affinity; /* the creator has one that differs from the program's */
    pid_t creator;
    unsigned counted_at;
    struct float_control floats;
    int error;
};

/* Counts the end of a thread that unwinds, by pthread_exit or a cancellation. program_thread counts
 * that of a thread that returns. */
static void thread_unwound(void)
{
    if (plat_tls.counting.counted)
        program_thread_leaves();
}

static void *program_thread(void *box)
{
    struct new_thread own = *(struct new_thread *)box;
    free(box);
    if (own.outside) {
        affinity_reset();
        kthread_name_reset();
        inherit_from(own.creator, own.own_affinity, own.inherits);
        float_control_set(&own.floats);
    }
    birth_over(own.counted_at);
    if (own.outside)
        signals_restore(&own.mask);
    plat_tls.counting.counted = true;
    plat_tls.counting.at = (uint8_t)own.counted_at;
    UNWINDING_RUNS(thread_personality);
    void *result = own.start(own.arg);
    program_thread_leaves();
    return result;
}

static void create_program_thread(void *arg)
{
    struct new_thread *request = arg;
    struct new_thread *box = malloc(sizeof *box);
    if (!box) {
        request->error = EAGAIN;
        return;
    }
    *box = *request;
    unsigned at = box->counted_at = program_thread_began();
    birth_begins(at);
    unwinding_calls(UNWINDING_THREAD, thread_unwound);
    request->error = LIBC(pthread_create)(request->thread, request->attr, program_thread, box);
    birth_made(at, request->error);
    if (request->error) {
        program_thread_failed(at);
        free(box);
    }
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
                   void *(*start)(void *), void *restrict arg)
{
    int inherit = PTHREAD_INHERIT_SCHED;
    if (attr)
        pthread_attr_getinheritsched(attr, &inherit);
    struct new_thread request = {.thread = thread,
                                 .attr = attr,
                                 .start = start,
                                 .arg = arg,
                                 .mask = plat_tls.sigmask,
                                 .outside = carried(),
                                 .inherits = inherit == PTHREAD_INHERIT_SCHED,
                                 .own_affinity = plat_tls.own_affinity,
                                 .creator = plat_tls.tid};
    float_control_get(&request.floats);
    sigset_t given;
    if (request.outside && attr && pthread_attr_getsigmask_np(attr, &given) == 0)
        request.mask = given; /* libc sets it before the new thread sets `mask` */
    if (request.outside)
        broker_run(create_program_thread, &request);
    else
        create_program_thread(&request);
    return request.error;
}

/* A worker unwinds to its first frame. Its home then returns from the start routine. */
_Noreturn void pthread_exit(void *result)
{
    plat_tls.result = result;
    LIBC(pthread_exit)(result);
    __builtin_unreachable();
}

struct new_c11_thread {
    thrd_start_t start;
    void *arg;
};

static void *c11_thread(void *box)
{
    struct new_c11_thread own = *(struct new_c11_thread *)box;
    free(box);
    return (void *)(intptr_t)own.start(own.arg);
}

/* C11's thread type is pthread's, and thrd_join understands a pthread's result. */
int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
    struct new_c11_thread *box = malloc(sizeof *box);
    if (!box)
        return thrd_nomem;
    *box = (struct new_c11_thread){start, arg};
    int error = pthread_create(thread, NULL, c11_thread, box);
    if (!error)
        return thrd_success;
    free(box);
    return error == ENOMEM ? thrd_nomem : thrd_error; /* as libc has it */
}

/* ---- Processes ------------------------------------------------------------------------------- */

struct spawn {
    __typeof__(&posix_spawn) spawn;
    pid_t *pid;
    const char *path;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attr;
    char *const *argv, *const *envp;
    const char *command, *mode; /* popen */
    FILE *stream;
    sigset_t mask;
    int error;
};

/* On the broker thread: the child gets the mask of the asking thread, and the program's
 * processors. */
static void spawn_outside(void *arg)
{
    struct spawn *s = arg;
    sigset_t old;
    cpu_set_t own;
    RAW3(SYS_sched_getaffinity, 0, sizeof own, &own);
    affinity_reset();
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &s->mask, &old, 8);
    if (s->command) {
        s->stream = LIBC(popen)(s->command, s->mode);
        s->error = s->stream ? 0 : errno;
    } else {
        s->error = s->spawn(s->pid, s->path, s->actions, s->attr, s->argv, s->envp);
    }
    signals_restore(&old);
    RAW3(SYS_sched_setaffinity, 0, sizeof own, &own);
}

/* libc's four functions have the same arguments. */
#define DEFINE_SPAWN(name, type)                                                                   \
    int name(pid_t *restrict pid, const char *restrict path,                                       \
             const posix_spawn_file_actions_t *restrict actions,                                   \
             const posix_spawnattr_t *restrict attr, char *const argv[restrict],                   \
             char *const envp[restrict])                                                           \
    {                                                                                              \
        if (!carried())                                                                            \
            return LIBC_AS(name, type)(pid, path, actions, attr, argv, envp);                      \
        struct spawn s = {.spawn = LIBC_AS(name, type),                                            \
                          .pid = pid,                                                              \
                          .path = path,                                                            \
                          .actions = actions,                                                      \
                          .attr = attr,                                                            \
                          .argv = argv,                                                            \
                          .envp = envp,                                                            \
                          .mask = plat_tls.sigmask};                                               \
        broker_run(spawn_outside, &s);                                                             \
        return s.error;                                                                            \
    }
DEFINE_SPAWN(posix_spawn, posix_spawn)
DEFINE_SPAWN(posix_spawnp, posix_spawn)
__typeof__(posix_spawn) posix_spawn_2_2_5, posix_spawnp_2_2_5;
DEFINE_SPAWN(posix_spawn_2_2_5, posix_spawn)
DEFINE_SPAWN(posix_spawnp_2_2_5, posix_spawn)

static FILE *popen_outside(const char *command, const char *mode)
{
    struct spawn s = {.command = command, .mode = mode, .mask = plat_tls.sigmask};
    broker_run(spawn_outside, &s);
    if (!s.stream)
        errno = s.error;
    return s.stream;
}

FILE *popen(const char *command, const char *mode)
{
    return carried() ? popen_outside(command, mode) : LIBC(popen)(command, mode);
}

__typeof__(popen) _IO_popen FRONT_EXPORT;
FILE *_IO_popen(const char *command, const char *mode)
{
    return carried() ? popen_outside(command, mode) : LIBC(_IO_popen)(command, mode);
}

/* While any call of system() waits, SIGINT and SIGQUIT are for the child alone. */
static PLAT_LOCK(SYSTEM) system_lock;
static unsigned systems;
static struct sigaction system_int, system_quit;

static void system_signals(bool begin)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    plat_lock(&system_lock);
    if (begin && systems++ == 0) {
        sigaction(SIGINT, &ignore, &system_int);
        sigaction(SIGQUIT, &ignore, &system_quit);
    } else if (!begin && --systems == 0) {
        sigaction(SIGINT, &system_int, NULL);
        sigaction(SIGQUIT, &system_quit, NULL);
    }
    plat_unlock(&system_lock);
}

int system(const char *command)
{
    if (!carried() || !command)
        return LIBC(system)(command);
    char *argv[] = {"sh", "-c", (char *)command, NULL};
    posix_spawnattr_t attr;
    sigset_t defaults;
    pid_t pid;
    int status = -1;
    posix_spawnattr_init(&attr);
    system_signals(true);
    sigemptyset(&defaults);
    if (system_int.sa_handler != SIG_IGN)
        sigaddset(&defaults, SIGINT);
    if (system_quit.sa_handler != SIG_IGN)
        sigaddset(&defaults, SIGQUIT);
    posix_spawnattr_setsigdefault(&attr, &defaults);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawn(&pid, _PATH_BSHELL, NULL, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    if (error)
        status = 127 << 8;
    else if (waitpid(pid, &status, 0) != pid)
        status = -1;
    system_signals(false);
    return status;
}

/* jumps.S goes on at the function that these return. A UMS thread gets fork, as POSIX allows. The
 * child of a vfork shares the parent's memory and stops the parent until it executes a program: it
 * would run as a second copy of the carrier. */
void *vfork_function(void);
void *__vfork_function(void);

void *vfork_function(void)
{
    return carried() ? (void *)fork : (void *)LIBC(vfork);
}

void *__vfork_function(void)
{
    return carried() ? (void *)fork : front_next(FRONT___vfork);
}

/* libc's _Fork runs no fork handlers. A UMS thread needs the library's, which make the worker the
 * child's only thread (fork.c). */
__typeof__(fork) _Fork FRONT_EXPORT;
pid_t _Fork(void)
{
    return carried() ? fork() : LIBC(_Fork)();
}
