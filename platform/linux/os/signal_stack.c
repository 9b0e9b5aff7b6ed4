/* SPDX-License-Identifier: MIT
 *
 * signal_stack.c - see signal_stack.h.
 */
#include <signal.h>
#include <sys/mman.h>

#include "platform/linux/os/raw.h"
#include "platform/linux/os/signal_stack.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

enum {
    PART_OF_CARRIERS = 96 << 10, /* a carrier's stack has 128 KiB: traps/lanes.c */
    FAULTS = 64 << 10,
    GUARD_PAGE = 4096
};

void signal_stack_of_carrier(void *top)
{
    stack_t stack = {.ss_sp = (char *)top - PART_OF_CARRIERS, .ss_size = PART_OF_CARRIERS};
    RAW2(SYS_sigaltstack, &stack, 0);
}

void *fault_stack_begin(void)
{
    stack_t own;
    if (RAW2(SYS_sigaltstack, 0, &own) || !(own.ss_flags & SS_DISABLE))
        return NULL;
    own = (stack_t){.ss_sp = plat_reserve(FAULTS), .ss_size = FAULTS};
    if (own.ss_sp)
        RAW2(SYS_sigaltstack, &own, 0);
    return own.ss_sp;
}

void fault_stack_end(void *memory)
{
    stack_t none = {.ss_flags = SS_DISABLE}, own;
    if (!memory)
        return;
    if (!RAW2(SYS_sigaltstack, 0, &own) && own.ss_sp == memory)
        RAW2(SYS_sigaltstack, &none, 0);
    RAW2(SYS_munmap, memory, FAULTS);
}

uintptr_t call_stack(void)
{
    if (plat_tls.room.stack)
        return plat_tls.room.stack;
    char *memory = plat_reserve(CALL_STACK_BYTES);
    if (!memory)
        return 0;
    RAW3(SYS_mprotect, memory, GUARD_PAGE, PROT_NONE);
    plat_tls.room.stack = (uintptr_t)memory;
    return plat_tls.room.stack;
}

void call_stack_end(void)
{
    if (plat_tls.room.stack)
        RAW2(SYS_munmap, plat_tls.room.stack, CALL_STACK_BYTES);
    plat_tls.room.stack = 0;
}
