/* SPDX-License-Identifier: MIT
 *
 * dllmain.c - loads and unloads the DLL's parts, and sees the ends of threads.
 *
 * To load the DLL hooks no system calls: the first UMS call does that. To unload it removes all
 * hooks. Once the program has made a worker the DLL stays loaded, as the workers' first frames
 * return into it.
 */
#include "platform/windows/calls/calls.h"
#include "platform/windows/calls/wait_hooks.h"
#include "platform/windows/inspect/events.h"
#include "platform/windows/inspect/trace_start.h"
#include "platform/windows/start.h"
#include "winapi/windows/names.h"
#include "winapi/windows/surface.h"
#include "winapi/windows/thread_control.h"

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID process_ends);

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID process_ends)
{
    switch (reason) {
    case DLL_PROCESS_ATTACH:
        engine_at_start = thread_control_install;
        names_serve(module);
        break;
    case DLL_THREAD_DETACH:
        thread_control_detach();
        break;
    case DLL_PROCESS_DETACH:
        if (process_ends) {
            thread_control_process_ends();
            trace_process_ends();
        } else {
            events_unregister();
            calls_remove();
            wait_hooks_remove();
            thread_control_remove();
            names_withdraw(module);
        }
        break;
    default:
        break;
    }
    return TRUE;
}
