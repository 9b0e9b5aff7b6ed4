/* SPDX-License-Identifier: MIT
 *
 * relays.h - replacing system-call stubs of a module while other threads run.
 *
 * A stub's second instruction, `mov eax, number`, is five bytes long, and so is a jump: one aligned
 * store of eight bytes puts one in the other's place. A thread that is in the stub meanwhile finds
 * either the old instruction or the new one, so nobody has to be stopped. The jump goes to memory
 * near the module that holds, for each stub, a relay: a copy of the whole stub (which refers to
 * nothing relative) and a jump to the handler, who finds the copy's address in r11.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_RELAYS_H
#define UMSSHIM_PLATFORM_WINDOWS_RELAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <windows.h>

struct relay {
    uint8_t stub[32];
    uint8_t load[7]; /* lea r11, stub */
    uint8_t jump[6]; /* jmp *0(%rip) */
    uint8_t target[8];
    uint8_t unused[3];
    uint8_t *code; /* the module's stub */
};

/* One piece of memory. Never given back as long as its module is there: a thread may be inside. */
struct relays {
    struct relay *first;
    size_t room, used;
};

enum stub_kind {
    STUB_USUAL,
    STUB_CHANGED, /* somebody else has put a jump at its beginning */
    STUB_NONE     /* no system-call stub */
};
enum stub_kind relays_stub_kind(const uint8_t *code);

/* False: there is no free memory within reach of the module. */
bool relays_begin(struct relays *relays, HMODULE module, size_t room);
/* For a usual stub; there is room. */
struct relay *relays_add(struct relays *relays, uint8_t *code, void *handler);
/* No more are added: makes them executable. */
bool relays_seal(const struct relays *relays);
/* Gives them back: their module is gone. */
void relays_drop(struct relays *relays);

/* The stub's first eight bytes, as they were and with the jump. */
uint64_t relay_before(const struct relay *relay);
uint64_t relay_after(const struct relay *relay);
/* Puts the one in the other's place, in code that is writable. False: it was neither. */
bool relays_exchange(uint64_t *stub, uint64_t expected, uint64_t bytes);

/* The code is in a relay. */
bool relays_hold(const void *code);

/* Memory that can be reached from all addresses in [from, to) by signed 32-bit displacements, or,
 * with `above`, by unsigned ones from `from`. Writable; NULL if there is none. */
void *near_pages(uintptr_t from, uintptr_t to, bool above, size_t bytes);

/* Makes it executable and nothing else. */
bool near_pages_seal(void *pages, size_t bytes);

#endif
