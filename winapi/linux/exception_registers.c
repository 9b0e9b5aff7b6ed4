/* SPDX-License-Identifier: MIT
 *
 * exception_registers.c - copies registers from the kernel's frame of a signal to a CONTEXT, and
 * back.
 *
 * Both have the x87 and SSE state as FXSAVE writes it. A CONTEXT lacks the parts that AVX adds;
 * they stay as they are in the frame.
 */
#include <stddef.h>
#include <string.h>

#include "winapi/linux/exception.h"

/* Behind the bytes of FXSAVE, the kernel says which parts of a frame's extended state differ from
 * their initial values. */
enum { LEGACY_BYTES = 512, EXTENDED_MAGIC_AT = 464, EXTENDED_MAGIC = 0x46505853, X87_AND_SSE = 3 };

/* The flags that user mode can change. */
enum { USER_FLAGS = 0x00250DD5, ALWAYS_SET = 2, MXCSR_BITS = 0xFFFF };

_Static_assert(offsetof(CONTEXT, ContextFlags) == 0x30 && offsetof(CONTEXT, Rax) == 0x78 &&
                   offsetof(CONTEXT, Rip) == 0xF8 && offsetof(CONTEXT, FltSave) == 0x100 &&
                   sizeof(XMM_SAVE_AREA32) == LEGACY_BYTES,
               "the assembler's places");

/* Each pair of registers, for both directions. */
#define INTEGERS(MOVE)                                                                             \
    MOVE(Rax, REG_RAX)                                                                             \
    MOVE(Rcx, REG_RCX)                                                                             \
    MOVE(Rdx, REG_RDX)                                                                             \
    MOVE(Rbx, REG_RBX)                                                                             \
    MOVE(Rbp, REG_RBP)                                                                             \
    MOVE(Rsi, REG_RSI)                                                                             \
    MOVE(Rdi, REG_RDI)                                                                             \
    MOVE(R8, REG_R8)                                                                               \
    MOVE(R9, REG_R9)                                                                               \
    MOVE(R10, REG_R10)                                                                             \
    MOVE(R11, REG_R11) MOVE(R12, REG_R12) MOVE(R13, REG_R13) MOVE(R14, REG_R14) MOVE(R15, REG_R15)

void win__registers_told(const ucontext_t *interrupted, CONTEXT *context)
{
    const greg_t *from = interrupted->uc_mcontext.gregs;
    memset(context, 0, sizeof *context);
    context->ContextFlags = CONTEXT_FULL;
    context->ContextFlags |= CONTEXT_SEGMENTS;
#define TELL(name, number) context->name = (DWORD64)from[number];
    INTEGERS(TELL)
    context->Rip = (DWORD64)from[REG_RIP];
    context->Rsp = (DWORD64)from[REG_RSP];
    context->EFlags = (DWORD)from[REG_EFL];
    uint64_t selectors = (uint64_t)from[REG_CSGSFS];
    context->SegCs = (WORD)selectors;
    context->SegGs = (WORD)(selectors >> 16);
    context->SegFs = (WORD)(selectors >> 32);
    context->SegSs = (WORD)(selectors >> 48);
    if (interrupted->uc_mcontext.fpregs)
        memcpy(&context->FltSave, interrupted->uc_mcontext.fpregs, LEGACY_BYTES);
    context->MxCsr = context->FltSave.MxCsr;
}

static void change_state(char *state, const CONTEXT *context)
{
    XMM_SAVE_AREA32 wanted = context->FltSave;
    uint32_t magic;
    wanted.MxCsr = context->MxCsr & MXCSR_BITS;
    memcpy(&magic, state + EXTENDED_MAGIC_AT, sizeof magic);
    memcpy(state, &wanted, offsetof(XMM_SAVE_AREA32, Reserved4));
    if (magic != EXTENDED_MAGIC)
        return;
    uint64_t parts;
    memcpy(&parts, state + LEGACY_BYTES, sizeof parts);
    parts |= X87_AND_SSE;
    memcpy(state + LEGACY_BYTES, &parts, sizeof parts);
}

static void change_integers(greg_t *to, const CONTEXT *context)
{
#define CHANGE(name, number) to[number] = (greg_t)context->name;
    INTEGERS(CHANGE)
}

void win__registers_changed(ucontext_t *interrupted, const CONTEXT *context)
{
    greg_t *to = interrupted->uc_mcontext.gregs;
    DWORD wanted = context->ContextFlags;
    if ((wanted & CONTEXT_INTEGER) == CONTEXT_INTEGER)
        change_integers(to, context);
    if ((wanted & CONTEXT_CONTROL) == CONTEXT_CONTROL) {
        to[REG_RIP] = (greg_t)context->Rip;
        to[REG_RSP] = (greg_t)context->Rsp;
        to[REG_EFL] = (to[REG_EFL] & ~(greg_t)USER_FLAGS) | (context->EFlags & USER_FLAGS);
    }
    if ((wanted & CONTEXT_FLOATING_POINT) == CONTEXT_FLOATING_POINT &&
        interrupted->uc_mcontext.fpregs)
        change_state((char *)interrupted->uc_mcontext.fpregs, context);
}

/* ---- Going on with a CONTEXT ----------------------------------------------------------------- */

/* exception_load.S */
_Noreturn void win__registers_load(const CONTEXT *context);

void win__registers_resume(CONTEXT *context)
{
    context->FltSave.MxCsr = context->MxCsr & MXCSR_BITS;
    context->EFlags = (context->EFlags & USER_FLAGS) | ALWAYS_SET;
    win__registers_load(context);
}
