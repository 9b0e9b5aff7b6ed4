/* SPDX-License-Identifier: MIT
 *
 * thread_pointer.h - how a switch loads the thread pointer: by an instruction, by a system call, or
 * guarded.
 *
 * Loading a context loads its thread pointer (the FS base). Three ways:
 *
 *   by instruction   wrfsbase, where the kernel says that it knows of it (AT_HWCAP2). It keeps the
 *                    value.
 *   by call          arch_prctl, a system call a switch.
 *   guarded          wrfsbase where the processor has it and the kernel does not know: guests of
 *                    some hypervisors, gVisor, a kernel started with nofsgsbase. Such a kernel
 *                    keeps for each thread what arch_prctl said last, and loads that again each
 *                    time that it puts the thread on a processor.
 *
 * Guarded works like this. On a carrier arch_prctl sets an address in the *fence*, pages
 * that nobody may touch. So after the kernel took a carrier off its processor and put it back, the
 * first access to thread-local data is a SIGSEGV there, whose handler (libc/guard_entry.S) loads
 * the thread pointer of the context that the carrier carries, and the access is made again. That
 * one is in the carrier's *record*, at its GS base, which the kernel keeps, for it never changes. A
 * switch writes the record first, then the register: between the two nothing thread-local is
 * touched. The library's own system calls look for themselves when they return (raw.S), so a
 * carrier that has slept pays no signal.
 *
 * Invariant: the thread pointer of a carrier is what its record says, or the guard. So nothing
 * reads another context's data, and whoever reads finds out.
 *
 * It takes this: SIGSEGV is never blocked on a carrier, and its handler is the library's. That is
 * what traps take of SIGSYS, too (libc/trap.c), so guarded carriers are carriers whose calls are
 * trapped. Threads that are none, whose GS base is in no record, are switched by arch_prctl.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_THREAD_POINTER_H
#define UMSSHIM_PLATFORM_LINUX_OS_THREAD_POINTER_H

/* Read by switch.S and raw.S. */
#define THREAD_POINTER_BY_CALL 0
#define THREAD_POINTER_BY_INSTRUCTION 1
#define THREAD_POINTER_GUARDED 2

#define THREAD_POINTER_RECORDS_BYTES (1 << 22)
#define THREAD_POINTER_RETRIED 16 /* in a record */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

extern unsigned char thread_pointer_way; /* these two lie in raw.S */
extern uintptr_t thread_pointer_guard;   /* in the fence; 0: nothing is guarded */

/* What the environment wants: "0" by call, "guard" guarded where it can be had; NULL: the best
 * there is. Nothing is guarded yet. True: thread pointers can be guarded, and are to be. */
bool thread_pointer_choose(const char *wanted);
/* Ahead of the first carrier: the fence, the records. False: there is no room, the way stays by
 * call. */
bool thread_pointer_guard_start(void);
/* The calling thread is a carrier from now on. */
void thread_pointer_guard_own(void);
const char *thread_pointer_told(void); /* the way, in a word */

#endif
#endif
