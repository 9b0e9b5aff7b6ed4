/* SPDX-License-Identifier: MIT
 *
 * trap.h - system calls that the filter traps.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_TRAP_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_TRAP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* trap_take.c: the kernel's handler of SIGSYS is the library's from now on, and that of SIGSEGV where thread pointers
 * are guarded; filter_before_traps. */
bool trap_take(void);

/* trap_entry.S: the handler itself. */
void trap_entry(int number, siginfo_t *info, void *context);
/* guard_entry.S: that of SIGSEGV. */
void guard_entry(int number, siginfo_t *info, void *context);
/* trap_resume.S: goes on where the trap was, with the registers as they are there, by no system call. */
_Noreturn void trap_resume(ucontext_t *trapped);
/* trap.c, called by trap_entry: whether to go on by trap_resume; else the handler returns, as any. */
__attribute__((used)) bool trap_serve(int number, siginfo_t *info, void *context);

/* ---- trap_process.c ---- */

/* clone, fork, vfork, execve and execveat: the result, in the parent. */
long trap_process(long nr, const long args[6], ucontext_t *trapped);

/* In the child of a worker or scheduler, whose calls are not trapped any more: the mask that libc gave the kernel
 * since. False: it gave none, and the thread's own is the one that it had when it was trapped. */
bool trap_process_mask(uint64_t *mask);

#endif
