/* SPDX-License-Identifier: MIT
 *
 * program_gate.h - a system call of the program's that the library makes as it stands, and that may
 * wait.
 *
 * It is made in raw.S, which the filter lets pass. The library holds nothing meanwhile, so the
 * handler of the stop signal acts there as in the program's code. It knows the place by the return
 * address. A handler of the program's that was called on top of the wait makes calls of the
 * library's own at the same instruction, but none through this gate.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_PROGRAM_GATE_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_PROGRAM_GATE_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "platform/linux/os/raw.h"

/* The result as the kernel has it. */
long program_gate(long number, const long args[6]);
extern const char program_gate_behind[];

/* The call is about to be made, or made again, or is just over. */
static inline bool program_gate_holds(const ucontext_t *interrupted)
{
    const greg_t *registers = interrupted->uc_mcontext.gregs;
    return (registers[REG_RIP] == (greg_t)raw_syscall_ip ||
            registers[REG_RIP] == (greg_t)raw_syscall_ip - 2) &&
           *(const uintptr_t *)registers[REG_RSP] == (uintptr_t)program_gate_behind;
}

#endif
