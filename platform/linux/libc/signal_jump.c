/* SPDX-License-Identifier: MIT
 *
 * signal_jump.c - the signal masks in jump buffers and in contexts of getcontext.
 *
 * Where a filter stops calls, libc's own rt_sigprocmask changes the worker's mask (trap.c). Then
 * only the kernel's mask has to be set here: the handler of a fault may have left it changed.
 *
 * Elsewhere libc saves and restores the kernel's mask, which on a carrier is never the worker's. So
 * the worker's mask is noted in the same buffer, with a mark, in a part that libc reserves for
 * masks of 1024 signals and does not use. libc does the rest. It restores the mask of some carrier.
 * These are all alike, except in the handler of a fault, which a jump leaves. A function that saves
 * returns twice, so its front is a note and a jump into libc (signal_jump.S).
 */
#pragma GCC visibility push(default)
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#pragma GCC visibility pop

#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/signal_run.h"
#include "platform/linux/current.h"
#include "platform/linux/interrupt/sync_call.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/libc_trial.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/worker_signals.h"

enum { MARK_AT = JUMP_MARK_AT, MASK_AT };
#define MARK 0x756d736d61736b21ul

static void note(sigset_t *room)
{
    unsigned long words[2] = {0, 0};
    if (!libc_knowledge.jump)
        return; /* also before the first UMS call: no thread is carried then */
    if (carried()) {
        words[0] = MARK ^ (unsigned long)room;
        words[1] = *mask_of(plat_tls.current);
    }
    memcpy((unsigned long *)room + MARK_AT, words, sizeof words);
}

/* Called before libc restores a mask. Sets the worker's mask, and leaves the carrier's in the
 * buffer for libc. In a child after fork, a plain thread, libc finds the mask that the worker
 * had. */
static void restore(sigset_t *room)
{
    unsigned long *words = (unsigned long *)room;
    if (!libc_knowledge.jump) {
        if (carried())
            words[0] = signals_of_engine();
        return;
    }
    bool noted = words[MARK_AT] == (MARK ^ (unsigned long)room);
    if (!carried() || engine_caps.trapped) {
        if (noted)
            words[0] = words[MASK_AT];
        if (carried())
            signals_block(NULL);
        return;
    }
    if (!noted) {
        words[MASK_AT] = words[0];
        words[MARK_AT] = MARK ^ (unsigned long)room;
        words[0] = signals_of_engine();
    }
    signals_set_mask(plat_tls.current, words[MASK_AT]);
}

/* ---- setjmp ---------------------------------------------------------------------------------- */

/* For signal_jump.S: each notes the mask, and returns libc's own function. */
void *signal_note_jump(struct __jmp_buf_tag *buffer, int with_mask);
void *signal_note_context(ucontext_t *context);
void *signal_swap_context(ucontext_t *context, ucontext_t *next);
void *signal_set_context(ucontext_t *context);

void *signal_note_jump(struct __jmp_buf_tag *buffer, int with_mask)
{
    if (with_mask)
        note(&buffer->__saved_mask);
    return front_next(FRONT___sigsetjmp);
}

typedef void jump_fn(struct __jmp_buf_tag *buffer, int value);

static _Noreturn void jump(struct __jmp_buf_tag *buffer, int value, jump_fn *real)
{
    sync_call_left();
    if (plat_tls.current) /* the jump may leave a call, too (user_call.c) */
        atomic_store_explicit(&plat_tls.current->signals.barred, false, memory_order_relaxed);
    if (buffer->__mask_was_saved)
        restore(&buffer->__saved_mask);
    real(buffer, value);
    __builtin_unreachable();
}

void siglongjmp(sigjmp_buf buffer, int value)
{
    jump(buffer, value, (jump_fn *)front_next(FRONT_siglongjmp));
}

void longjmp(jmp_buf buffer, int value)
{
    jump(buffer, value, (jump_fn *)front_next(FRONT_longjmp));
}

void _longjmp(jmp_buf buffer, int value)
{
    jump(buffer, value, (jump_fn *)front_next(FRONT__longjmp));
}

/* The name of these functions in programs that are built with _FORTIFY_SOURCE. */
FRONT_EXPORT _Noreturn void __longjmp_chk(struct __jmp_buf_tag *buffer, int value);
void __longjmp_chk(struct __jmp_buf_tag *buffer, int value)
{
    jump(buffer, value, (jump_fn *)front_next(FRONT___longjmp_chk));
}

/* ---- Contexts -------------------------------------------------------------------------------- */

void *signal_note_context(ucontext_t *context)
{
    note(&context->uc_sigmask);
    return front_next(FRONT_getcontext);
}

void *signal_swap_context(ucontext_t *context, ucontext_t *next)
{
    note(&context->uc_sigmask);
    restore(&next->uc_sigmask);
    return front_next(FRONT_swapcontext);
}

void *signal_set_context(ucontext_t *context)
{
    restore(&context->uc_sigmask);
    return front_next(FRONT_setcontext);
}
