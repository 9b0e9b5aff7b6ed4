/* SPDX-License-Identifier: MIT
 *
 * ntdll_frames.h - the frames of ntdll on a worker's stack when it comes to a wait: whose wait it
 * is, and which words there may hold the TEB's address.
 *
 * Code of ntdll may have the address of the thread's TEB in a register or on its stack when it
 * waits, and use it after. A worker that left its scheduler there and came back on another thread
 * would go on with the address of a TEB that is another's by then: it would take a lock in
 * another's name. Two things are done about that.
 *
 * A worker leaves only from a wait that is the program's: the outermost frame of ntdll is a
 * function by which programs wait (a critical section, an SRW lock, a condition variable, an
 * address, a one-time initialisation, a barrier, the end of a pool's callbacks), or the system call
 * is made by other code. All other waits in ntdll, for the heap, activation contexts, fiber-local
 * storage, function tables, the loader, are made where the worker is (waits/ntdll_wait.h).
 *
 * And where a worker that has left comes back on another TEB, what is the old TEB's address among
 * its saved registers and in the frames up to the first one outside ntdll and kernelbase follows
 * (switch/teb_follow.c).
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_NTDLL_FRAMES_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_NTDLL_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

/* A position in the code and what a walk from there needs. Registers by their numbers; only those
 * that a call preserves are looked at. */
struct ntdll_walk {
    uintptr_t code, sp, registers[16];
};

/* Once, before there are workers. */
void ntdll_frames_resolve(void);

/* The address is ntdll's. */
bool ntdll_frames_hold(const void *code);

/* The wait that the calling worker is about to make is the program's. */
bool ntdll_frames_are_a_programs_wait(void);

/* Where the frames of ours, ntdll's and kernelbase's end, from this position upwards. */
uintptr_t ntdll_frames_end(struct ntdll_walk *walk);

#endif
