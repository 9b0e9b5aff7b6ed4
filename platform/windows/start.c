/* SPDX-License-Identifier: MIT
 *
 * start.c - bringing the engine up: the thread slots, the switches in the environment, the hooks.
 *
 * All of it happens at the first UMS call, so nothing changes in a process that makes none.
 */
#include "platform/windows/start.h"

#include "platform/windows/calls/calls.h"
#include "platform/windows/calls/file_habits.h"
#include "platform/windows/calls/wait_hooks.h"
#include "platform/windows/engine.h"
#include "platform/switches/switches.h"
#include "platform/windows/inspect/standstill.h"
#include "platform/windows/inspect/trace_start.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/system_images.h"
#include "platform/windows/stop.h"
#include "platform/windows/switch/thread_switch.h"
#include "platform/windows/switch_mode.h"
#include "platform/windows/worker.h"

enum { NOT_YET, READY, REFUSED };

int (*engine_at_start)(void);

/* Held while the engine starts. A thread that holds it does not call the loader: a thread that
 * makes the first UMS call in a DllMain has the loader's lock, and waits for this one. */
static struct plat_lock lock;
static _Atomic int state;

static int start(void)
{
    switches_check(SWITCHES_OF_WINDOWS);
    if (plat_switch("UMSSHIM_DISABLE", '1'))
        return REFUSED;
    DWORD slot = TlsAlloc();
    engine_exit_slot = TlsAlloc();
    if (slot == TLS_OUT_OF_INDEXES || engine_exit_slot == TLS_OUT_OF_INDEXES) {
        plat_log("no thread-local slot is left: UMS cannot work in this process");
        return REFUSED;
    }
    DWORD_PTR ours = 1, all;
    GetProcessAffinityMask(GetCurrentProcess(), &ours, &all);
    /* The mask is 0 if its threads are on processors of several groups. */
    engine_many_processors =
        ours ? ours & (ours - 1) : GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) > 1;
    ntapi_resolve();
    engine_slot = slot;
    thread_switch_hooks = (struct thread_switch_hooks){.thaw = stop_thaw, .end = worker_killed};
    bool identity = switch_mode_may_be_in_place();
    engine_detects = !plat_switch("UMSSHIM_DETECT", '0');
    int refused = engine_at_start ? engine_at_start() : 0;
    const char *lacking = refused ? "a call on threads" : NULL;
    if (engine_detects) {
        file_habits_start();
        refused += calls_install(identity);
        lacking = lacking ? lacking : calls_lacking();
    }
    if (engine_detects && identity)
        refused += wait_hooks_install();
    switch_mode_choose(lacking);
    if (!engine_in_place)
        wait_hooks_remove();
    if (refused)
        plat_log("%d hooks were refused: calls that they are for hold up their scheduler, or cost "
                 "more; umsrun --check tells which, and why",
                 refused);
    trace_begin();
    standstill_watch();
    return READY;
}

int plat_init(const struct plat_core *core)
{
    int now = atomic_load_explicit(&state, memory_order_acquire);
    if (UMS_UNLIKELY(now == NOT_YET)) {
        struct system_images images = system_images_ask();
        plat_lock(&lock);
        now = atomic_load_explicit(&state, memory_order_relaxed);
        if (now == NOT_YET) {
            DWORD error = GetLastError();
            engine_core = core;
            system_images = images;
            now = start();
            atomic_store_explicit(&state, now, memory_order_release);
            SetLastError(error);
        }
        plat_unlock(&lock);
    }
    return now == READY ? 0 : ERROR_NOT_SUPPORTED;
}
