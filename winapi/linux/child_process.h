/* SPDX-License-Identifier: MIT
 *
 * child_process.h - processes as objects: those that CreateProcess has made, and others that
 * OpenProcess was asked for.
 *
 * A child is RUNNING until the thread that watches them has reaped it, then ENDED: its code and its
 * times are written before `ended` is (release), and the object is signalled after that. A running
 * child is on the list of children, which has a reference; so it is found by its number for as long
 * as the number is its own, and no longer. The list, what is written at the end and the count of
 * suspensions are under children_lock. The descriptor of the process is good for as long as the
 * object is: a signal that is sent by it never goes to another process.
 *
 * Another's process is not reaped. It ENDS when the kernel says so, its code is not known but for
 * one that this process has given it, and it is watched until then, whether it has a handle or not:
 * so it is one object however often it is opened.
 *
 * The handle of a child's first thread is one of the child's itself.
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
    bool others; /* not this process's child */
    bool killed; /* by TerminateProcess, with kill_code */
    DWORD kill_code;
    DWORD code;
    int64_t born, died;    /* CLOCK_REALTIME, ns */
    uint64_t user, system; /* ns */
    _Atomic bool ended;
    struct object *job; /* with a reference, once it is a member (job.h); under children_lock */
    void (*ended_in_job)(struct object *job, struct child_process *child);
    _Atomic uint32_t in_job;
    struct child_process *next;
    char path[]; /* of its program */
};

/* A child that was just started: with one reference; the list has another. NULL: no memory, or no
 * thread to watch it, and the process is killed. */
struct child_process *child_watch(pid_t pid, const char *path, bool suspended);

/* The child behind a handle with a reference (object_drop), or NULL: the last error is not set. */
struct child_process *child_of(HANDLE handle);
/* Any running process, with a reference; it need not be a child of this one. NULL sets the last
 * error: ERROR_ACCESS_DENIED for another user's process. */
struct child_process *process_by_id(DWORD id);

/* The same for the process of a descriptor, which stays the caller's. NULL: no memory. */
struct child_process *process_by_descriptor(pid_t pid, int pidfd);
/* Makes a running one a member of a job, for good: joined() is called with children_lock, ended()
 * on the thread that watches. False: it has ended, or is one already. */
bool child_join(struct child_process *child, struct object *job, void (*joined)(struct object *job),
                void (*ended)(struct object *job, struct child_process *child));

/* STILL_ACTIVE while it runs. */
DWORD child_code(const struct child_process *child);
/* 0 or a Win32 error. */
DWORD child_kill(struct child_process *child, DWORD code);
/* One suspension more or less: the count from before. Of a child that has ended ERROR_ACCESS_DENIED
 * and -1. */
DWORD child_suspend(struct child_process *child);
DWORD child_resume(struct child_process *child);

/* In a child after fork: the parent's children are not its own. */
void children_forget(void);

#endif
