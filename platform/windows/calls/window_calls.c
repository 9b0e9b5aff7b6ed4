/* SPDX-License-Identifier: MIT
 *
 * window_calls.c - the hooks of window calls: a worker that makes one is pinned to its own thread
 * from then on (window_pin.h).
 *
 * Windows, message queues, window hooks and drawing belong to the kernel thread that asks for them,
 * and the kernel calls window procedures back on it. So in place the engine hooks all system calls
 * of win32u.dll, which user32 and gdi32 use. The first such call takes its worker home, and there
 * the worker stays. In pinned mode the engine hooks only those that wait (window_waits.c).
 */
#include "platform/windows/calls/window_calls.h"

#include <stdio.h>
#include <string.h>

#include "platform/windows/calls/window_waits.h"
#include "platform/windows/engine.h"
#include "platform/windows/os/export_table.h"
#include "platform/windows/os/hooks.h"
#include "platform/windows/os/module_name.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/trampolines.h"

/* window_calls.S: calls window_call, and then the stub. */
void window_call_entry(void);

/* Guards the variables below. A thread that holds it makes no call into the loader: the thread that
 * has the loader's lock may wait for this one. */
static struct plat_lock lock;
static HMODULE hooked; /* win32u, hooked as far as it can be */
static struct trampolines trampolines;
static size_t applied, refused;
static const char *why;

static struct window_wait *wait_named(const char *name)
{
    for (int i = 0; i < WINDOW_WAITS; i++)
        if (strcmp(name, window_waits[i].name) == 0)
            return &window_waits[i];
    return NULL;
}

/* Whether the name says that it is a system call. Other exports may be system calls, too: only
 * their code tells. */
static bool is_call(const char *name)
{
    return strncmp(name, "Nt", 2) == 0;
}

static bool is_wanted(const char *name)
{
    return engine_in_place || wait_named(name) != NULL;
}

/* A function that begins with a jump has been hooked by another product. Only its name can say that
 * it is a system call. */
static bool may_be_hooked(const char *name, const struct stub *stub)
{
    return stub->kind == STUB_USUAL || (stub->kind == STUB_JUMPS && is_call(name));
}

static void count(const char *name, void *code)
{
    if (!is_wanted(name))
        return;
    struct stub stub = stub_read(code);
    if (may_be_hooked(name, &stub))
        trampolines.room++;
    else
        refused += stub.kind == STUB_CHANGED || (is_call(name) && !ntapi_is_wine());
}

static void add(const char *name, void *code)
{
    if (!is_wanted(name))
        return;
    struct window_wait *wait = wait_named(name);
    struct stub stub = stub_read(code);
    if (!may_be_hooked(name, &stub))
        return;
    struct trampoline *trampoline = trampolines_add(
        &trampolines, code, &stub, wait ? wait->handler : (void *)window_call_entry);
    if (wait)
        wait->original = trampoline->stub;
}

/* Hooks all stubs at once, so that their pages are made writable once. */
static bool apply(void)
{
    uint8_t *low = trampolines.first->code, *high = low;
    DWORD before, unused;
    for (size_t i = 0; i < trampolines.used; i++) {
        uint8_t *code = trampolines.first[i].code;
        low = code < low ? code : low;
        high = code > high ? code : high;
    }
    size_t bytes = (size_t)(high - low) + sizeof(uint64_t);
    if (!VirtualProtect(low, bytes, PAGE_EXECUTE_READWRITE, &before))
        return false;
    for (size_t i = 0; i < trampolines.used; i++) {
        const struct trampoline *trampoline = &trampolines.first[i];
        applied += trampolines_exchange((uint64_t *)trampoline->code, trampoline_before(trampoline),
                                        trampoline_after(trampoline));
    }
    VirtualProtect(low, bytes, before, &unused);
    FlushInstructionCache(GetCurrentProcess(), low, bytes);
    return true;
}

static const char *hook_all(HMODULE module)
{
    trampolines.room = applied = refused = 0;
    export_each(module, count);
    size_t usual = trampolines.room;
    refused += usual;
    if (!usual)
        return "its system calls are not the usual";
    if (!trampolines_begin(&trampolines, module, usual))
        return hook_state_text(HOOK_FAR);
    export_each(module, add);
    if (!trampolines_seal(&trampolines) || !apply()) {
        trampolines_drop(&trampolines);
        return hook_state_text(HOOK_FORBIDDEN);
    }
    refused -= applied;
    return refused ? hook_state_text(HOOK_FOREIGN) : NULL;
}

static void hook(HMODULE module)
{
    const char *trouble = NULL;
    if (!engine_detects)
        return;
    plat_lock(&lock);
    if (hooked != module)
        trouble = why = hook_all(module);
    hooked = module;
    size_t missed = refused;
    plat_unlock(&lock);
    if (trouble)
        plat_log("%llu window calls were not hooked (%s): %s", (unsigned long long)missed, trouble,
                 engine_in_place ? "a worker's windows may belong to its scheduler"
                                 : "waits for messages hold up their scheduler");
}

static const wchar_t win32u[] = L"win32u.dll";

void window_calls_start(void)
{
    static _Atomic bool looked;
    if (atomic_load_explicit(&looked, memory_order_acquire))
        return;
    HMODULE module = GetModuleHandleW(win32u);
    if (module)
        hook(module);
    atomic_store_explicit(&looked, true, memory_order_release);
}

void window_calls_loaded(HMODULE module, const UNICODE_STRING *name)
{
    if (module_name_is(name, win32u))
        hook(module);
}

void window_calls_unloaded(HMODULE module)
{
    plat_lock(&lock);
    if (hooked == module) {
        if (trampolines.first)
            trampolines_drop(&trampolines);
        hooked = NULL;
    }
    plat_unlock(&lock);
}

int window_calls_describe(char *text, size_t room)
{
    plat_lock(&lock);
    bool there = hooked != NULL;
    size_t all = applied + refused, of_them = applied;
    const char *trouble = why;
    plat_unlock(&lock);
    if (!engine_detects)
        return snprintf(text, room, "window calls: no hooks (UMSSHIM_DETECT=0)\n");
    if (!there)
        return snprintf(text, room, "window calls: no hooks yet (%s)\n",
                        GetModuleHandleW(win32u) ? "they come with the first worker"
                                                 : "win32u.dll is not loaded");
    return snprintf(text, room, "window calls: %llu of %llu hooked%s%s\n",
                    (unsigned long long)of_them, (unsigned long long)all, trouble ? ": " : "",
                    trouble ? trouble : "");
}
