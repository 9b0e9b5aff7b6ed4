/* SPDX-License-Identifier: MIT
 *
 * peers.h - the processes of one user that have events, mutexes and semaphores in common: which of
 * them live, and how one rings at another.
 *
 * They have a file in common, which is found as a section is, by a name that no program can give
 * (shared_name.h), and which all have mapped. A process has a slot in it, and a number: the slot's,
 * and how often the slot was given out, so the number of a process that has died is nobody else's.
 *
 *     free -> taken       by a record lock (F_SETLK) on the slot's byte of the file, which the
 *                         kernel gives to one process. That then writes the slot's next number, and
 *                         after it where its pipe is
 *     taken -> free       by the kernel, when the process ends, however that be, or goes on as
 *                         another program: it drops the lock when it closes the process's files.
 *                         All threads of the process have left its memory then
 *
 * So a process lives as long as its slot has its number and the slot's byte is locked: that is all
 * that decides. The kernel drops such a lock as well when the process closes any descriptor of that
 * file: the library has one, and opens it no second time. A child after fork, and one that was made
 * by a bare clone, has its parent's descriptor, but not the lock.
 *
 * A process that waits for another's end opens the read end of that one's pipe by /proc/PID/fd, and
 * is told by the kernel when nobody can write to it any more. The kernel drops record locks before
 * it lets go of files, so who is told finds the lock dropped. A child of fork lets go of its
 * parent's end at once. One that was made by a bare clone keeps it until it ends or executes a
 * program, and that long those that wait are not told.
 *
 * A process's *bell* is a word in its slot, on which one of its threads sleeps in a futex. `which`
 * says which of the objects are to be looked at: 64 buckets, one bit each.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_PEERS_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_PEERS_H

#include <stdbool.h>
#include <stdint.h>

enum { PEERS = 1024, PEER_GENERATIONS = 1 << 20 };

static inline unsigned peer_slot(uint32_t number)
{
    return number % PEERS;
}

/* This process becomes one of them: 0, or as shared_name_enter. One thread at a time, with nothing
 * held; the heap. */
int peers_join(void);
/* This process's number; 0: it has none. */
uint32_t peer_self(void);
/* The number of the file that the processes have in common: in another one numbers mean other
 * processes. */
uint64_t peers_file(void);
/* Whether this process's user is the one whose processes they are: it may have become another since
 * it has joined them. */
bool peers_are_ours(void);

/* Whether the process with this number lives, and is the program that it was. Bare system calls. */
bool peer_alive(uint32_t number);
/* False: the process has died. Bare system calls; it does not sleep. */
bool peer_ring(uint32_t number, uint64_t which);
/* By this process's own threads. */
void peer_ring_self(uint64_t which);
/* The end of its pipe that hangs up when the process ends: a descriptor of the library's, or
 * -errno. */
int peer_open(uint32_t number);

/* On this process's thread that serves the bell: sleeps until somebody rings, or has since the last
 * time: the buckets to look at. 0: so many milliseconds (-1: no limit) have passed. */
uint64_t peer_listen(int limit_ms);

/* In a child after fork, behind own_files_forget: it has no number yet. */
void peers_forget(void);

#endif
