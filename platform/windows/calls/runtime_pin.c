/* SPDX-License-Identifier: MIT
 *
 * runtime_pin.c - see runtime_pin.h.
 *
 * Two threads may pin a worker. The thread that loads the runtime writes `module` and then goes
 * through the map of threads. The thread that makes a worker adds it to the map and then reads
 * `module`. The map's lock orders the two, so at least one of them sees the other. Workers stay
 * pinned for good, because a runtime that has run leaves threads of its own behind.
 */
#include "platform/windows/calls/runtime_pin.h"

#include "platform/windows/os/module_name.h"
#include "platform/windows/os/thread_map.h"
#include "platform/windows/switch/call.h"
#include "platform/windows/switch/inplace.h"

/* The runtimes of .NET and of the .NET Framework, and the modules that load them. */
static const struct runtime {
    const wchar_t *name;
    const char *told;
} runtimes[] = {{L"coreclr.dll", "coreclr.dll"},
                {L"clr.dll", "clr.dll"},
                {L"mscorwks.dll", "mscorwks.dll"},
                {L"mscoree.dll", "mscoree.dll"},
                {L"hostfxr.dll", "hostfxr.dll"}};
enum { RUNTIMES = sizeof runtimes / sizeof *runtimes };

static _Atomic(const char *) module;

static bool pin(struct plat_context *context, void *unused)
{
    (void)unused;
    if (!context->is_scheduler)
        atomic_fetch_or(&context->pinned, PINNED_RUNTIME);
    return false;
}

static void pin_all(const char *name)
{
    const char *none = NULL;
    if (!engine_in_place || !atomic_compare_exchange_strong(&module, &none, name))
        return;
    thread_map_any(pin, NULL);
    plat_log("%s is in this process: workers are switched pinned from now on, for .NET", name);
    struct plat_context *self = call_worker();
    if (self)
        inplace_go_home(self);
}

void runtime_pin_start(void)
{
    static _Atomic bool looked;
    if (atomic_load_explicit(&looked, memory_order_acquire))
        return;
    for (int i = 0; i < RUNTIMES; i++)
        if (GetModuleHandleW(runtimes[i].name))
            pin_all(runtimes[i].told);
    atomic_store_explicit(&looked, true, memory_order_release);
}

void runtime_pin_loaded(const UNICODE_STRING *name)
{
    for (int i = 0; i < RUNTIMES; i++)
        if (module_name_is(name, runtimes[i].name))
            pin_all(runtimes[i].told);
}

void runtime_pin_new(struct plat_context *worker)
{
    if (UMS_UNLIKELY(atomic_load(&module) != NULL))
        pin(worker, NULL);
}

const char *runtime_pin_module(void)
{
    return atomic_load(&module);
}
