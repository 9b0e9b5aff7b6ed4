/* SPDX-License-Identifier: MIT
 *
 * hooks.c - see hooks.h.
 */
#include "platform/windows/os/hooks.h"

#include <windows.h>

#include "platform/check.h"
#include "platform/windows/os/system_images.h"
#include "platform/windows/os/trampolines.h"

enum { TRAMPOLINES = 4096 / sizeof(struct trampoline) };
static struct trampolines trampolines;
static bool failed, sealed;

static enum hook_state prepare(struct hook *hook)
{
    uint8_t *code = system_function(system_images.ntdll, hook->name);
    *hook->original = code;
    if (!code)
        return HOOK_MISSING;
    struct stub stub = stub_read(code);
    if (stub.kind != STUB_USUAL && stub.kind != STUB_JUMPS)
        return HOOK_FOREIGN;
    if (!trampolines.first && !failed)
        failed = !trampolines_begin(&trampolines, system_images.ntdll, TRAMPOLINES);
    if (failed || trampolines.used == TRAMPOLINES)
        return HOOK_FAR;
    struct trampoline *trampoline = trampolines_add(&trampolines, code, &stub, hook->handler);
    hook->other = stub.kind == STUB_JUMPS ? stub.target : NULL;
    hook->stub = (uint64_t *)code;
    hook->before = trampoline_before(trampoline);
    hook->after = trampoline_after(trampoline);
    *hook->original = trampoline->stub;
    return HOOK_NONE;
}

/* The range that has all stubs to be changed. The library makes it writable in one call, so a tool
 * that watches changes of code sees one instead of seventy. It does so only if the whole range has
 * one protection, which close_span gives back to all of it. */
struct span {
    uint8_t *from, *to;
    DWORD before;
    bool open;
};

static void add_to_span(struct span *span, uint64_t *stub)
{
    uint8_t *from = (uint8_t *)stub;
    if (!span->from || from < span->from)
        span->from = from;
    if (from + sizeof *stub > span->to)
        span->to = from + sizeof *stub;
}

static void open_span(struct span *span)
{
    MEMORY_BASIC_INFORMATION region;
    DWORD protect = 0;
    for (uint8_t *at = span->from; at < span->to;
         at = (uint8_t *)region.BaseAddress + region.RegionSize) {
        if (!VirtualQuery(at, &region, sizeof region) || region.State != MEM_COMMIT ||
            (protect && region.Protect != protect))
            return;
        protect = region.Protect;
    }
    span->open = protect && VirtualProtect(span->from, (SIZE_T)(span->to - span->from),
                                           PAGE_EXECUTE_READWRITE, &span->before);
}

static void close_span(struct span *span)
{
    DWORD unused;
    if (!span->open)
        return;
    VirtualProtect(span->from, (SIZE_T)(span->to - span->from), span->before, &unused);
    FlushInstructionCache(GetCurrentProcess(), span->from, (SIZE_T)(span->to - span->from));
}

static bool replace(const struct span *span, uint64_t *stub, uint64_t expected, uint64_t bytes)
{
    DWORD before, unused;
    if (span->open)
        return trampolines_exchange(stub, expected, bytes);
    if (!VirtualProtect(stub, 8, PAGE_EXECUTE_READWRITE, &before))
        return false;
    bool done = trampolines_exchange(stub, expected, bytes);
    VirtualProtect(stub, 8, before, &unused);
    FlushInstructionCache(GetCurrentProcess(), stub, 8);
    return done;
}

int hooks_install(struct hook *hooks, size_t count)
{
    struct span span = {.from = NULL};
    int refused = 0;
    if (sealed) { /* the page of the trampolines is full and executable: takes another */
        trampolines = (struct trampolines){0};
        sealed = false;
    }
    for (size_t i = 0; i < count; i++)
        hooks[i].state = prepare(&hooks[i]);
    if (trampolines.first)
        sealed = trampolines_seal(&trampolines);
    for (size_t i = 0; sealed && i < count; i++)
        if (hooks[i].state == HOOK_NONE)
            add_to_span(&span, hooks[i].stub);
    open_span(&span);
    for (size_t i = 0; i < count; i++) {
        struct hook *hook = &hooks[i];
        if (hook->state == HOOK_NONE)
            hook->state = sealed && replace(&span, hook->stub, hook->before, hook->after)
                              ? HOOK_APPLIED
                              : HOOK_FORBIDDEN;
        if (hook->state == HOOK_FORBIDDEN)
            *hook->original = hook->stub;
        refused += hook_is_refused(hook);
    }
    close_span(&span);
    return refused;
}

void hooks_remove(struct hook *hooks, size_t count)
{
    struct span span = {.from = NULL};
    for (size_t i = 0; i < count; i++)
        if (hooks[i].state == HOOK_APPLIED)
            add_to_span(&span, hooks[i].stub);
    open_span(&span);
    for (size_t i = 0; i < count; i++)
        if (hooks[i].state == HOOK_APPLIED &&
            replace(&span, hooks[i].stub, hooks[i].after, hooks[i].before))
            hooks[i].state = HOOK_NONE;
    close_span(&span);
}

const char *hook_text(const struct hook *hook)
{
    return hook->state == HOOK_APPLIED && hook->other ? "applied, before somebody else's"
                                                      : hook_state_text(hook->state);
}

const char *hook_state_text(enum hook_state state)
{
    switch (state) {
    case HOOK_NONE:
        return "not applied";
    case HOOK_APPLIED:
        return "applied";
    case HOOK_MISSING:
        return "not there";
    case HOOK_FOREIGN:
        return "refused: its code is not the usual";
    case HOOK_FORBIDDEN:
        return "refused: code may not be changed";
    case HOOK_FAR:
        return "refused: no memory in reach";
    }
    return "?";
}
