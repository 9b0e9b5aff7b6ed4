/* SPDX-License-Identifier: MIT
 *
 * exec_front.c - libc's exec functions for UMS threads.
 *
 * The new program is what the calling kernel thread becomes. A carrier has every signal blocked and
 * keeps to one processor; so for the length of the call it takes on the worker's mask, processors and
 * policy. If the call fails it is a carrier again.
 */
#pragma GCC visibility push(default)
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>
#pragma GCC visibility pop

#include "platform/linux/engine.h"
#include "platform/linux/raw.h"

extern char **environ;

#define LIBC(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

struct disguise {
    struct plat_context *self; /* NULL: none is needed */
    sigset_t mask;
    cpu_set_t affinity;
    long bytes;
};

static void put_on(struct disguise *own)
{
    struct plat_context *self = plat_tls.current;
    own->self = self && self->tid != RAW0(SYS_gettid) ? self : NULL;
    if (!own->self)
        return;
    own->bytes = RAW3(SYS_sched_getaffinity, 0, sizeof own->affinity, &own->affinity);
    affinity_reset();
    inherit_from(self->tid, plat_tls.own_affinity, true);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &plat_tls.sigmask, &own->mask, 8);
}

static int take_off(const struct disguise *own, int result)
{
    if (own->self) {
        RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &own->mask, 0, 8);
        if (own->bytes > 0)
            RAW3(SYS_sched_setaffinity, 0, own->bytes, &own->affinity);
    }
    return result;
}

#define EXEC(name, ...)                                                                            \
    ({                                                                                             \
        struct disguise own;                                                                       \
        __typeof__(&name) real = LIBC(name);                                                       \
        put_on(&own);                                                                              \
        take_off(&own, real(__VA_ARGS__));                                                         \
    })

int execve(const char *path, char *const argv[], char *const envp[])
{
    return EXEC(execve, path, argv, envp);
}

int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
    return EXEC(execveat, fd, path, argv, envp, flags);
}

int fexecve(int fd, char *const argv[], char *const envp[])
{
    return EXEC(fexecve, fd, argv, envp);
}

int execv(const char *path, char *const argv[])
{
    return EXEC(execve, path, argv, environ);
}

int execvp(const char *file, char *const argv[])
{
    return EXEC(execvpe, file, argv, environ);
}

int execvpe(const char *file, char *const argv[], char *const envp[])
{
    return EXEC(execvpe, file, argv, envp);
}

/* The arguments up to the NULL, as a vector on the caller's stack. No heap: exec may be called where a
 * heap must not be used. */
#define VECTOR(argv, first, end)                                                                   \
    do {                                                                                           \
        va_list list;                                                                              \
        size_t count = 1;                                                                          \
        va_start(list, first);                                                                     \
        while (va_arg(list, char *))                                                               \
            count++;                                                                               \
        va_end(list);                                                                              \
        argv = alloca((count + 1) * sizeof *argv);                                                 \
        argv[0] = (char *)first;                                                                   \
        va_start(list, first);                                                                     \
        for (size_t i = 1; i <= count; i++)                                                        \
            argv[i] = va_arg(list, char *);                                                        \
        end;                                                                                       \
        va_end(list);                                                                              \
    } while (0)

int execl(const char *path, const char *arg, ...)
{
    char **argv;
    VECTOR(argv, arg, (void)0);
    return EXEC(execve, path, argv, environ);
}

int execlp(const char *file, const char *arg, ...)
{
    char **argv;
    VECTOR(argv, arg, (void)0);
    return EXEC(execvpe, file, argv, environ);
}

int execle(const char *path, const char *arg, ...)
{
    char **argv, **envp;
    VECTOR(argv, arg, envp = va_arg(list, char **));
    return EXEC(execve, path, argv, envp);
}
