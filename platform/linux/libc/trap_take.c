/* SPDX-License-Identifier: MIT
 *
 * trap_take.c - installs the library's handlers of SIGSYS and of faults, ahead of the first filter;
 * those of faults alone for a scheduler without a filter.
 */
#include "platform/linux/libc/trap.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/thread_pointer.h"
#include "platform/linux/signals/kept_action.h"

static bool take_others(void)
{
    static const int others[] = {SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!kept_action_take(others[i], fault_entry, false))
            return false;
    return true;
}

bool faults_take(void)
{
    return kept_action_take(SIGSEGV, fault_entry, false) && take_others();
}

bool trap_take(bool guards)
{
    if (!kept_action_take(SIGSYS, trap_entry, true) ||
        !kept_action_take(SIGSEGV, guards ? guard_entry : fault_entry, guards) || !take_others())
        return false;
    if (guards)
        engine_caps.guards = thread_pointer_guard_start();
    return true;
}
