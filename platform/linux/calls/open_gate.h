/* SPDX-License-Identifier: MIT
 *
 * open_gate.h - where a worker opens a path that nobody has looked at (traps/open_call.h).
 *
 * The path may be a FIFO's, and the worker asleep in the kernel with its scheduler. Then it is sent
 * the stop signal, whose handler has the call fail with EINTR. The kernel would make it again.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_OPEN_GATE_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_OPEN_GATE_H

#include <errno.h>
#include <stdint.h>
#include <ucontext.h>

#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"

/* The low bits of the worker's word; above them is a number for each of its opens. */
enum open_state { OPEN_NONE, OPEN_MADE, OPEN_TELLING, OPEN_TOLD, OPEN_STATES };

/* The result as the kernel has it. */
long open_gate(long number, const long args[6]);
extern const char open_gate_behind[];

/* In the handler of the stop signal. A call that has not been made yet fails as well: its caller
 * makes it another way. */
static inline void open_gate_leave(const struct plat_context *worker, ucontext_t *interrupted)
{
    greg_t *registers = interrupted->uc_mcontext.gregs;
    uint32_t word = atomic_load_explicit(&worker->fault.opening.word, memory_order_acquire);
    if (word % OPEN_STATES < OPEN_TELLING || registers[REG_RIP] != (greg_t)raw_syscall_ip - 2 ||
        *(const uintptr_t *)registers[REG_RSP] != (uintptr_t)open_gate_behind)
        return;
    registers[REG_RIP] = (greg_t)raw_syscall_ip;
    registers[REG_RAX] = -EINTR;
}

#endif
