/* SPDX-License-Identifier: MIT
 *
 * job.h - job objects: which count, limit and end processes together.
 *
 * The processes of a job are those that have its mark (process_mark.h): each that was assigned, and
 * all its descendants from then on. The kernel keeps the mark, so the library asks the kernel which
 * processes are in the job.
 *
 * For messages and accounts a job has members: processes that it knows, each with an object of its
 * own, which ums:watch watches (child_process.h). A process that was assigned is a member. job_look
 * makes the others members: the calls that list processes call it, and so does each member's end.
 * So as long as a process of the job runs, some member runs, and the job knows all its processes
 * when the last one ends.
 *
 * A member is JOINING while its NEW_PROCESS message is sent, then becomes ANNOUNCED and ENDED, in
 * either order. The thread that makes the second of these steps sends the message of the end.
 *
 * Each handle and each member's object has a reference to the job. Limits and counts are under the
 * job's lock. No lock is held while a thread reads /proc or posts a packet.
 */
#ifndef UMSSHIM_WINAPI_LINUX_JOB_H
#define UMSSHIM_WINAPI_LINUX_JOB_H

#include "winapi/linux/child_process.h"

struct job {
    struct object object;
    _Atomic uint64_t mark; /* two bits of it are limits, which change under the lock */
    unsigned forks;        /* job.c's, from when the job was made: a fork's child ends no process */
    PLAT_LOCK(JOB) lock;
    DWORD flags;                   /* JOB_OBJECT_LIMIT_* */
    DWORD most;                    /* the limit of processes */
    LONGLONG time;                 /* limit for each process, in 100 ns */
    SIZE_T memory;                 /* limit for each process, in bytes */
    DWORD total, running, refused; /* numbers of members */
    uint64_t user, system;         /* ns, of members that this process has reaped */
    struct object *port;           /* with a reference; NULL: none */
    void *key;
    bool kept; /* the job keeper has the job's mark (job_keeper.h) */
};

enum { JOB_ALLOWS_BREAKAWAY = 1, JOB_BREAKS_AWAY = 2 }; /* bits of a mark */

/* The job of a handle, with a reference. NULL with the last error. */
struct job *win__job(HANDLE handle);

/* Makes members of those processes that are not members yet. Returns the number of processes. */
DWORD job_look(struct job *job);
/* Gives a process the job's limits of time and memory, and takes the `dropped` ones off it. */
void job_limit_process(const struct job *job, pid_t pid, DWORD dropped);

/* Whether a child that this process makes stays in this process's job, leaves it, or may not leave
 * it: ERROR_ACCESS_DENIED. */
enum job_leave { JOB_STAY, JOB_LEAVE, JOB_REFUSED };
enum job_leave job_leaves(DWORD creation_flags);

void jobs_forget(void); /* in a child after fork */

#endif
