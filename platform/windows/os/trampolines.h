/* SPDX-License-Identifier: MIT
 *
 * trampolines.h - replacing system-call stubs of a module while other threads run.
 *
 * A stub's second instruction, `mov eax, number`, is five bytes long, and so is a jump: one aligned
 * store of eight bytes puts one in the other's place. A thread that is in the stub meanwhile finds
 * either the old instruction or the new one, so nobody has to be stopped. The jump goes to memory
 * near the module that holds a trampoline for each stub: the stub's first two instructions with a
 * jump to its third, and a jump to the handler, which finds the former's address in r11. So the
 * system call itself is made, and returns, in the module: where debuggers, security products and a
 * walk of the stack expect it.
 *
 * Somebody else may have been there first (stub_jumps.h): whoever watches system calls, for
 * security or to record them, has put a jump over the stub's beginning. Where it is understood its
 * target takes the place of the rest of the stub, and our jump stands before it, in one store as
 * well: a jump of theirs that is longer than ours has an instruction boundary where ours ends, or
 * is one instruction that a thread is before or past.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_TRAMPOLINES_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_TRAMPOLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <windows.h>

#include "platform/windows/os/stub_jumps.h"

struct trampoline {
    uint8_t stub[24]; /* what the handler calls for the stub */
    uint8_t before[8];
    uint8_t load[7]; /* lea r11, stub */
    uint8_t jump[6]; /* jmp *0(%rip) */
    uint8_t target[8];
    uint8_t jump_at; /* where our jump is in the stub */
    uint8_t unused[2];
    uint8_t *code; /* the module's stub */
};

/* One piece of memory. Never given back as long as its module is there: a thread may be inside. */
struct trampolines {
    struct trampoline *first;
    size_t room, used;
};

/* False: there is no free memory within reach of the module. */
bool trampolines_begin(struct trampolines *trampolines, HMODULE module, size_t room);
/* Makes one for a stub that is as usual, or that somebody's jump begins. pre: there is room. */
struct trampoline *trampolines_add(struct trampolines *trampolines, uint8_t *code,
                                   const struct stub *stub, void *handler);
/* No more are added: makes them executable. */
bool trampolines_seal(const struct trampolines *trampolines);
/* Gives them back: their module is gone. */
void trampolines_drop(struct trampolines *trampolines);

/* The stub's first eight bytes, as they were and with the jump. */
uint64_t trampoline_before(const struct trampoline *trampoline);
uint64_t trampoline_after(const struct trampoline *trampoline);
/* Replaces `expected` by `bytes`, in code that is writable. False: they are not there. */
bool trampolines_exchange(uint64_t *stub, uint64_t expected, uint64_t bytes);

/* The code is in a trampoline. */
bool trampolines_hold(const void *code);

#endif
