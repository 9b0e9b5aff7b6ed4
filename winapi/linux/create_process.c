/* SPDX-License-Identifier: MIT
 *
 * create_process.c - CreateProcess.
 *
 * posix_spawn makes the child; for a worker another thread calls it. The child gets the standard
 * handles. If the call asks for it, it also gets the descriptors of inheritable handles, but has no
 * handles for them. A child that begins suspended is a shell, which stops itself and becomes the
 * program when it is continued. So the child has its process id before the program begins.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/linux/os/process_mark.h"
#include "winapi/linux/child_arguments.h"
#include "winapi/linux/child_process.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/job.h"
#include "winapi/linux/text.h"

struct request {
    const char *application, *line, *folder; /* each may be NULL */
    char **environment;                      /* NULL: this process's */
    BOOL inherits;
    DWORD flags;
    bool leaves_job;     /* the child leaves this process's job */
    bool names_standard; /* the caller has set STARTF_USESTDHANDLES */
    HANDLE standard[3];
};

enum { LINE_MAX_BYTES = 32767 };

/* ---- Standard handles ------------------------------------------------------------------------ */

/* A descriptor for the child's standard descriptor `index`, above 2; the caller closes it. -1: the
 * child gets this process's. */
static int standard_for(const struct request *request, int index)
{
    static const DWORD which[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    if (!request->names_standard && !request->inherits)
        return -1;
    HANDLE handle = request->names_standard ? request->standard[index] : GetStdHandle(which[index]);
    struct object *object = handle && handle != INVALID_HANDLE_VALUE ? handle_object(handle) : NULL;
    int fd = -1;
    if (object && object->type == OBJECT_FILE)
        fd = fcntl(((struct file *)object)->fd, F_DUPFD_CLOEXEC, 3);
    if (object)
        object_drop(object);
    if (fd < 0 && request->names_standard) { /* so that no file of the child's gets the number */
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        fd = fcntl(null, F_DUPFD_CLOEXEC, 3);
        close(null);
    }
    return fd;
}

/* ---- The child ------------------------------------------------------------------------------- */

/* A child that leaves the job has to do so before the program begins, so it stops first, too. */
static bool begins_stopped(const struct request *request)
{
    return request->leaves_job || request->flags & CREATE_SUSPENDED;
}

static DWORD spawn_error(int error)
{
    switch (error) {
    case ENOEXEC:
    case ELIBBAD:
        return ERROR_BAD_EXE_FORMAT;
    case E2BIG:
        return ERROR_FILENAME_EXCED_RANGE;
    default:
        return win__error_of(error);
    }
}

static void prepare(const struct request *request, const int *fds,
                    posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes)
{
    sigset_t set;
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    posix_spawn_file_actions_init(actions);
    posix_spawnattr_init(attributes);
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            posix_spawn_file_actions_adddup2(actions, fds[i], i);
    if (!request->inherits)
        posix_spawn_file_actions_addclosefrom_np(actions, 3);
    if (request->folder)
        posix_spawn_file_actions_addchdir_np(actions, request->folder);
    sigemptyset(&set);
    posix_spawnattr_setsigmask(attributes, &set);
    sigaddset(&set, SIGPIPE); /* the library ignores it in this process (file_error.c) */
    posix_spawnattr_setsigdefault(attributes, &set);
    if (request->flags & CREATE_NEW_PROCESS_GROUP) {
        flags |= POSIX_SPAWN_SETPGROUP;
        posix_spawnattr_setpgroup(attributes, 0);
    }
    posix_spawnattr_setflags(attributes, flags);
}

/* Puts a shell before the arguments, which stops itself and then becomes the program. */
static char **suspended_arguments(const char *path, char **arguments)
{
    static char shell[] = "sh", command[] = "-c", script[] = "kill -STOP $$; exec \"$0\" \"$@\"";
    size_t count = 0;
    while (arguments[count])
        count++;
    char **all = malloc((count + 5) * sizeof *all);
    if (!all)
        return NULL;
    all[0] = shell;
    all[1] = command;
    all[2] = script;
    all[3] = (char *)path;
    memcpy(all + 4, arguments + 1, count * sizeof *all); /* with the NULL at the end */
    return all;
}

static int start(const struct request *request, const char *path, char **arguments, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int fds[3];
    bool suspended = begins_stopped(request);
    char **all = suspended ? suspended_arguments(path, arguments) : arguments;
    if (!all)
        return ENOMEM;
    for (int i = 0; i < 3; i++)
        fds[i] = standard_for(request, i);
    prepare(request, fds, &actions, &attributes);
    int error = posix_spawn(pid, suspended ? "/bin/sh" : path, &actions, &attributes, all,
                            request->environment ? request->environment : environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    if (suspended)
        free(all);
    siginfo_t info;
    while (!error && suspended && waitid(P_PID, (id_t)*pid, &info, WSTOPPED | WEXITED | WNOWAIT) &&
           errno == EINTR)
        continue;
    return error;
}

static DWORD give_handles(struct child_process *child, PROCESS_INFORMATION *information)
{
    void *process = NULL, *thread = NULL;
    int error = handle_create(&child->object, &process);
    if (!error)
        error = handle_create(&child->object, &thread);
    if (error && process)
        handle_close(process);
    if (error)
        child_kill(child, 1);
    else
        *information = (PROCESS_INFORMATION){process, thread, (DWORD)child->pid, (DWORD)child->pid};
    return (DWORD)error;
}

static DWORD run(const struct request *request, const char *path, const char *line,
                 PROCESS_INFORMATION *information)
{
    pid_t pid;
    if (access(path, X_OK))
        return win__error_of(errno);
    char **arguments = win__arguments(line);
    if (!arguments)
        return ERROR_NOT_ENOUGH_MEMORY;
    int failed = start(request, path, arguments, &pid);
    free(arguments);
    if (failed)
        return spawn_error(failed);
    struct child_process *child = child_watch(pid, path, begins_stopped(request));
    if (!child)
        return ERROR_NOT_ENOUGH_MEMORY;
    if (request->leaves_job)
        mark_give(pid, 0);
    if (request->leaves_job && !(request->flags & CREATE_SUSPENDED))
        child_resume(child);
    DWORD error = give_handles(child, information);
    object_drop(&child->object);
    return error;
}

/* 0, or the error for a request that cannot be. */
static DWORD refusal(struct request *request, const void *startup, const void *information)
{
    enum job_leave leave = job_leaves(request->flags);
    if (!startup || !information || (!request->application && !request->line))
        return ERROR_INVALID_PARAMETER;
    if (request->flags & (DEBUG_PROCESS | DEBUG_ONLY_THIS_PROCESS))
        return ERROR_NOT_SUPPORTED;
    if (request->line && strlen(request->line) > LINE_MAX_BYTES)
        return ERROR_FILENAME_EXCED_RANGE;
    request->leaves_job = leave == JOB_LEAVE;
    return leave == JOB_REFUSED ? ERROR_ACCESS_DENIED : ERROR_SUCCESS;
}

static BOOL create(struct request *request, LPCSTR folder, PROCESS_INFORMATION *information)
{
    const char *application = request->application;
    char *path = application ? win__program(application) : win__program_of(request->line);
    if (!path)
        return FALSE;
    char *in = folder ? win__plain_path(folder) : NULL;
    DWORD error = ERROR_SUCCESS, kind = folder ? GetFileAttributesA(folder) : 0;
    if (folder && (!in || kind == INVALID_FILE_ATTRIBUTES || !(kind & FILE_ATTRIBUTE_DIRECTORY)))
        error = ERROR_DIRECTORY;
    request->folder = in;
    if (!error)
        error = run(request, path, request->line ? request->line : application, information);
    free(in);
    free(path);
    return error ? win__fail(error) : TRUE;
}

/* ---- The calls ------------------------------------------------------------------------------- */

/* Makes a block of 16-bit text one of UTF-8, with two zeros at its end. */
static char *narrow_block(const WCHAR *block)
{
    SIZE_T units = 0, length;
    while (block[units] || block[units + 1])
        units++;
    char *text = win__narrow(block, units + 1, &length);
    char *whole = text ? realloc(text, length + 2) : NULL;
    if (!whole) {
        free(text);
        return NULL;
    }
    whole[length] = whole[length + 1] = 0;
    return whole;
}

/* The strings of an environment block; NULL for this process's own. False: no memory. */
static bool environment_of(LPVOID block, DWORD flags, char ***strings)
{
    *strings = NULL;
    if (!block)
        return true;
    char *narrow = flags & CREATE_UNICODE_ENVIRONMENT ? narrow_block(block) : block;
    *strings = narrow ? win__environment(narrow) : NULL;
    if (narrow != block)
        free(narrow);
    return *strings;
}

static BOOL create_with(struct request *request, LPVOID block, LPCSTR folder,
                        PROCESS_INFORMATION *information)
{
    if (!environment_of(block, request->flags, &request->environment))
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    BOOL done = create(request, folder, information);
    free(request->environment);
    return done;
}

BOOL WINAPI CreateProcessA(LPCSTR lpApplicationName, LPSTR lpCommandLine,
                           LPSECURITY_ATTRIBUTES lpProcessAttributes,
                           LPSECURITY_ATTRIBUTES lpThreadAttributes, BOOL bInheritHandles,
                           DWORD dwCreationFlags, LPVOID lpEnvironment, LPCSTR lpCurrentDirectory,
                           LPSTARTUPINFOA lpStartupInfo, LPPROCESS_INFORMATION lpProcessInformation)
{
    (void)lpProcessAttributes, (void)lpThreadAttributes;
    struct request request = {.application = lpApplicationName,
                              .line = lpCommandLine,
                              .inherits = bInheritHandles,
                              .flags = dwCreationFlags};
    DWORD error = refusal(&request, lpStartupInfo, lpProcessInformation);
    if (error)
        return win__fail(error);
    request.names_standard = lpStartupInfo->dwFlags & STARTF_USESTDHANDLES;
    request.standard[0] = lpStartupInfo->hStdInput;
    request.standard[1] = lpStartupInfo->hStdOutput;
    request.standard[2] = lpStartupInfo->hStdError;
    return create_with(&request, lpEnvironment, lpCurrentDirectory, lpProcessInformation);
}

/* Both kinds of STARTUPINFO differ only in their texts, which have no effect here. */
BOOL WINAPI CreateProcessW(LPCWSTR lpApplicationName, LPWSTR lpCommandLine,
                           LPSECURITY_ATTRIBUTES lpProcessAttributes,
                           LPSECURITY_ATTRIBUTES lpThreadAttributes, BOOL bInheritHandles,
                           DWORD dwCreationFlags, LPVOID lpEnvironment, LPCWSTR lpCurrentDirectory,
                           LPSTARTUPINFOW lpStartupInfo, LPPROCESS_INFORMATION lpProcessInformation)
{
    char *application = lpApplicationName ? win__name(lpApplicationName) : NULL;
    char *line = lpCommandLine ? win__name(lpCommandLine) : NULL;
    char *folder = lpCurrentDirectory ? win__name(lpCurrentDirectory) : NULL;
    bool complete = (application || !lpApplicationName) && (line || !lpCommandLine) &&
                    (folder || !lpCurrentDirectory);
    BOOL done =
        complete && CreateProcessA(application, line, lpProcessAttributes, lpThreadAttributes,
                                   bInheritHandles, dwCreationFlags, lpEnvironment, folder,
                                   (LPSTARTUPINFOA)lpStartupInfo, lpProcessInformation);
    free(folder);
    free(line);
    free(application);
    return done;
}
