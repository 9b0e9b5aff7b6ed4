/* SPDX-License-Identifier: MIT
 *
 * dllmain.c - what happens when the DLL comes, goes, and when a thread ends.
 *
 * Coming changes nothing about system calls: that waits for the first UMS call. Going takes off
 * what was put on; once a worker was made the DLL stays for good, for workers' frames lie in it.
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
