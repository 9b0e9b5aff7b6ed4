/* SPDX-License-Identifier: MIT
 *
 * job.h - job objects: processes that are counted, limited and ended together.
 *
 * The processes of a job are those that have its mark (process_mark.h): one that was assigned, and
 * all that it has made since, and these have made, and so on. The kernel keeps the mark, so who is
 * in the job is asked of the kernel whenever it counts.
 *
 * For messages and accounts a job has members: processes that it knows, each with an object of its
 * own that is watched (child_process.h). A process that was assigned is a member from then on.
 * Others become members when the job looks: when it is asked for its processes, and whenever a
 * member ends. So as long as any process of the job runs some member does, and the job has heard of
 * all when its last one ends.
 *
 * A member is JOINING while its NEW_PROCESS message is sent, then ANNOUNCED, and ENDED. Its end is
 * told once: by the one that makes the second of the last two steps.
 *
 * References: each handle and each member's object has one of the job's. Limits and counts are
 * under the job's lock. No lock is held while /proc is read or a packet is posted.
 */
#ifndef UMSSHIM_WINAPI_LINUX_JOB_H
#define UMSSHIM_WINAPI_LINUX_JOB_H

#include "winapi/linux/child_process.h"

struct job {
    struct object object;
    _Atomic uint64_t mark; /* its two bits are limits, and changed under the lock */
    unsigned forks; /* the process's when it was made: a fork's child ends nothing by closing */
    PLAT_LOCK(JOB) lock;
    DWORD flags;                   /* JOB_OBJECT_LIMIT_* */
    DWORD most;                    /* processes */
    LONGLONG time;                 /* for each process, in 100 ns */
    SIZE_T memory;                 /* for each process */
    DWORD total, running, refused; /* members */
    uint64_t user, system;         /* ns, of members that this process has reaped */
    struct object *port;           /* with a reference; NULL: none */
    void *key;
    bool kept; /* the keeper knows its mark */
};

enum { JOB_ALLOWS_BREAKAWAY = 1, JOB_BREAKS_AWAY = 2 }; /* bits of a mark */

/* The job of a handle with a reference, or NULL and the last error. */
struct job *win__job(HANDLE handle);

/* Members of all its processes that are not yet. Returns how many processes there are. */
DWORD job_look(struct job *job);
/* Gives a process the job's limits of time and memory, and takes away those that are dropped. */
void job_limit_process(const struct job *job, pid_t pid, DWORD dropped);
/* Sends a message about a process to the job's port. */
void job_tell(struct job *job, DWORD message, DWORD pid);

/* A process's place in jobs when this one makes it. 0: it stays where this one is. Else it is to be
 * none's, or that is refused: then ERROR_ACCESS_DENIED. */
enum job_leave { JOB_STAY, JOB_LEAVE, JOB_REFUSED };
enum job_leave job_leaves(DWORD creation_flags);

void jobs_forget(void); /* in a child after fork */

#endif
