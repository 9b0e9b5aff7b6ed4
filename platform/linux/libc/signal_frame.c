/* SPDX-License-Identifier: MIT
 *
 * signal_frame.c - see signal_frame.h.
 *
 * This code runs on the carrier's stack, between the kernel and the entry's assembler. So nothing
 * here may make the context leave its scheduler.
 */
#pragma GCC visibility push(default)
#include <stddef.h>
#include <string.h>
#pragma GCC visibility pop

#include "platform/linux/current.h"
#include "platform/linux/libc/kept_run.h"
#include "platform/linux/libc/signal_frame.h"
#include "platform/linux/os/signal_stack.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/kept_action.h"

enum {
    RED_ZONE = 128,
    BESIDE_REGISTERS =
        1024, /* the parts of a frame beside the registers, for which room.low makes room */
    KERNEL_CONTEXT = SIGNAL_FRAME_INFO - SIGNAL_FRAME_CONTEXT, /* libc's type is longer */
    LEGACY_STATE = 512
};
_Static_assert(CONTEXT_RSP == offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP]) &&
                   CONTEXT_STATE == offsetof(ucontext_t, uc_mcontext.fpregs),
               "the assembler's places");
_Static_assert(SIGNAL_FRAME_BYTES >= SIGNAL_FRAME_INFO + sizeof(siginfo_t), "the frame's parts");

/* ---- Moving ---------------------------------------------------------------------------------- */

static size_t state_bytes(const char *state)
{
    uint32_t magic, length;
    memcpy(&magic, state + STATE_MAGIC, sizeof magic);
    memcpy(&length, state + STATE_LENGTH, sizeof length);
    return magic == STATE_IS_LONG && length > LEGACY_STATE ? length : LEGACY_STATE;
}

/* Copies the frame to right below `top`: return address, context, the signal's information,
 * extended state. Returns the copy. */
static void *move(const siginfo_t *info, ucontext_t *context, uintptr_t top)
{
    const char *state = (const char *)context->uc_mcontext.fpregs;
    size_t bytes = state ? state_bytes(state) : 0;
    uintptr_t state_to = (top - bytes) & ~(uintptr_t)63;
    uintptr_t to = ((state_to - SIGNAL_FRAME_BYTES) & ~(uintptr_t)15) - 8; /* as after a call */
    memcpy((void *)to, (const char *)context - SIGNAL_FRAME_CONTEXT, SIGNAL_FRAME_CONTEXT);
    memcpy((void *)(to + SIGNAL_FRAME_CONTEXT), context, KERNEL_CONTEXT);
    memcpy((void *)(to + SIGNAL_FRAME_INFO), info, sizeof *info);
    if (state) {
        memcpy((void *)state_to, state, bytes);
        ((ucontext_t *)(to + SIGNAL_FRAME_CONTEXT))->uc_mcontext.fpregs = (fpregset_t)state_to;
    }
    return (void *)to;
}

static uintptr_t pointer_in(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}

/* Whether the kernel has put the frame on the alternate stack, and the interrupted code runs on
 * another stack. */
static bool came_over(const ucontext_t *context)
{
    return stack_holds(&context->uc_stack, (uintptr_t)context) &&
           !stack_holds(&context->uc_stack, pointer_in(context));
}

/* ---- Trapped calls --------------------------------------------------------------------------- */

/* Where a frame can go on the worker's stack for trapped calls. A handler of the program's may be
 * at work there, and have made this call. 0: there is no room. */
static uintptr_t on_call_stack(uintptr_t here)
{
    uintptr_t low = call_stack();
    if (!low)
        return 0;
    if (here - low < CALL_STACK_BYTES)
        return here - low > CALL_STACK_BYTES / 4 ? here - RED_ZONE : 0;
    return low + CALL_STACK_BYTES;
}

void *trap_place(const siginfo_t *info, ucontext_t *trapped)
{
    if (!came_over(trapped))
        return NULL;
    uintptr_t here = pointer_in(trapped), top = here - RED_ZONE;
    struct plat_context *self = plat_tls.current;
    bool own_stack = self && self->is_scheduler;
    if (self && !own_stack)
        own_stack = here >= plat_tls.room.low + BESIDE_REGISTERS && here <= plat_tls.room.high;
    if (!own_stack)
        top = on_call_stack(here);
    return top ? move(info, trapped, top) : NULL;
}

/* ---- Faults ---------------------------------------------------------------------------------- */

/* If there is no room where the frame moves to, the move faults, and that ends the process: the
 * kernel, too, ends a process whose handler it cannot call. A signal that another thread sent in
 * that moment is handled where it came. So is a call that the program has dispatched to itself. */
void *fault_place(int number, const siginfo_t *info, ucontext_t *context)
{
    const struct sigaction *action = kept_action(number);
    bool alternate = action->sa_flags & (int)SA_ONSTACK;
    uintptr_t here = pointer_in(context);
    if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN)
        return NULL;
    if (!carried())
        return came_over(context) && !alternate ? move(info, context, here - RED_ZONE) : NULL;
    if (is_dispatched(number, info) || !stack_holds(&context->uc_stack, (uintptr_t)context))
        return NULL;
    if (stack_holds(&context->uc_stack, here)) {
        if (info->si_code <= 0)
            return NULL;
        kept_action_end(number, info);
        return context;
    }
    const stack_t *stack = &plat_tls.altstack;
    bool there = alternate && stack->ss_size && !stack_holds(stack, here);
    uintptr_t top = there ? (uintptr_t)stack->ss_sp + stack->ss_size : here - RED_ZONE;
    char *frame = move(info, context, top);
    ((ucontext_t *)(frame + SIGNAL_FRAME_CONTEXT))->uc_stack = *stack;
    return frame;
}
