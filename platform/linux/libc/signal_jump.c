/* SPDX-License-Identifier: MIT
 *
 * signal_jump.c - the masks in jump buffers and in contexts of getcontext.
 *
 * Where calls are trapped, libc's own rt_sigprocmask is the worker's mask (trap.c), and only the
 * kernel's has to be set here: a handler of a fault has left it changed.
 *
 * Elsewhere libc saves and restores the kernel's mask there, which on a carrier is never the
 * worker's. So the worker's is noted in the same buffer, in a part that libc reserves for masks of
 * 1024 signals and does not use, with a mark; libc then does the rest. It restores some carrier's
 * mask: they are all alike, but in the handler of a fault, which a jump leaves. Saving returns
 * twice, so those functions are a note and a jump into libc (signal_jump.S).
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
        return; /* also before the first UMS call: nobody is carried then */
    if (carried()) {
        words[0] = MARK ^ (unsigned long)room;
        words[1] = *mask_of(plat_tls.current);
    }
    memcpy((unsigned long *)room + MARK_AT, words, sizeof words);
}

/* Before libc restores: the worker's mask takes effect here, and libc finds the carrier's. In a
 * child after fork, a plain thread, libc finds what the worker had. */
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

/* For signal_jump.S: notes, and tells where libc's own function is. */
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

/* What they are called in programs built with _FORTIFY_SOURCE. */
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
