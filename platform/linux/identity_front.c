/* SPDX-License-Identifier: MIT
 *
 * identity_front.c - libc functions that act on the calling kernel thread, for UMS threads.
 *
 * A carrier's own signal mask is "all blocked", its processor and its filter are the engine's. What a
 * worker asks for is kept with the worker; threads and processes it creates are created by the
 * service thread, so that they are what they would have been: outside the filter, free to run
 * anywhere, with the worker's signal mask. Plain threads get libc's functions.
 */
#pragma GCC visibility push(default)
#include <dlfcn.h>
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

#include "platform/linux/calls.h"
#include "platform/linux/raw.h"
#include "platform/linux/thread.h"

extern char **environ;

#define LIBC(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* ---- Threads ----------------------------------------------------------------------------------- */

struct new_thread {
    pthread_t *thread;
    const pthread_attr_t *attr;
    void *(*start)(void *);
    void *arg;
    sigset_t mask;
    bool outside; /* made by the service thread for one that is carried */
    int error;
};

/* A thread of the program's is a thread object from its beginning, so that the process ends with the
 * last of them (thread.c). */
static void *program_thread(void *box)
{
    struct new_thread own = *(struct new_thread *)box;
    free(box);
    if (own.outside) {
        affinity_reset();
        signals_restore(&own.mask);
    }
    plat_tls.counted = true;
    thread_current();
    return own.start(own.arg);
}

int libc_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                        void *arg)
{
    static _Atomic(__typeof__(&pthread_create)) real;
    __typeof__(&pthread_create) fn = atomic_load_explicit(&real, memory_order_relaxed);
    if (!fn) {
        fn = LIBC(pthread_create);
        atomic_store_explicit(&real, fn, memory_order_relaxed);
    }
    return fn(thread, attr, start, arg);
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
    program_thread_began();
    request->error = libc_pthread_create(request->thread, request->attr, program_thread, box);
    if (request->error) {
        program_thread_failed();
        free(box);
    }
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
                   void *(*start)(void *), void *restrict arg)
{
    struct new_thread request = {thread, attr, start, arg, plat_tls.sigmask, carried(), 0};
    sigset_t given;
    if (request.outside && attr && pthread_attr_getsigmask_np(attr, &given) == 0)
        request.mask = given; /* libc sets it in the thread, where ours comes later */
    if (request.outside)
        service_run(create_program_thread, &request);
    else
        create_program_thread(&request);
    return request.error;
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
    return error == EAGAIN ? thrd_nomem : thrd_error;
}

/* ---- Processes -------------------------------------------------------------------------------------- */

struct spawn {
    bool search;
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

/* On the service thread: the child gets the mask of whoever asked, and the program's processors. */
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
    } else if (s->search) {
        s->error = LIBC(posix_spawnp)(s->pid, s->path, s->actions, s->attr, s->argv, s->envp);
    } else {
        s->error = LIBC(posix_spawn)(s->pid, s->path, s->actions, s->attr, s->argv, s->envp);
    }
    signals_restore(&old);
    RAW3(SYS_sched_setaffinity, 0, sizeof own, &own);
}

int posix_spawn(pid_t *restrict pid, const char *restrict path,
                const posix_spawn_file_actions_t *restrict actions,
                const posix_spawnattr_t *restrict attr, char *const argv[restrict],
                char *const envp[restrict])
{
    if (!carried())
        return LIBC(posix_spawn)(pid, path, actions, attr, argv, envp);
    struct spawn s = {.pid = pid, .path = path, .actions = actions, .attr = attr, .argv = argv,
                      .envp = envp, .mask = plat_tls.sigmask};
    service_run(spawn_outside, &s);
    return s.error;
}

int posix_spawnp(pid_t *restrict pid, const char *restrict path,
                 const posix_spawn_file_actions_t *restrict actions,
                 const posix_spawnattr_t *restrict attr, char *const argv[restrict],
                 char *const envp[restrict])
{
    if (!carried())
        return LIBC(posix_spawnp)(pid, path, actions, attr, argv, envp);
    struct spawn s = {.search = true, .pid = pid, .path = path, .actions = actions, .attr = attr,
                      .argv = argv, .envp = envp, .mask = plat_tls.sigmask};
    service_run(spawn_outside, &s);
    return s.error;
}

FILE *popen(const char *command, const char *mode)
{
    if (!carried())
        return LIBC(popen)(command, mode);
    struct spawn s = {.command = command, .mode = mode, .mask = plat_tls.sigmask};
    service_run(spawn_outside, &s);
    if (!s.stream)
        errno = s.error;
    return s.stream;
}

/* While any call of system() waits, the terminal's signals are the child's alone. */
static struct plat_lock system_lock;
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

/* A child that shares our memory and stops us until it execs would run as a second copy of the
 * carrier. POSIX allows vfork to be fork. */
pid_t vfork(void)
{
    return fork();
}
