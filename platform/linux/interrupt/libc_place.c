/* SPDX-License-Identifier: MIT
 *
 * libc_place.c - see libc_place.h.
 *
 * A signal finds a loop around sched_yield nearly always right after the `syscall`, where the
 * kernel looks for signals. There libc's function returns at once, unless the call has failed, and
 * its stack pointer is at the return address. So the thread counts as being in the caller.
 */
#include "platform/linux/interrupt/libc_place.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "platform/linux/calls/lent_gate.h"
#include "platform/linux/calls/program_gate.h"
#include "platform/linux/os/libc_text.h"

static bool is_syscall(const char *code)
{
    return memcmp(code, "\x0f\x05", 2) == 0;
}

/* Whether the code is a ret; or a comparison with the least error, a jump over one byte if the
 * result is an error, and a ret. */
static bool returns_at_once(const unsigned char *code)
{
    enum { RET = 0xc3, JAE = 0x73, JA = 0x77 };
    return code[0] == RET ||
           (code[0] == 0x48 && code[1] == 0x3d && code[3] == 0xf0 && code[4] == 0xff &&
            code[5] == 0xff && (code[6] == JAE || code[6] == JA) && code[7] == 1 && code[8] == RET);
}

bool busy_in_libc(const ucontext_t *interrupted)
{
    const greg_t *registers = interrupted->uc_mcontext.gregs;
    const char *at = (const char *)registers[REG_RIP];
    if (!libc_holds(at) && !lent_gate_holds((uintptr_t)at) && !program_gate_holds(interrupted))
        return false;
    if (is_syscall(at))
        return false; /* the call will be made again */
    if (!is_syscall(at - 2))
        return true;
    if (registers[REG_RAX] == -EINTR)
        return false;
    return !libc_holds(at) || !returns_at_once((const unsigned char *)at) ||
           libc_holds(*(void *const *)registers[REG_RSP]);
}
