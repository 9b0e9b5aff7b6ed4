/* SPDX-License-Identifier: MIT
 *
 * hooks.h - replacing ntdll's system-call stubs, and memory that short jumps reach.
 *
 * A stub's second instruction, `mov eax, number`, is five bytes long, and so is a jump: one aligned
 * store of eight bytes puts one in the other's place. A thread that is in the stub meanwhile finds
 * either the old instruction or the new one, so nobody has to be stopped. The jump goes to a page
 * near ntdll that holds, for each hook, a copy of the whole stub (which refers to nothing relative)
 * and a jump to the handler. A handler that has nothing to do ends in a jump to that copy, so that
 * a plain thread that waits has no frame of ours below it.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_HOOKS_H
#define UMSSHIM_PLATFORM_WINDOWS_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hook_state {
    HOOK_NONE,      /* not tried, or taken off */
    HOOK_APPLIED,   /* calls arrive at the handler */
    HOOK_MISSING,   /* this system has no such stub */
    HOOK_FOREIGN,   /* its bytes are not a system-call stub's: somebody else was here */
    HOOK_FORBIDDEN, /* the process may not change code, or make any */
    HOOK_FAR        /* no free memory within reach */
};

struct hook {
    const char *name;
    void *handler;
    void **original; /* out: what the handler calls. Valid whatever the state, NULL if MISSING */
    enum hook_state state;
    uint64_t *stub;
    uint64_t before, after; /* its first eight bytes */
};

/* Applies as many as it can. Returns how many it could not and ought to (MISSING does not count).
 */
int hooks_install(struct hook *hooks, size_t count);

/* Takes off those that are still as they were put on. */
void hooks_remove(struct hook *hooks, size_t count);

/* The code is a copied stub, or a jump to a handler. */
bool hooks_hold(const void *code);

const char *hook_state_text(enum hook_state state);

/* A page that can be reached from all addresses in [from, to) by signed 32-bit displacements, or,
 * with `above`, by unsigned ones from `from`. Writable; NULL if there is none. */
void *near_page(uintptr_t from, uintptr_t to, bool above);

/* Makes it executable and nothing else. */
bool near_page_seal(void *page);

#endif
