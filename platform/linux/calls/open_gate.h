/* SPDX-License-Identifier: MIT
 *
 * open_gate.h - where a worker opens a path without knowing its kind of file (traps/open_call.h),
 * or reads a file that it knows by its path (traps/known_file.h).
 *
 * If the path is a FIFO's, the worker may sleep in the kernel and keep its scheduler. Then the
 * library sends it the stop signal. The handler makes the call fail with EINTR: else the kernel
 * would make it again.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_OPEN_GATE_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_OPEN_GATE_H

#include <errno.h>
#include <stdint.h>
#include <ucontext.h>

#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"

/* The low bits of fault.opening.word. Above them is a number for each of the worker's opens. */
enum open_state { OPEN_NONE, OPEN_MADE, OPEN_TELLING, OPEN_TOLD, OPEN_STATES };

/* Makes the call; returns the kernel's result. */
long open_gate(long number, const long args[6]);
extern const char open_gate_behind[];

/* The handler of the stop signal calls it. A call that has not been made yet fails as well: its
 * caller makes it in another way. */
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
