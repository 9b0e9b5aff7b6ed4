/* SPDX-License-Identifier: MIT
 *
 * ntdll_frames.h - the frames of ntdll on the stack of a worker that is about to wait: they tell
 * whether the program waits or ntdll itself, and which words may hold the TEB's address.
 *
 * Code of ntdll may have the address of the thread's TEB in a register or on its stack when it
 * waits, and use it after. A worker that left its scheduler there and came back on another thread
 * would go on with the address of another thread's TEB: it would take a lock in that thread's name.
 * The engine does two things about that.
 *
 * A worker leaves only from a wait that is the program's: the outermost frame of ntdll is a
 * function by which programs wait (a critical section, an SRW lock, a condition variable, an
 * address, a one-time initialisation, a barrier, the end of a pool's callbacks), or the system call
 * is made by other code. In all other waits in ntdll (for the heap, activation contexts,
 * fiber-local storage, function tables, the loader) the worker stays on the thread that carries it
 * (waits/ntdll_wait.h).
 *
 * And if a worker that has left comes back on another TEB, the engine replaces the old TEB's
 * address in its saved registers and in its frames, up to the first one outside ntdll and
 * kernelbase (switch/teb_follow.c).
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_NTDLL_FRAMES_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_NTDLL_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

/* A position in the code, and the registers that a walk from there needs, by their numbers. Only
 * those that a call preserves are used. */
struct ntdll_walk {
    uintptr_t code, sp, registers[16];
};

/* Once, before there are workers. */
void ntdll_frames_resolve(void);

/* The address is ntdll's. */
bool ntdll_frames_hold(const void *code);

/* The wait that the calling worker is about to make is the program's. */
bool ntdll_frames_are_a_programs_wait(void);

/* The address above this position at which the frames of the library, ntdll and kernelbase end. */
uintptr_t ntdll_frames_end(struct ntdll_walk *walk);

#endif
