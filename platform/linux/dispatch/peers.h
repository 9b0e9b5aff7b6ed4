/* SPDX-License-Identifier: MIT
 *
 * peers.h - the processes of one user that have events, mutexes and semaphores in common: which of
 * them live, and how one rings at another.
 *
 * They have a file in common, which all of them have mapped. A process finds the file by a name
 * that no program can give (shared_name.h). Each process has a slot in it, and a number, made of
 * the slot's index and of how often the slot was given out. So no process gets the number of one
 * that has died.
 *
 *     free -> taken       by a record lock (F_SETLK) on the slot's byte of the file, which the
 *                         kernel gives to one process. That process then writes the slot's next
 *                         number, and after it where its pipe is
 *     taken -> free       by the kernel, when the process ends in any way, or executes another
 *                         program: the kernel drops the lock as it closes the process's files. All
 *                         threads of the process have left its memory then
 *
 * So a process lives as long as its slot has its number and the slot's byte is locked. Nothing else
 * decides. The kernel drops such a lock as well when the process closes any descriptor of that
 * file: so the library has one descriptor, and opens the file no second time. A child of fork or of
 * a bare clone has its parent's descriptor, but not the lock.
 *
 * A process that waits for another's end opens the read end of the other's pipe by /proc/PID/fd.
 * The kernel tells it when no process can write to the pipe any more. The kernel drops record locks
 * before it closes files, so the lock is gone by then. A child of fork closes its parent's end at
 * once. A child of a bare clone keeps that end until the child ends or executes a program, and
 * until then the kernel tells nothing.
 *
 * A process's *bell* is a word in its slot, on which one of its threads sleeps in a futex. `which`
 * says which objects that thread is to look at: 64 buckets, one bit each.
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

/* Makes this process one of them. 0, or as shared_name_enter. One thread at a time, with nothing
 * held. Uses the heap. */
int peers_join(void);
/* This process's number; 0: it has none. */
uint32_t peer_self(void);
/* The number of the file that the processes have in common: in another one numbers mean other
 * processes. */
uint64_t peers_file(void);
/* Whether this process still has the user whose processes they are: it may have taken another since
 * it joined them. */
bool peers_are_ours(void);

/* Whether the process with this number lives, and is the program that it was. Bare system calls. */
bool peer_alive(uint32_t number);
/* False: the process has died. Bare system calls; it does not sleep. */
bool peer_ring(uint32_t number, uint64_t which);
/* Rings this process's own bell. */
void peer_ring_self(uint64_t which);
/* Opens the end of that process's pipe that hangs up when the process ends. Returns a descriptor of
 * the library's, or -errno. */
int peer_open(uint32_t number);

/* On this process's thread that serves the bell. Sleeps until a process rings, unless one has since
 * the last time. Returns the buckets to look at. 0: so many milliseconds (-1: no limit) have
 * passed. */
uint64_t peer_listen(int limit_ms);

/* In a child after fork, after own_files_forget: the child has no number yet. */
void peers_forget(void);

#endif
