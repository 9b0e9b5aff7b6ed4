/* SPDX-License-Identifier: MIT
 *
 * thread_pointer.h - how a switch loads the thread pointer: by an instruction, by a system call, or
 * guarded.
 *
 * Loading a context loads its thread pointer (the FS base). Three ways:
 *
 *   by instruction   wrfsbase, if the kernel says that it knows it (AT_HWCAP2). Then the kernel
 *                    keeps the value.
 *   by call          arch_prctl, a system call for each switch.
 *   guarded          wrfsbase, if the processor has it and the kernel does not know it: guests of
 *                    some hypervisors, gVisor, a kernel started with nofsgsbase. Such a kernel
 *                    keeps the value of a thread's last arch_prctl, and loads that again each time
 *                    that it puts the thread on a processor.
 *
 * Guarded works like this. A carrier sets its FS base, by arch_prctl, to an address in the *fence*,
 * pages without access. The kernel loads that address when it puts the carrier back on a processor.
 * Then the first access to thread-local data raises SIGSEGV. The handler (libc/guard_entry.S) loads
 * the thread pointer of the context that the carrier carries, and the access is made again. The
 * handler finds that thread pointer in the carrier's *record*, at its GS base, which never changes
 * and which the kernel keeps. A switch writes the record first, then the register, and touches
 * nothing thread-local in between. The library's own system calls check the register when they
 * return (raw.S), so a carrier that has slept pays no signal.
 *
 * Invariant: a carrier's thread pointer is that of its record, or the guard. So no code reads
 * another context's data: an access by the guard faults.
 *
 * This needs that SIGSEGV is never blocked on a carrier, and that its handler is the library's.
 * Traps need the same of SIGSYS (libc/trap.c), so only carriers whose calls are trapped are
 * guarded. Other threads, whose GS base leads to no record, are switched by arch_prctl.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_THREAD_POINTER_H
#define UMSSHIM_PLATFORM_LINUX_OS_THREAD_POINTER_H

/* Read by switch.S and raw.S. */
#define THREAD_POINTER_BY_CALL 0
#define THREAD_POINTER_BY_INSTRUCTION 1
#define THREAD_POINTER_GUARDED 2

#define THREAD_POINTER_RECORDS_BYTES (1 << 22)
#define THREAD_POINTER_RETRIED 16 /* the offset of `retried` in a record */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

extern unsigned char thread_pointer_way; /* raw.S has these two */
extern uintptr_t thread_pointer_guard;   /* in the fence; 0: nothing is guarded */

/* Chooses the way, by the environment's wish: "0" by call, "guard" guarded if possible; NULL: the
 * best way. Does not guard yet. True: thread pointers can be guarded, and are to be. */
bool thread_pointer_choose(const char *wanted);
/* Makes the fence and the records, before the first carrier. False: there is no room, and the way
 * stays by call. */
bool thread_pointer_guard_start(void);
/* The calling thread is a carrier from now on. */
void thread_pointer_guard_own(void);
const char *thread_pointer_told(void); /* the way, in a word */

#endif
#endif
