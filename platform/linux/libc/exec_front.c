/* SPDX-License-Identifier: MIT
 *
 * exec_front.c - the fronts of exec, for a worker that becomes another program: the program starts
 * with the worker's mask and the program's processors, not with the carrier's.
 *
 * Where there is a filter it stops the system call itself, and trap_process.c has the call made
 * where there is none.
 *
 * Between the change of the mask and the call, a signal of the process may be handled on the
 * carrier. If the call fails, mask and processors are put back.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>
#pragma GCC visibility pop

#include "platform/linux/current.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/linux/traps/call_identity.h"

extern char **environ;

struct carried_state {
    bool changed;
    uint64_t mask;
    cpu_set_t processors;
};

static void become(struct carried_state *own)
{
    own->changed = carried() && !engine_caps.trapped;
    if (!own->changed)
        return;
    RAW3(SYS_sched_getaffinity, 0, sizeof own->processors, &own->processors);
    affinity_reset();
    inherit_from(plat_tls.tid, plat_tls.own_affinity, false);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, mask_of(plat_tls.current), &own->mask, 8);
}

static int failed(const struct carried_state *own, int result)
{
    if (own->changed) {
        RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &own->mask, 0, 8);
        RAW3(SYS_sched_setaffinity, 0, sizeof own->processors, &own->processors);
    }
    return result;
}

int execve(const char *path, char *const argv[], char *const envp[])
{
    struct carried_state own;
    __typeof__(&execve) real = LIBC(execve);
    become(&own);
    return failed(&own, real(path, argv, envp));
}

int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

int execvpe(const char *file, char *const argv[], char *const envp[])
{
    struct carried_state own;
    __typeof__(&execvpe) real = LIBC(execvpe);
    become(&own);
    return failed(&own, real(file, argv, envp));
}

int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

int fexecve(int fd, char *const argv[], char *const envp[])
{
    struct carried_state own;
    __typeof__(&fexecve) real = LIBC(fexecve);
    become(&own);
    return failed(&own, real(fd, argv, envp));
}

/* ---- Arguments as a list --------------------------------------------------------------------- */

static size_t count_arguments(va_list list)
{
    size_t count = 1;
    while (va_arg(list, char *))
        count++;
    return count;
}

static void collect(char **argv, const char *first, va_list list)
{
    *argv++ = (char *)first;
    while ((*argv++ = va_arg(list, char *)))
        ;
}

/* Evaluates `call` with the list as argv. */
#define WITH_ARGUMENTS(first, call)                                                                \
    ({                                                                                             \
        va_list rest;                                                                              \
        va_start(rest, first);                                                                     \
        char **argv = __builtin_alloca((count_arguments(rest) + 1) * sizeof *argv);                \
        va_end(rest);                                                                              \
        va_start(rest, first);                                                                     \
        collect(argv, first, rest);                                                                \
        va_end(rest);                                                                              \
        call;                                                                                      \
    })

int execl(const char *path, const char *first, ...)
{
    return WITH_ARGUMENTS(first, execve(path, argv, environ));
}

int execlp(const char *file, const char *first, ...)
{
    return WITH_ARGUMENTS(first, execvpe(file, argv, environ));
}

int execle(const char *path, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    for (const char *one = first; one; one = va_arg(list, const char *))
        ;
    char **envp = va_arg(list, char **);
    va_end(list);
    return WITH_ARGUMENTS(first, execve(path, argv, envp));
}
