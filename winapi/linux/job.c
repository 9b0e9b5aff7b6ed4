/* SPDX-License-Identifier: MIT
 *
 * job.c - see job.h.
 */
#include "winapi/linux/job.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "platform/linux/async/job_keeper.h"
#include "platform/linux/dispatch/port.h"
#include "platform/linux/os/process_mark.h"
#include "platform/linux/os/raw.h"

static unsigned forks; /* how deep in forks this process is; changes only with one thread */

/* ---- Messages -------------------------------------------------------------------------------- */

/* Sends a message about a process to the job's port. */
static void tell(struct job *job, DWORD message, DWORD pid)
{
    struct packet *packet = malloc(sizeof *packet); /* without memory the message is lost */
    plat_lock(&job->lock);
    struct object *port = job->port;
    void *key = job->key;
    if (port)
        object_hold(port);
    plat_unlock(&job->lock);
    if (port && packet) {
        *packet = (struct packet){
            .key = (uintptr_t)key, .overlapped = (void *)(uintptr_t)pid, .bytes = message};
        port_give(port, packet);
        packet = NULL;
    }
    free(packet);
    if (port)
        object_drop(port);
}

/* Whether the code is that of a crash, and no exit code that a program gives itself. */
static bool abnormal(DWORD code)
{
    return code >= 0xC0000000 && code != (DWORD)-1;
}

static void tell_end(struct job *job, struct child_process *child)
{
    DWORD code = child_code(child), pid = (DWORD)child->pid;
    job_look(job);
    tell(job, abnormal(code) ? JOB_OBJECT_MSG_ABNORMAL_EXIT_PROCESS : JOB_OBJECT_MSG_EXIT_PROCESS,
         pid);
    plat_lock(&job->lock);
    job->user += child->user;
    job->system += child->system;
    bool last = --job->running == 0;
    plat_unlock(&job->lock);
    if (last)
        tell(job, JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO, 0);
}

enum { JOINING, ANNOUNCED, ENDED };

static void member_ended(struct object *job, struct child_process *child)
{
    if (atomic_exchange(&child->in_job, ENDED) == ANNOUNCED)
        tell_end((struct job *)job, child);
}

/* ---- Members --------------------------------------------------------------------------------- */

/* Called in one step with the membership, so that every member is counted. */
static void count_member(struct object *object)
{
    struct job *job = (struct job *)object;
    plat_lock(&job->lock);
    job->total++;
    job->running++;
    plat_unlock(&job->lock);
}

static bool join(struct job *job, struct child_process *child)
{
    if (!child_join(child, &job->object, count_member, member_ended))
        return false;
    tell(job, JOB_OBJECT_MSG_NEW_PROCESS, (DWORD)child->pid);
    if (atomic_exchange(&child->in_job, ANNOUNCED) == ENDED)
        tell_end(job, child);
    return true;
}

struct looker {
    struct job *job;
    DWORD count;
};

static void adopt(pid_t pid, int pidfd, void *arg)
{
    struct looker *looker = arg;
    looker->count++;
    if (pid == getpid())
        return;
    struct child_process *child = process_by_descriptor(pid, pidfd);
    if (child) {
        join(looker->job, child);
        object_drop(&child->object);
    }
}

DWORD job_look(struct job *job)
{
    struct looker looker = {job, 0};
    mark_each(job->mark, adopt, &looker);
    return looker.count;
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static void limit(pid_t pid, int which, bool limited, uint64_t value)
{
    struct rlimit64 now;
    if (prlimit64(pid, which, NULL, &now))
        return;
    now.rlim_cur = limited && value < now.rlim_max ? value : now.rlim_max;
    prlimit64(pid, which, &now, NULL);
}

void job_limit_process(const struct job *job, pid_t pid, DWORD dropped)
{
    DWORD set = job->flags, either = set | dropped;
    uint64_t seconds = ((uint64_t)job->time + 9999999) / 10000000;
    if (either & JOB_OBJECT_LIMIT_PROCESS_TIME)
        limit(pid, RLIMIT_CPU, set & JOB_OBJECT_LIMIT_PROCESS_TIME, seconds);
    if (either & JOB_OBJECT_LIMIT_PROCESS_MEMORY)
        limit(pid, RLIMIT_DATA, set & JOB_OBJECT_LIMIT_PROCESS_MEMORY, job->memory);
}

/* ---- The object ------------------------------------------------------------------------------ */

struct job *win__job(HANDLE handle)
{
    struct object *object = win__object(handle);
    if (object && object->type != OBJECT_JOB) {
        object_drop(object);
        win__fail(ERROR_INVALID_HANDLE);
        return NULL;
    }
    return (struct job *)object;
}

static void end_process(pid_t pid, int pidfd, void *arg)
{
    DWORD code = *(const DWORD *)arg;
    struct child_process *child = process_by_descriptor(pid, pidfd);
    if (!child || child_kill(child, code))
        pidfd_send_signal(pidfd, SIGKILL, NULL, 0);
    if (child)
        object_drop(&child->object);
}

/* Ends this process last. */
static void end_all(struct job *job, DWORD code)
{
    mark_end_all(job->mark, end_process, &code);
    if (mark_same(mark_of(0), job->mark))
        _exit((int)code);
}

static void closed(struct object *object)
{
    struct job *job = (struct job *)object;
    if (!job->kept || job->forks != forks)
        return;
    mark_end_all(job->mark, NULL, NULL);
    if (mark_same(mark_of(0), job->mark))
        _exit(0);
    job_keeper_remove(job->mark | MARK_BITS);
}

static void destroy(struct object *object)
{
    struct job *job = (struct job *)object;
    if (job->port)
        object_drop(job->port);
}

static struct object *make(void)
{
    struct job *job = object_create(OBJECT_JOB, sizeof *job);
    if (!job)
        return NULL;
    memset(&job->object + 1, 0, sizeof *job - sizeof job->object);
    job->mark = mark_fresh();
    job->forks = forks;
    job->object.closed = closed;
    job->object.destroy = destroy;
    return &job->object;
}

HANDLE WINAPI CreateJobObjectA(LPSECURITY_ATTRIBUTES lpJobAttributes, LPCSTR lpName)
{
    (void)lpJobAttributes;
    return win__create_named(make(), FAMILY_JOB, lpName);
}

HANDLE WINAPI CreateJobObjectW(LPSECURITY_ATTRIBUTES lpJobAttributes, LPCWSTR lpName)
{
    (void)lpJobAttributes;
    return win__create_named_w(make(), FAMILY_JOB, lpName);
}

HANDLE WINAPI OpenJobObjectA(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_named(FAMILY_JOB, lpName);
}

HANDLE WINAPI OpenJobObjectW(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCWSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_named_w(FAMILY_JOB, lpName);
}

BOOL WINAPI TerminateJobObject(HANDLE hJob, UINT uExitCode)
{
    struct job *job = win__job(hJob);
    if (!job)
        return FALSE;
    end_all(job, uExitCode);
    object_drop(&job->object);
    return TRUE;
}

/* ---- Processes ------------------------------------------------------------------------------- */

/* The limit of processes is reached. The process is ended, as on Windows, unless it is this one. */
static DWORD refuse(struct job *job, struct child_process *child)
{
    plat_lock(&job->lock);
    job->refused += child != NULL;
    plat_unlock(&job->lock);
    if (child)
        child_kill(child, ERROR_NOT_ENOUGH_QUOTA);
    tell(job, JOB_OBJECT_MSG_ACTIVE_PROCESS_LIMIT, 0);
    return ERROR_NOT_ENOUGH_QUOTA;
}

/* Puts a process into the job; NULL: this process. */
static DWORD assign(struct job *job, struct child_process *child)
{
    pid_t pid = child ? child->pid : getpid();
    if (child && atomic_load_explicit(&child->ended, memory_order_acquire))
        return ERROR_ACCESS_DENIED;
    if (mark_of(pid))
        return ERROR_ACCESS_DENIED; /* it is in a job already */
    if (job->flags & JOB_OBJECT_LIMIT_ACTIVE_PROCESS && job_look(job) >= job->most)
        return refuse(job, child);
    long error = mark_give(pid, job->mark);
    if (error)
        return error == -1 ? ERROR_ACCESS_DENIED : ERROR_NOT_SUPPORTED;
    job_limit_process(job, pid, 0);
    if (!child) {
        count_member(&job->object);
        return ERROR_SUCCESS;
    }
    /* Another thread's job_look may have found the mark and made the process a member. */
    if (join(job, child) || child->job == &job->object)
        return ERROR_SUCCESS;
    mark_give(pid, 0); /* the process has ended, and another may have its number by now */
    return ERROR_ACCESS_DENIED;
}

BOOL WINAPI AssignProcessToJobObject(HANDLE hJob, HANDLE hProcess)
{
    struct job *job = win__job(hJob);
    struct child_process *child = job ? child_of(hProcess) : NULL;
    DWORD error = ERROR_INVALID_HANDLE;
    if (job && (child || win__this_process(hProcess)))
        error = assign(job, child);
    if (child)
        object_drop(&child->object);
    if (job)
        object_drop(&job->object);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI IsProcessInJob(HANDLE ProcessHandle, HANDLE JobHandle, PBOOL Result)
{
    struct job *job = NULL;
    struct child_process *child = child_of(ProcessHandle);
    DWORD error = ERROR_SUCCESS;
    if (!Result)
        error = ERROR_NOACCESS;
    else if ((!child && !win__this_process(ProcessHandle)) ||
             (JobHandle && !(job = win__job(JobHandle))))
        error = ERROR_INVALID_HANDLE;
    if (!error) {
        bool ended = child && atomic_load_explicit(&child->ended, memory_order_acquire);
        uint64_t mark = ended ? 0 : mark_of(child ? child->pid : 0);
        bool was = ended && child->job && (!job || child->job == &job->object);
        *Result = was || (mark && (!job || mark_same(mark, job->mark)));
    }
    if (child)
        object_drop(&child->object);
    if (job)
        object_drop(&job->object);
    return error ? win__fail(error) : TRUE;
}

enum job_leave job_leaves(DWORD creation_flags)
{
    uint64_t mark = mark_of(0);
    if (!mark || !(mark & JOB_BREAKS_AWAY || creation_flags & CREATE_BREAKAWAY_FROM_JOB))
        return JOB_STAY;
    return mark & MARK_BITS ? JOB_LEAVE : JOB_REFUSED;
}

/* In a child after fork, the parent's jobs have only marks: job.h. */
void jobs_forget(void)
{
    forks++;
    job_keeper_forget();
}
