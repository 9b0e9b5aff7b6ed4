/* SPDX-License-Identifier: MIT
 *
 * trampolines.h - replacing system-call stubs of a module while other threads run.
 *
 * A stub's second instruction, `mov eax, number`, is five bytes long, and so is a jump: one aligned
 * store of eight bytes puts a jump in its place. A thread that is in the stub meanwhile finds
 * either the old instruction or the new one, so no thread has to be stopped. The jump goes to
 * memory near the module that holds a trampoline for each stub: the stub's first two instructions
 * with a jump to its third, and a jump to the handler, which finds the address of the former in
 * r11. So the thread makes the system call in the module itself, where debuggers, security products
 * and a walk of the stack expect it.
 *
 * Another product may have been there first (stub_jumps.h): one that watches system calls, for
 * security or to record them, puts a jump over the stub's beginning. If the jump's shape is known
 * the trampoline goes to its target instead of the rest of the stub. Our jump takes its place, in
 * one store as well. If their jump is longer than ours it has an instruction boundary where ours
 * ends, or is one instruction that a thread is before or past.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_TRAMPOLINES_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_TRAMPOLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <windows.h>

#include "platform/windows/os/stub_jumps.h"

struct trampoline {
    uint8_t stub[24]; /* the handler calls it in place of the stub */
    uint8_t before[8];
    uint8_t load[7]; /* lea r11, stub */
    uint8_t jump[6]; /* jmp *0(%rip) */
    uint8_t target[8];
    uint8_t jump_at; /* the offset of our jump in the stub */
    uint8_t unused[2];
    uint8_t *code; /* the module's stub */
};

/* One piece of memory. It stays as long as its module, since a thread may be inside. */
struct trampolines {
    struct trampoline *first;
    size_t room, used;
};

/* False: there is no free memory within reach of the module. */
bool trampolines_begin(struct trampolines *trampolines, HMODULE module, size_t room);
/* Makes one for a usual stub, or for one that begins with another product's jump. pre: there is
 * room. */
struct trampoline *trampolines_add(struct trampolines *trampolines, uint8_t *code,
                                   const struct stub *stub, void *handler);
/* Makes them executable. No more can be added. */
bool trampolines_seal(const struct trampolines *trampolines);
/* Frees them. Their module is gone. */
void trampolines_drop(struct trampolines *trampolines);

/* The stub's first eight bytes, as they were and with the jump. */
uint64_t trampoline_before(const struct trampoline *trampoline);
uint64_t trampoline_after(const struct trampoline *trampoline);
/* Replaces `expected` by `bytes`, in code that is writable. False: other bytes are there. */
bool trampolines_exchange(uint64_t *stub, uint64_t expected, uint64_t bytes);

/* The code is in a trampoline. */
bool trampolines_hold(const void *code);

#endif
