/* SPDX-License-Identifier: MIT
 *
 * crt_process.c - the C run-time library's calls that make processes: _spawn..., _exec..., _cwait.
 *
 * As on Windows, they join the arguments to one command line with blanks between them, and the new
 * program takes it apart. So the caller has to put quotes around an argument with a blank in it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "winapi/linux/child_arguments.h"
#include "winapi/linux/surface.h"
#pragma GCC visibility push(default)
#include "winapi/include/process.h"
#pragma GCC visibility pop

struct program {
    char *path;
    char *line;
    char *block; /* the environment as CreateProcess takes it, or NULL */
};

static int errno_of(DWORD error)
{
    switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
        return EACCES;
    case ERROR_BAD_EXE_FORMAT:
        return ENOEXEC;
    case ERROR_FILENAME_EXCED_RANGE:
        return E2BIG;
    case ERROR_NOT_ENOUGH_MEMORY:
        return ENOMEM;
    default:
        return EINVAL;
    }
}

/* Joins strings, with `between` behind each and a zero at the end. NULL: no memory. */
static char *joined(const char *const *strings, char between)
{
    size_t size = 2;
    for (size_t i = 0; strings[i]; i++)
        size += strlen(strings[i]) + 1;
    char *all = malloc(size), *to = all;
    for (size_t i = 0; all && strings[i]; i++) {
        to = stpcpy(to, strings[i]);
        *to++ = between;
    }
    if (!all)
        return NULL;
    if (between && to > all)
        to--;
    to[0] = to[!between && to == all] = 0; /* an empty block has two zeros */
    return all;
}

/* Looks for a program in the current folder, then in those of PATH. A name with a folder is taken
 * as it is. */
static char *found(const char *name, bool searches)
{
    char path[4096];
    const char *folders = getenv("PATH");
    if (searches && !strpbrk(name, "/\\") && access(name, X_OK) && folders &&
        SearchPathA(folders, name, ".exe", sizeof path, path, NULL))
        return strdup(path);
    return win__program(name);
}

static void forget(struct program *program)
{
    free(program->path);
    free(program->line);
    free(program->block);
}

/* Finds the program and makes its command line and block. 0 or an errno. */
static int find(struct program *program, const char *name, const char *const *arguments,
                const char *const *environment, bool searches)
{
    *program = (struct program){0};
    if (!name || !*name || !arguments || !arguments[0] || !*arguments[0])
        return EINVAL;
    program->path = found(name, searches);
    if (!program->path)
        return errno_of(GetLastError());
    program->line = joined(arguments, ' ');
    program->block = environment ? joined(environment, 0) : NULL;
    if (program->line && (!environment || program->block))
        return 0;
    forget(program);
    return ENOMEM;
}

static intptr_t failed(int error)
{
    errno = error;
    return -1;
}

/* ---- In the place of this process ------------------------------------------------------------ */

static intptr_t become(const char *name, const char *const *arguments,
                       const char *const *environment, bool searches)
{
    struct program program;
    int error = find(&program, name, arguments, environment, searches);
    if (error)
        return failed(error);
    char **list = win__arguments(program.line);
    error = ENOMEM;
    if (list) {
        execve(program.path, list, environment ? (char *const *)(uintptr_t)environment : environ);
        error = errno;
    }
    free(list);
    forget(&program);
    return failed(error);
}

/* ---- Beside this process --------------------------------------------------------------------- */

static intptr_t start(int mode, struct program *program)
{
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION made;
    if (!CreateProcessA(program->path, program->line, NULL, NULL, TRUE, 0, program->block, NULL,
                        &startup, &made))
        return failed(errno_of(GetLastError()));
    CloseHandle(made.hThread);
    if (mode == _P_NOWAIT || mode == _P_NOWAITO)
        return (intptr_t)made.hProcess;
    DWORD code = 0;
    if (mode == _P_WAIT) {
        WaitForSingleObject(made.hProcess, INFINITE);
        GetExitCodeProcess(made.hProcess, &code);
    }
    CloseHandle(made.hProcess);
    return (int)code;
}

static intptr_t spawn(int mode, const char *name, const char *const *arguments,
                      const char *const *environment, bool searches)
{
    struct program program;
    if (mode < _P_WAIT || mode > _P_DETACH)
        return failed(EINVAL);
    if (mode == _P_OVERLAY)
        return become(name, arguments, environment, searches);
    int error = find(&program, name, arguments, environment, searches);
    if (error)
        return failed(error);
    intptr_t result = start(mode, &program);
    forget(&program);
    return result;
}

intptr_t _cwait(int *status, intptr_t process, int action)
{
    HANDLE handle = (HANDLE)process;
    DWORD code;
    (void)action;
    if (WaitForSingleObject(handle, INFINITE) != WAIT_OBJECT_0 ||
        !GetExitCodeProcess(handle, &code))
        return failed(ECHILD);
    if (status)
        *status = (int)code;
    CloseHandle(handle);
    return process;
}

/* ---- The families ---------------------------------------------------------------------------- */

intptr_t _spawnv(int mode, const char *name, const char *const *arguments)
{
    return spawn(mode, name, arguments, NULL, false);
}

intptr_t _spawnve(int mode, const char *name, const char *const *arguments,
                  const char *const *environment)
{
    return spawn(mode, name, arguments, environment, false);
}

intptr_t _spawnvp(int mode, const char *name, const char *const *arguments)
{
    return spawn(mode, name, arguments, NULL, true);
}

intptr_t _spawnvpe(int mode, const char *name, const char *const *arguments,
                   const char *const *environment)
{
    return spawn(mode, name, arguments, environment, true);
}

intptr_t _execv(const char *name, const char *const *arguments)
{
    return become(name, arguments, NULL, false);
}

intptr_t _execve(const char *name, const char *const *arguments, const char *const *environment)
{
    return become(name, arguments, environment, false);
}

intptr_t _execvp(const char *name, const char *const *arguments)
{
    return become(name, arguments, NULL, true);
}

intptr_t _execvpe(const char *name, const char *const *arguments, const char *const *environment)
{
    return become(name, arguments, environment, true);
}

/* The arguments of a call such as _spawnl: a list up to NULL. With `environment` the program's
 * environment follows the NULL. */
struct listed {
    const char **arguments;
    const char *const *environment;
};

static bool list(struct listed *listed, const char *first, va_list rest, bool environment)
{
    va_list count;
    size_t arguments = 1;
    va_copy(count, rest);
    while (first && va_arg(count, const char *))
        arguments++;
    va_end(count);
    *listed = (struct listed){malloc((arguments + 1) * sizeof(char *)), NULL};
    if (!listed->arguments) {
        errno = ENOMEM;
        return false;
    }
    listed->arguments[0] = first;
    for (size_t i = 1; first && i <= arguments; i++)
        listed->arguments[i] = va_arg(rest, const char *);
    if (first && environment)
        listed->environment = va_arg(rest, const char *const *);
    return true;
}

#define LISTED(environment, CALL)                                                                  \
    struct listed listed;                                                                          \
    va_list rest;                                                                                  \
    va_start(rest, first);                                                                         \
    bool known = list(&listed, first, rest, environment);                                          \
    va_end(rest);                                                                                  \
    intptr_t result = known ? (CALL) : -1;                                                         \
    free(listed.arguments);                                                                        \
    return result

intptr_t _spawnl(int mode, const char *name, const char *first, ...)
{
    LISTED(false, spawn(mode, name, listed.arguments, NULL, false));
}

intptr_t _spawnle(int mode, const char *name, const char *first, ...)
{
    LISTED(true, spawn(mode, name, listed.arguments, listed.environment, false));
}

intptr_t _spawnlp(int mode, const char *name, const char *first, ...)
{
    LISTED(false, spawn(mode, name, listed.arguments, NULL, true));
}

intptr_t _spawnlpe(int mode, const char *name, const char *first, ...)
{
    LISTED(true, spawn(mode, name, listed.arguments, listed.environment, true));
}

intptr_t _execl(const char *name, const char *first, ...)
{
    LISTED(false, become(name, listed.arguments, NULL, false));
}

intptr_t _execle(const char *name, const char *first, ...)
{
    LISTED(true, become(name, listed.arguments, listed.environment, false));
}

intptr_t _execlp(const char *name, const char *first, ...)
{
    LISTED(false, become(name, listed.arguments, NULL, true));
}

intptr_t _execlpe(const char *name, const char *first, ...)
{
    LISTED(true, become(name, listed.arguments, listed.environment, true));
}
