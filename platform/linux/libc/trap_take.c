/* SPDX-License-Identifier: MIT
 *
 * trap_take.c - the library's handlers of SIGSYS and of faults are put there, ahead of the first
 * filter.
 */
#include "platform/linux/libc/trap.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/thread_pointer.h"
#include "platform/linux/signals/kept_action.h"

bool trap_take(bool guards)
{
    static const int others[] = {SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    if (!kept_action_take(SIGSYS, trap_entry, true) ||
        !kept_action_take(SIGSEGV, guards ? guard_entry : fault_entry, guards))
        return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!kept_action_take(others[i], fault_entry, false))
            return false;
    if (guards)
        engine_caps.guards = thread_pointer_guard_start();
    return true;
}
