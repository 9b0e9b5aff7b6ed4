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

/* trap_take.c: makes the library's handlers of SIGSYS and of faults the kernel's
 * (signals/kept_action.h). traps/lanes.c calls it as filter_before. */
bool trap_take(bool guards);
/* The same for faults alone, for a scheduler on its own thread. */
bool faults_take(void);

/* trap_entry.S: the handler of SIGSYS. */
void trap_entry(int number, siginfo_t *info, void *context);
/* guard_entry.S: the handler of SIGSEGV where thread pointers are guarded. */
void guard_entry(int number, siginfo_t *info, void *context);
/* fault_entry.S: the handler of other faults. */
void fault_entry(int number, siginfo_t *info, void *context);
/* trap_resume.S: goes on behind the trapped call, with the registers that `trapped` has, without a
 * system call. */
_Noreturn void trap_resume(ucontext_t *trapped);
/* trap.c: trap_entry calls it for a SIGSYS that is no trap's, on the stack where it came. Says what
 * the signal is. */
enum message { MESSAGE_NOT, MESSAGE_LATE, MESSAGE_CALL };
__attribute__((used)) enum message trap_message(siginfo_t *info, ucontext_t *trapped);
/* trap.c: trap_entry calls it. Makes the call, and puts the result into the registers. */
__attribute__((used)) void trap_serve(const siginfo_t *info, ucontext_t *trapped);

/* ---- trap_process.c ---- */

/* Makes a clone, fork, vfork, execve or execveat; returns the result, in the parent. */
long trap_process(long nr, const long args[6], ucontext_t *trapped);

/* Whether a clone makes what fork makes: a process on a copy of its parent's stack, which shares no
 * table with the parent. process_copy makes such a clone for a worker or scheduler, by fork and
 * with what else it asks for: the child's id, or -errno. */
bool process_is_copy(long flags, long stack);
long process_copy(const long args[6]);

/* In the child of a worker or scheduler, whose calls are not trapped any more: the mask that libc
 * has given the kernel since the trap. False: libc has given none, and the thread's own mask is the
 * one that it had at the trap. */
bool trap_process_mask(uint64_t *mask);

#endif
