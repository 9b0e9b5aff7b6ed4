/* SPDX-License-Identifier: MIT
 *
 * lent_gate.h - where a worker sleeps in a system call during which its scheduler may be taken from
 * it.
 *
 * The filter does not stop such a call (traps/lent_call.h). A signal might end the wait in it, so
 * the library sends the carrier none. Instead the worker says before the call that its scheduler
 * may be taken (FAULT_LENT, fault.h), and looks after the call whether it was. The worker holds no
 * lock of the library's here, so the handler of the stop signal acts as in the program's code.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_LENT_GATE_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_LENT_GATE_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* ---- lent_gate.S ---- */

/* Makes the system call as it stands; returns the kernel's result. `cancellable`: the function of
 * libc that makes the call looks whether the thread is cancelled when the result is -EINTR. */
long lent_gate(long number, const long args[6], bool cancellable);
extern const char lent_gate_behind[], lent_gate_end[]; /* behind the `syscall`; behind lent_gate */

static inline bool lent_gate_holds(uintptr_t code)
{
    return code >= (uintptr_t)lent_gate && code < (uintptr_t)lent_gate_end;
}

/* ---- For signal handlers ---- */

/* Whether the interrupted call has been in the kernel, which is about to make it once more. A call
 * that is about to be made for the first time stands at the same instruction, but with 0 in rcx,
 * which `syscall` writes. */
static inline bool lent_gate_restarts(const ucontext_t *interrupted)
{
    const greg_t *registers = interrupted->uc_mcontext.gregs;
    return registers[REG_RIP] == (greg_t)lent_gate_behind - 2 && registers[REG_RCX];
}

static inline bool lent_gate_cancellable(const ucontext_t *interrupted)
{
    return interrupted->uc_mcontext.gregs[REG_RBX];
}

#endif
