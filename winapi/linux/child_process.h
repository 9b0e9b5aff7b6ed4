/* SPDX-License-Identifier: MIT
 *
 * child_process.h - processes as objects: those that CreateProcess has made, and others that
 * OpenProcess was asked for.
 *
 * A child runs until the thread ums:watch has reaped it, and has ended then. ums:watch writes its
 * code and its times, then `ended` (release), then signals the object. A running child is on the
 * list of children, which has a reference. So a child is found by its number as long as the number
 * is its own. children_lock is for the list, the fields written at the end and the count of
 * suspensions. The process's descriptor lives as long as the object, and a signal that is sent by
 * it never goes to another process.
 *
 * A process that is no child is not reaped. It has ended when the kernel says so. Its code is not
 * known unless this process has killed it. ums:watch watches it until its end, even without a
 * handle, so every OpenProcess finds the same object.
 *
 * The handle of a child's first thread leads to the same object as the child's own.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CHILD_PROCESS_H
#define UMSSHIM_WINAPI_LINUX_CHILD_PROCESS_H

#include <sys/types.h>

#include "winapi/linux/surface.h"

struct child_process {
    struct object object;
    pid_t pid;
    int pidfd;
    DWORD suspended;
    bool others; /* no child of this process */
    bool killed; /* by TerminateProcess, with kill_code */
    DWORD kill_code;
    DWORD code;
    int64_t born, died;    /* CLOCK_REALTIME, ns */
    uint64_t user, system; /* ns */
    _Atomic bool ended;
    struct object *job; /* with a reference; NULL: in no job (job.h); under children_lock */
    void (*ended_in_job)(struct object *job, struct child_process *child);
    _Atomic uint32_t in_job;
    struct child_process *next;
    char path[]; /* the path of its program */
};

/* Makes the object of a child that was just started, with one reference; the list has another.
 * NULL: no memory, or no thread that watches; then the child is killed. */
struct child_process *child_watch(pid_t pid, const char *path, bool suspended);

/* The process of a handle, with a reference (object_drop). NULL: the handle is no process's; the
 * last error is not set. */
struct child_process *child_of(HANDLE handle);
/* Any running process, with a reference. It need not be a child of this one. NULL with the last
 * error: ERROR_ACCESS_DENIED for another user's process. */
struct child_process *process_by_id(DWORD id);

/* The same for the process of a descriptor. The caller keeps the descriptor. NULL: no memory. */
struct child_process *process_by_descriptor(pid_t pid, int pidfd);
/* Makes a running process a member of a job, for good. Calls joined() with children_lock held, and
 * ended() on ums:watch after the end. False: it has ended, or is in a job already. */
bool child_join(struct child_process *child, struct object *job, void (*joined)(struct object *job),
                void (*ended)(struct object *job, struct child_process *child));

/* The exit code, or STILL_ACTIVE. */
DWORD child_code(const struct child_process *child);
/* Kills the process, with this exit code. 0 or a Win32 error. */
DWORD child_kill(struct child_process *child, DWORD code);
/* One suspension more or less. Returns the count from before; -1 with ERROR_ACCESS_DENIED: the
 * process has ended. */
DWORD child_suspend(struct child_process *child);
DWORD child_resume(struct child_process *child);

/* In a child after fork: the parent's children are not the child's. */
void children_forget(void);

#endif
