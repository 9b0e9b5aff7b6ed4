/* SPDX-License-Identifier: MIT
 *
 * loader_notices.c - passes on what the loader tells of modules that come and go.
 *
 * A notice comes on the thread that loads, which holds the loader's lock, before any of the
 * module's code has run. The receivers may call nothing of the system but its memory calls.
 */
#include "platform/windows/calls/loader_notices.h"

#include "platform/windows/calls/runtime_pin.h"
#include "platform/windows/calls/window_calls.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/switch/teb_fence.h"

enum { LOADED = 1, UNLOADED = 2 };

struct notice {
    ULONG flags;
    const UNICODE_STRING *path, *name;
    HMODULE module;
    ULONG bytes;
};

static void CALLBACK told(ULONG reason, const struct notice *notice, void *context)
{
    (void)context;
    if (reason == LOADED) {
        teb_fence_module_loaded();
        window_calls_loaded(notice->module, notice->name);
        runtime_pin_loaded(notice->name);
    } else if (reason == UNLOADED) {
        window_calls_unloaded(notice->module);
    }
}

void loader_notices_start(void)
{
    static _Atomic bool asked;
    static void *cookie;
    LONG(NTAPI * ask)(ULONG, void *, void *, void **);
    if (atomic_load_explicit(&asked, memory_order_relaxed) || atomic_exchange(&asked, true))
        return;
    ask = ntapi_find("LdrRegisterDllNotification");
    if (ask)
        ask(0, (void *)told, NULL, &cookie);
}
