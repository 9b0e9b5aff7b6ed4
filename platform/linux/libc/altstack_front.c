/* SPDX-License-Identifier: MIT
 *
 * altstack_front.c - the front of sigaltstack: a worker's or scheduler's alternate stack stays its
 * own, whichever carrier runs it.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <signal.h>
#pragma GCC visibility pop

#include "platform/linux/libc/altstack_front.h"
#include "platform/linux/current.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/signal_stack.h"
#include "platform/linux/plat_types.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

/* Whether the kernel would take this alternate stack: 0 or -errno. */
static long look_at(const stack_t *stack)
{
    enum { LEAST = 2048 };
    int way = stack->ss_flags & ~(int)SS_AUTODISARM;
    if (way != 0 && way != SS_DISABLE && way != SS_ONSTACK)
        return -EINVAL;
    return way != SS_DISABLE && stack->ss_size < LEAST ? -ENOMEM : 0;
}

/* Where the library handles faults (signal_frame.h), the carrier keeps its own alternate stack in
 * the kernel. Else it gets the worker's, for a fault before the worker moves to another carrier. */
long altstack_change(const stack_t *stack, stack_t *old, uintptr_t here)
{
    stack_t told = plat_tls.altstack, given;
    bool inside = stack_holds(&told, here);
    if (stack && copy_in(&given, stack, sizeof given))
        return -EFAULT;
    if (stack && inside)
        return -EPERM;
    long error = stack && engine_caps.fault_stacks ? look_at(&given) : 0;
    if (stack && !engine_caps.fault_stacks)
        error = RAW2(SYS_sigaltstack, &given, 0);
    if (error)
        return error;
    if (stack) /* the kernel keeps nothing of a stack that is switched off */
        plat_tls.altstack = given.ss_flags & SS_DISABLE ? (stack_t){.ss_flags = SS_DISABLE} : given;
    told.ss_flags = inside ? SS_ONSTACK : told.ss_size ? told.ss_flags : SS_DISABLE;
    return old && copy_out(old, &told, sizeof told) ? -EFAULT : 0;
}

int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
    if (!carried())
        return LIBC(sigaltstack)(stack, old);
    long error = altstack_change(stack, old, (uintptr_t)__builtin_frame_address(0));
    if (!error)
        return 0;
    errno = (int)-error;
    return -1;
}
