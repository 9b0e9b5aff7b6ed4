/* SPDX-License-Identifier: MIT
 *
 * trampolines.h - replacing system-call stubs of a module while other threads run.
 *
 * A stub's second instruction, `mov eax, number`, is five bytes long, and so is a jump: one aligned
 * store of eight bytes puts one in the other's place. A thread that is in the stub meanwhile finds
 * either the old instruction or the new one, so nobody has to be stopped. The jump goes to memory
 * near the module that holds, for each stub, a trampoline: a copy of the whole stub (which refers to
 * nothing relative) and a jump to the handler, which finds the copy's address in r11.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_TRAMPOLINES_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_TRAMPOLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <windows.h>

struct trampoline {
    uint8_t stub[32];
    uint8_t load[7]; /* lea r11, stub */
    uint8_t jump[6]; /* jmp *0(%rip) */
    uint8_t target[8];
    uint8_t unused[3];
    uint8_t *code; /* the module's stub */
};

/* One piece of memory. Never given back as long as its module is there: a thread may be inside. */
struct trampolines {
    struct trampoline *first;
    size_t room, used;
};

enum stub_kind {
    STUB_USUAL,
    STUB_CHANGED, /* somebody else has put a jump at its beginning */
    STUB_NONE     /* no system-call stub */
};
enum stub_kind trampolines_stub_kind(const uint8_t *code);

/* False: there is no free memory within reach of the module. */
bool trampolines_begin(struct trampolines *trampolines, HMODULE module, size_t room);
/* For a usual stub; there is room. */
struct trampoline *trampolines_add(struct trampolines *trampolines, uint8_t *code, void *handler);
/* No more are added: makes them executable. */
bool trampolines_seal(const struct trampolines *trampolines);
/* Gives them back: their module is gone. */
void trampolines_drop(struct trampolines *trampolines);

/* The stub's first eight bytes, as they were and with the jump. */
uint64_t trampoline_before(const struct trampoline *trampoline);
uint64_t trampoline_after(const struct trampoline *trampoline);
/* Puts the one in the other's place, in code that is writable. False: it was neither. */
bool trampolines_exchange(uint64_t *stub, uint64_t expected, uint64_t bytes);

/* The code is in a trampoline. */
bool trampolines_hold(const void *code);

#endif
