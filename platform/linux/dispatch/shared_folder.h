/* SPDX-License-Identifier: MIT
 *
 * shared_folder.h - the folder with the names that a user's processes share (shared_name.h): finds
 * it, makes sure that it is the user's alone, and removes entries that no process uses any more.
 *
 * Bare system calls only. One thread at a time.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_SHARED_FOLDER_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_SHARED_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { FOLDER_ROOM = 80, FOLDER_ENTRY = 128 };

/* Why there is no shared name. */
enum {
    FOLDER_NOT_OURS = -10,  /* another user's folder is there, or one that lets others in */
    FOLDER_NOWHERE = -11,   /* no place to write to */
    FOLDER_FULL = -12,      /* no room in it */
    FOLDER_NO_PROC = -13,   /* no /proc, or one that numbers processes otherwise */
    FOLDER_NO_NUMBER = -14, /* no descriptor */
    FOLDER_HIDDEN = -15,    /* this process may not see a holder's descriptors */
    FOLDER_NO_LOCKS = -16,  /* flock is refused */
    FOLDER_NO_SIZE = -17,   /* RLIMIT_FSIZE does not let the process write there */
    FOLDER_OF_OTHERS = -18, /* the process has another user than when it first used names */
    FOLDER_REFUSED = -19,   /* a call that is needed to share memory is refused */
};

/* Opens the user's folder: a descriptor, or one of these. `make`: makes it if it is not there. */
long folder_open(uid_t user, bool make);
/* flock, again after each signal. 0 or -errno. */
long folder_lock(long fd, int how);
/* Removes an entry that no process has locked: true. False: the caller has no lock on it any more.
 * The folder is locked. */
bool folder_remove_unused(long folder, long fd, const char *entry, uid_t user);
/* The first time in this process, removes the entries of processes that have died. The folder is
 * locked. */
void folder_sweep(long folder, uid_t user);
/* Removes an entry whose maker was killed before it gave the entry its mode, so that no process can
 * open it: true. The folder is locked. */
bool folder_remove_unfinished(long folder, const char *entry, uid_t user);

/* The file name of a name's entry. */
void folder_entry(char *entry, const char *text);

#endif
