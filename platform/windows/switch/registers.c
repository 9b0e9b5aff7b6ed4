/* SPDX-License-Identifier: MIT
 *
 * registers.c - see registers.h.
 */
#include "platform/windows/switch/registers.h"

#include "platform/windows/engine.h"
#include "platform/windows/os/originals.h"
#include "platform/windows/switch/frames.h"

bool thread_registers(HANDLE thread, CONTEXT *registers)
{
    if (call_originals[CALL_NtGetContextThread])
        return ORIGINAL(NtGetContextThread)(thread, registers) >= 0;
    return GetThreadContext(thread, registers);
}

bool thread_set_registers(HANDLE thread, const CONTEXT *registers)
{
    if (call_originals[CALL_NtSetContextThread])
        return ORIGINAL(NtSetContextThread)(thread, registers) >= 0;
    return SetThreadContext(thread, registers);
}

/* ---- Workers that are saved ------------------------------------------------------------------ */

/* Copies memory that may vanish meanwhile; false if it has. */
static bool copy(void *to, const void *from, size_t bytes)
{
    SIZE_T copied;
    return from && ReadProcessMemory(GetCurrentProcess(), from, to, bytes, &copied);
}

static bool interrupted_registers(const struct plat_context *worker, CONTEXT *registers)
{
    struct interrupt_frame found, *saved = worker->interrupted;
    const struct interrupt_frame *frame = &found;
    XMM_SAVE_AREA32 state;
    if (!copy(&found, saved, sizeof found) ||
        !copy(&state, worker->interrupted_state, sizeof state))
        return false;
    *registers = (CONTEXT){.ContextFlags = registers->ContextFlags & CONTEXT_ALL,
                           .SegCs = 0x33,
                           .SegSs = 0x2b,
                           .EFlags = (DWORD)frame->flags,
                           .Rax = frame->rax,
                           .Rcx = frame->rcx,
                           .Rdx = frame->rdx,
                           .Rbx = frame->rbx,
                           .Rsp = (uintptr_t)(saved + 1),
                           .Rbp = frame->rbp,
                           .Rsi = frame->rsi,
                           .Rdi = frame->rdi,
                           .R8 = frame->r8,
                           .R9 = frame->r9,
                           .R10 = frame->r10,
                           .R11 = frame->r11,
                           .R12 = frame->r12,
                           .R13 = frame->r13,
                           .R14 = frame->r14,
                           .R15 = frame->r15,
                           .Rip = frame->rip};
    registers->FltSave = state;
    registers->MxCsr = state.MxCsr;
    return true;
}

bool worker_registers(const struct plat_context *worker, CONTEXT *registers)
{
    struct saved_frame found, *saved = __atomic_load_n(&worker->saved_sp, __ATOMIC_ACQUIRE);
    const struct saved_frame *frame = &found;
    if (__atomic_load_n(&worker->interrupted, __ATOMIC_ACQUIRE))
        return interrupted_registers(worker, registers);
    if (!copy(&found, saved, sizeof found))
        return false;
    DWORD wanted = registers->ContextFlags;
    *registers = (CONTEXT){.ContextFlags = wanted & CONTEXT_ALL,
                           .MxCsr = frame->mxcsr,
                           .SegCs = 0x33,
                           .SegSs = 0x2b,
                           .EFlags = 0x202,
                           .Rbx = frame->rbx,
                           .Rsp = (uintptr_t)(saved + 1),
                           .Rbp = frame->rbp,
                           .Rsi = frame->rsi,
                           .Rdi = frame->rdi,
                           .R12 = frame->r12,
                           .R13 = frame->r13,
                           .R14 = frame->r14,
                           .R15 = frame->r15,
                           .Rip = (uintptr_t)frame->return_to};
    registers->FltSave.MxCsr = frame->mxcsr;
    registers->FltSave.ControlWord = frame->x87;
    __builtin_memcpy(&registers->Xmm6, frame->xmm, sizeof frame->xmm);
    return true;
}
