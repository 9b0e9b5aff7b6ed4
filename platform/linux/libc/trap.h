/* SPDX-License-Identifier: MIT
 *
 * trap.h - system calls that the filter stops, in the handler of SIGSYS.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_TRAP_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_TRAP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* trap_take.c: the kernel's handlers of SIGSYS and of faults are the library's from now on
 * (signals/kept_action.h); filter_before. */
bool trap_take(bool guards);
/* The same for faults alone, by a scheduler that its own thread carries. */
bool faults_take(void);

/* trap_entry.S: the handler itself. */
void trap_entry(int number, siginfo_t *info, void *context);
/* guard_entry.S: that of SIGSEGV where thread pointers are guarded. */
void guard_entry(int number, siginfo_t *info, void *context);
/* fault_entry.S: that of other faults. */
void fault_entry(int number, siginfo_t *info, void *context);
/* trap_resume.S: goes on where the trap was, with the registers as they are there, by no system
 * call. */
_Noreturn void trap_resume(ucontext_t *trapped);
/* trap.c, called by trap_entry for a SIGSYS that is no trap's, where it came: what it is. */
enum message { MESSAGE_NOT, MESSAGE_LATE, MESSAGE_CALL };
__attribute__((used)) enum message trap_message(siginfo_t *info, ucontext_t *trapped);
/* trap.c, called by trap_entry: makes the call; its result is in the registers. */
__attribute__((used)) void trap_serve(const siginfo_t *info, ucontext_t *trapped);

/* ---- trap_process.c ---- */

/* clone, fork, vfork, execve and execveat: the result, in the parent. */
long trap_process(long nr, const long args[6], ucontext_t *trapped);

/* Whether a clone makes what fork makes: a process on a copy of its parent's stack, that shares no
 * table with it. A worker's or scheduler's is fork, with what else it asks for: the child, or
 * -errno. */
bool process_is_copy(long flags, long stack);
long process_copy(const long args[6]);

/* In the child of a worker or scheduler, whose calls are not trapped any more: the mask that libc
 * gave the kernel since. False: it gave none, and the thread's own is the one that it had when it
 * was trapped. */
bool trap_process_mask(uint64_t *mask);

#endif
