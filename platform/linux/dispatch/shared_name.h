/* SPDX-License-Identifier: MIT
 *
 * shared_name.h - names that the processes of one user share.
 *
 * A name is a small file in a folder that only its user may enter, /dev/shm/umsshim-UID-U-P. U and
 * P are the numbers of the name spaces of users and of process ids (namespaces(7)), since both ids
 * mean something else in another one. The folder is in /tmp where there is no /dev/shm.
 *
 * The object that has the name is a file, too, which need have no path: each process that has the
 * name has that file open. The name's file lists these processes and the numbers of their
 * descriptors, and the next process opens one of them by /proc/PID/fd. So the object is there as
 * long as any of them lives, whichever made it.
 *
 *     looked up, made, left    by the process that has the folder locked (flock), one at a time.
 *                              The kernel takes that lock back when the process ends
 *     in use                   each process that has the name has the name's file open, with a
 *                              shared lock (flock). The kernel takes that back as well
 *     out of use               a process that has the folder locked, and gets the name's file for
 *                              itself alone, knows that no process has the name: it removes the
 *                              file. It does so, too, if no listed process has the object open any
 *                              more (one is just ending, or a child that knows nothing of the name
 *                              has the lock in common with it)
 *
 * Processes read and write the name's file, and never map it: it cannot fault. A process that ends
 * in the middle of a change leaves a file that no process has locked, or its own entry, which leads
 * nowhere.
 *
 * A thread that has the folder locked also holds a lock of the library's, so no other thread ends
 * or suspends it in between. A process that is stopped there (SIGSTOP) holds up the others' names,
 * and forks of those that have names, until it goes on.
 *
 * A child after fork has its parent's names, with locks and entries of its own. Where it cannot (no
 * descriptor is left, too many have the name) it has the object, and no part in the name. A child
 * by a bare fork or clone, which libc does not see, has no part in the name either: its file has
 * the lock in common with the parent, and the child leaves that lock alone.
 *
 * Each name takes a descriptor beside the object's, and a page in the folder. The folder of a name
 * space that has ended stays, with what was left in it: no process looks there any more.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_SHARED_NAME_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_SHARED_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SHARED_OWN = 64 };

/* The object that has the name. */
struct shared_object {
    int fd;                        /* -1: there is none yet */
    uint32_t flags;                /* open(2)'s, by which another process opens it */
    bool high;                     /* its number is one of the library's own (own_files.h) */
    unsigned char own[SHARED_OWN]; /* data of the kind of object */
};

struct shared_name; /* a process's part in a name */

enum { SHARED_NOT = -1 };

/* Enters a name.
 *   0      the name was made, for `object`
 *   183    a process has it. `object` is filled in, with a descriptor that is the caller's
 *   2      there is no such name, and `object` has no descriptor
 *   6      the name is of another kind
 *   SHARED_NOT   names cannot be shared here; a line says why. If a process has it, this one
 *                cannot know
 *   4, 5, 8      no descriptor, no access (a line says so), no memory
 *   1450   too many have it
 *   1306   another version of this library has it */
int shared_name_enter(const char *text, uint32_t kind, struct shared_object *object,
                      struct shared_name **name);
/* Gives the name up: this process's last handle was closed. A second call does nothing. */
void shared_name_leave(struct shared_name *name);
/* Gives the name up if need be, and frees it. The caller closes the object's descriptor after
 * this. */
void shared_name_end(struct shared_name *name);
/* In a child after fork, after own_files_forget: another thread of the parent may have been at a
 * descriptor when it was forked. */
void shared_names_forget(void);

#endif
