/* SPDX-License-Identifier: MIT
 *
 * teb_follow.c - a worker that comes back from a call on another TEB.
 *
 * The code around the call, of ntdll and kernelbase, may hold the address of the TEB that it had:
 * in a register that calls preserve, which inplace_switch has saved, or in a word of its frames.
 * This code gives each such word the address of the TEB that the worker goes on with. It changes
 * only words that have the TEB's address itself. A pointer into a TEB leads to data that stays
 * there (the text of a string is not moved, teb.h).
 *
 * The frames end at the first one of another module. A program that keeps the address sees the
 * difference, as docs/windows.md says. If the worker loads a module there are frames of ntdll
 * beyond the module's DllMain. So the frames end only where the worker's stack begins, below the
 * part that its own thread uses.
 */
#include "platform/windows/switch/teb_follow.h"

#include "platform/windows/os/ntdll_frames.h"
#include "platform/windows/switch/frames.h"
#include "platform/windows/switch/inplace_gap.h"
#include "platform/windows/switch/teb_fence.h"

enum { RBX = 3, RBP = 5, RSI, RDI, R12 = 12, R13, R14, R15 };

static bool loads(const struct plat_context *worker)
{
    return loader_owner() == worker->thread_id ||
           (worker->values.is_rare && worker->values.rare.flags & TEB_BITS_OF_LOADER);
}

void teb_follow(const struct plat_context *worker, const void *now)
{
    struct saved_frame *saved = worker->saved_sp;
    struct ntdll_walk walk = {.code = (uintptr_t)saved->return_to, .sp = (uintptr_t)(saved + 1)};
    walk.registers[RBX] = saved->rbx;
    walk.registers[RBP] = saved->rbp;
    walk.registers[RSI] = saved->rsi;
    walk.registers[RDI] = saved->rdi;
    walk.registers[R12] = saved->r12;
    walk.registers[R13] = saved->r13;
    walk.registers[R14] = saved->r14;
    walk.registers[R15] = saved->r15;
    uintptr_t before = (uintptr_t)worker->left_teb;
    uintptr_t end =
        loads(worker) ? (uintptr_t)worker->home_sp - INPLACE_GAP : ntdll_frames_end(&walk);
    for (uintptr_t *word = (uintptr_t *)saved; (uintptr_t)word < end; word++)
        if (*word == before)
            *word = (uintptr_t)now;
}
