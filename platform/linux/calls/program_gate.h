/* SPDX-License-Identifier: MIT
 *
 * program_gate.h - a system call of the program's that the library makes as it stands, and that may
 * wait.
 *
 * raw.S makes the call, and the filter lets it pass. The thread holds no lock of the library's
 * meanwhile, so the handler of the stop signal acts there as in the program's code. That handler
 * knows the place by the return address: where a handler of the program's interrupts the wait, the
 * library makes calls of its own at the same instruction, but none through this gate.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_PROGRAM_GATE_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_PROGRAM_GATE_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "platform/linux/os/raw.h"

/* Makes the call; returns the kernel's result. */
long program_gate(long number, const long args[6]);
extern const char program_gate_behind[];

/* Whether the interrupted thread is about to make the call, or to make it again, or has just made
 * it. */
static inline bool program_gate_holds(const ucontext_t *interrupted)
{
    const greg_t *registers = interrupted->uc_mcontext.gregs;
    return (registers[REG_RIP] == (greg_t)raw_syscall_ip ||
            registers[REG_RIP] == (greg_t)raw_syscall_ip - 2) &&
           *(const uintptr_t *)registers[REG_RSP] == (uintptr_t)program_gate_behind;
}

#endif
