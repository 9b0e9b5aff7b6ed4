/* SPDX-License-Identifier: MIT
 *
 * child_process.c - see child_process.h.
 */
#include "winapi/linux/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "platform/linux/async/fd_watch.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/os/own_files.h"
#include "winapi/linux/process_list.h"

static PLAT_LOCK(CHILDREN) children_lock;
static struct child_process *children; /* running ones: children, and others that were opened */

/* ---- Ends ------------------------------------------------------------------------------------ */

/* The exit code of a process that a signal ended: the code that Windows gives for the same reason,
 * if it has one; else that of a shell. */
static DWORD code_of_signal(int number)
{
    switch (number) {
    case SIGSEGV:
    case SIGBUS:
        return (DWORD)STATUS_ACCESS_VIOLATION;
    case SIGILL:
        return (DWORD)STATUS_ILLEGAL_INSTRUCTION;
    case SIGFPE:
        return (DWORD)STATUS_INTEGER_DIVIDE_BY_ZERO;
    case SIGTRAP:
        return (DWORD)STATUS_BREAKPOINT;
    case SIGINT:
        return (DWORD)STATUS_CONTROL_C_EXIT;
    case SIGABRT:
        return 3;
    case SIGXCPU:
        return ERROR_NOT_ENOUGH_QUOTA;
    default:
        return 128 + (DWORD)number;
    }
}

static uint64_t ns_of(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The caller has children_lock. In a child after fork the list is empty. */
static void unlist(const struct child_process *child)
{
    struct child_process **link = &children;
    while (*link && *link != child)
        link = &(*link)->next;
    if (*link)
        *link = child->next;
}

/* The exit code. If the process was not reaped, the code is known only where this process killed
 * it. A child that the program itself has reaped has -1. */
static DWORD code_of(const struct child_process *child, bool reaped, int status)
{
    if (!reaped)
        return child->others && child->killed ? child->kill_code : (DWORD)-1;
    if (WIFEXITED(status))
        return (DWORD)WEXITSTATUS(status);
    return child->killed && WTERMSIG(status) == SIGKILL ? child->kill_code
                                                        : code_of_signal(WTERMSIG(status));
}

static bool over(int pidfd)
{
    struct pollfd file = {.fd = pidfd, .events = POLLIN};
    return poll(&file, 1, 0) == 1;
}

/* Notes the end of a process, and reaps it if it is a child. False: it has not ended. */
static bool reap(struct child_process *child)
{
    int status = 0;
    struct rusage usage = {0};
    pid_t pid = -1;
    if (child->others) {
        if (!over(child->pidfd))
            return false;
    } else {
        pid = wait4(child->pid, &status, WNOHANG, &usage);
        if (pid == 0 || (pid < 0 && errno == EINTR))
            return false;
    }
    plat_lock(&children_lock);
    child->died = now();
    child->user = ns_of(&usage.ru_utime);
    child->system = ns_of(&usage.ru_stime);
    child->code = code_of(child, pid > 0, status);
    unlist(child);
    atomic_store_explicit(&child->ended, true, memory_order_release);
    plat_unlock(&children_lock);
    return true;
}

/* Fetches the exit code and wakes waiters. The thread ums:watch calls it when the kernel reports
 * the process's end. */
static bool look(void *arg)
{
    struct child_process *child = arg;
    if (!reap(child))
        return false;
    object_signal(&child->object);
    if (child->job) /* no thread changes `job` after the end */
        child->ended_in_job(child->job, child);
    object_drop(&child->object); /* the list's reference */
    return true;
}

static void destroy(struct object *object)
{
    struct child_process *child = (struct child_process *)object;
    if (child->pidfd >= 0)
        own_file_close(child->pidfd);
    if (child->job)
        object_drop(child->job);
}

/* ---- Beginnings ------------------------------------------------------------------------------ */

/* The caller has children_lock. A running process, with a reference. */
static struct child_process *find(pid_t pid)
{
    struct child_process *child = children;
    while (child && child->pid != pid)
        child = child->next;
    if (child)
        object_hold(&child->object);
    return child;
}

/* Puts the child on the list first: ums:watch may reap it as soon as it is watched. */
static bool enlist(struct child_process *child)
{
    object_hold(&child->object);
    plat_lock(&children_lock);
    child->next = children;
    children = child;
    plat_unlock(&children_lock);
    if (!fd_watch(child->pidfd, look, child))
        return true;
    plat_lock(&children_lock);
    unlist(child);
    plat_unlock(&children_lock);
    object_drop(&child->object);
    return false;
}

static void end_at_once(pid_t pid)
{
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* An object without a descriptor of the process yet. NULL: no memory. */
static struct child_process *make(pid_t pid, const char *path)
{
    struct child_process *child = object_create(OBJECT_CHILD, sizeof *child + strlen(path) + 1);
    if (!child)
        return NULL;
    child->pid = pid;
    child->pidfd = -1;
    child->suspended = 0;
    child->others = false;
    child->killed = false;
    child->born = now();
    child->died = 0;
    child->user = child->system = 0;
    child->code = STILL_ACTIVE;
    child->ended = false;
    child->job = NULL;
    child->in_job = 0;
    strcpy(child->path, path);
    child->object.destroy = destroy;
    return child;
}

struct child_process *child_watch(pid_t pid, const char *path, bool suspended)
{
    struct child_process *child = make(pid, path);
    if (child) {
        child->suspended = suspended;
        child->pidfd = fd_move_high(pidfd_open(pid, 0));
        if (child->pidfd >= 0 && enlist(child))
            return child;
    }
    end_at_once(pid);
    if (child)
        object_drop(&child->object);
    return NULL;
}

/* ---- Processes that are no children ---------------------------------------------------------- */

/* A descriptor of a process that this one may end. -1, with the last error. */
static int open_others(DWORD id)
{
    int fd = (pid_t)id > 0 ? fd_move_high(pidfd_open((pid_t)id, 0)) : -1;
    DWORD error = fd >= 0                              ? ERROR_SUCCESS
                  : errno == EMFILE || errno == ENFILE ? ERROR_TOO_MANY_OPEN_FILES
                                                       : ERROR_INVALID_PARAMETER;
    if (!error && pidfd_send_signal(fd, 0, NULL, 0))
        error = errno == ESRCH ? ERROR_INVALID_PARAMETER : ERROR_ACCESS_DENIED;
    if (!error)
        return fd;
    if (fd >= 0)
        own_file_close(fd);
    win__fail(error);
    return -1;
}

static struct child_process *take_others(DWORD id, int pidfd)
{
    char path[4096];
    process_path((pid_t)id, path, sizeof path);
    struct child_process *child = make((pid_t)id, path);
    if (!child) {
        own_file_close(pidfd);
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    child->pidfd = pidfd;
    child->others = true;
    if (enlist(child))
        return child;
    object_drop(&child->object);
    win__fail(ERROR_NOT_ENOUGH_MEMORY);
    return NULL;
}

/* Two threads that open a process at the same time may get two objects of it. Both work. */
struct child_process *process_by_id(DWORD id)
{
    plat_lock(&children_lock);
    struct child_process *child = find((pid_t)id);
    plat_unlock(&children_lock);
    if (child)
        return child;
    int pidfd = open_others(id);
    return pidfd < 0 ? NULL : take_others(id, pidfd);
}

/* ---- Found, ended, suspended ----------------------------------------------------------------- */

struct child_process *child_of(HANDLE handle)
{
    struct object *object = handle_object(handle);
    if (object && object->type != OBJECT_CHILD) {
        object_drop(object);
        object = NULL;
    }
    return (struct child_process *)object;
}

struct child_process *process_by_descriptor(pid_t pid, int pidfd)
{
    plat_lock(&children_lock);
    struct child_process *child = find(pid);
    plat_unlock(&children_lock);
    if (child)
        return child;
    int own = fd_move_high(fcntl(pidfd, F_DUPFD_CLOEXEC, 3));
    return own < 0 ? NULL : take_others((DWORD)pid, own);
}

bool child_join(struct child_process *child, struct object *job, void (*joined)(struct object *job),
                void (*ended)(struct object *job, struct child_process *child))
{
    plat_lock(&children_lock);
    bool joins = !child->ended && !child->job;
    if (joins) {
        object_hold(job);
        child->job = job;
        child->ended_in_job = ended;
        joined(job);
    }
    plat_unlock(&children_lock);
    return joins;
}

DWORD child_code(const struct child_process *child)
{
    return atomic_load_explicit(&child->ended, memory_order_acquire) ? child->code : STILL_ACTIVE;
}

DWORD child_kill(struct child_process *child, DWORD code)
{
    plat_lock(&children_lock);
    bool running = !child->ended && !child->killed;
    if (running) {
        child->killed = true;
        child->kill_code = code;
    }
    plat_unlock(&children_lock);
    if (!running)
        return ERROR_ACCESS_DENIED;
    return pidfd_send_signal(child->pidfd, SIGKILL, NULL, 0) && errno != ESRCH ? ERROR_ACCESS_DENIED
                                                                               : ERROR_SUCCESS;
}

static DWORD count(struct child_process *child, int change)
{
    plat_lock(&children_lock);
    DWORD before = child->suspended;
    bool ended = child->ended, full = change > 0 && before == MAXIMUM_SUSPEND_COUNT;
    if (!ended && !full && (change > 0 || before)) {
        child->suspended += (DWORD)change;
        if (!before || !child->suspended)
            pidfd_send_signal(child->pidfd, before ? SIGCONT : SIGSTOP, NULL, 0);
    }
    plat_unlock(&children_lock);
    if (!ended && !full)
        return before;
    win__fail(ended ? ERROR_ACCESS_DENIED : ERROR_SIGNAL_REFUSED);
    return (DWORD)-1;
}

DWORD child_suspend(struct child_process *child)
{
    return count(child, 1);
}

DWORD child_resume(struct child_process *child)
{
    return count(child, -1);
}

void children_forget(void)
{
    plat_lock_forget(&children_lock);
    children = NULL;
}
