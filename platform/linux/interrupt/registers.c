/* SPDX-License-Identifier: MIT
 *
 * registers.c - see registers.h.
 */
#include "platform/linux/interrupt/registers.h"

#include <string.h>

#include "platform/linux/os/raw.h"
#include "platform/linux/switch/frame.h"

static void copy(const ucontext_t *from, const struct _libc_fpstate *state,
                 struct thread_registers *to)
{
    memset(to, 0, sizeof *to);
    memcpy(to->context.uc_mcontext.gregs, from->uc_mcontext.gregs, sizeof(gregset_t));
    if (state)
        to->state = *state;
    to->context.uc_mcontext.fpregs = &to->state;
}

ucontext_t *registers_stand(struct plat_thread *thread, ucontext_t *interrupted)
{
    return atomic_exchange(&thread->stopping.stands_at, interrupted);
}

bool registers_standing(struct plat_thread *thread, struct thread_registers *registers)
{
    const ucontext_t *at = atomic_load(&thread->stopping.stands_at);
    if (!at)
        return false;
    const struct _libc_fpstate *state = __atomic_load_n(&at->uc_mcontext.fpregs, __ATOMIC_ACQUIRE);
    if (at != atomic_load(&thread->stopping.stands_at))
        return false; /* the thread has gone on: `state` may be no pointer */
    copy(at, state, registers);
    return at == atomic_load(&thread->stopping.stands_at);
}

void registers_saved(const void *sp, struct thread_registers *registers)
{
    enum { USER_CS = 0x33, USER_SS = 0x2b, USUAL_FLAGS = 0x202 };
    const struct frame *frame = sp;
    greg_t *to = registers->context.uc_mcontext.gregs;
    memset(registers, 0, sizeof *registers);
    to[REG_R15] = (greg_t)frame->r15;
    to[REG_R14] = (greg_t)frame->r14;
    to[REG_R13] = (greg_t)frame->r13;
    to[REG_R12] = (greg_t)frame->r12;
    to[REG_RBX] = (greg_t)frame->rbx;
    to[REG_RBP] = (greg_t)frame->rbp;
    to[REG_RIP] = (greg_t)frame->rip;
    to[REG_RSP] = (greg_t)(uintptr_t)(frame + 1);
    to[REG_EFL] = USUAL_FLAGS;
    to[REG_CSGSFS] = (greg_t)((uint64_t)USER_SS << 48 | USER_CS);
    registers->state.cwd = frame->x87;
    registers->state.mxcsr = frame->mxcsr;
    registers->context.uc_mcontext.fpregs = &registers->state;
}

void registers_answer(struct plat_thread *thread, const ucontext_t *interrupted)
{
    struct thread_asked *asked = NULL;
    if (thread && atomic_load_explicit(&thread->stopping.asked, memory_order_relaxed))
        asked = atomic_exchange(&thread->stopping.asked, NULL);
    if (!asked)
        return;
    copy(interrupted, interrupted->uc_mcontext.fpregs, asked->registers);
    atomic_store_explicit(&asked->done, 1, memory_order_release);
    futex_wake(&asked->done, 1);
}
