/* SPDX-License-Identifier: MIT
 *
 * hooks.h - replacing ntdll's system-call stubs, by name. How it is done: trampolines.h.
 *
 * A handler that has nothing to do ends in a jump to the copy of the stub, so that a plain thread
 * that waits has no frame of ours below it.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_HOOKS_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hook_state {
    HOOK_NONE,      /* not tried, or taken off */
    HOOK_APPLIED,   /* calls arrive at the handler */
    HOOK_MISSING,   /* this system has no such stub */
    HOOK_FOREIGN,   /* its bytes are neither a stub's nor a jump of a known shape */
    HOOK_FORBIDDEN, /* the process may not change code, or make any */
    HOOK_FAR        /* no free memory within reach */
};

struct hook {
    const char *name;
    void *handler;
    void **original; /* out: the handler calls it. Valid in every state; NULL if MISSING */
    enum hook_state state;
    uint64_t *stub;
    uint64_t before, after; /* its first eight bytes */
    const void *other;      /* where another product's jump led; `original` leads there now */
};

/* Puts on all hooks that it can. Returns how many were refused; MISSING ones do not count.
 */
int hooks_install(struct hook *hooks, size_t count);

/* Takes off the hooks whose stubs still have our jump. */
void hooks_remove(struct hook *hooks, size_t count);

/* The system has the stub, but the hook could not be put on. */
static inline bool hook_is_refused(const struct hook *hook)
{
    return hook->state == HOOK_FOREIGN || hook->state == HOOK_FORBIDDEN || hook->state == HOOK_FAR;
}

const char *hook_text(const struct hook *hook);
const char *hook_state_text(enum hook_state state);

#endif
