/* SPDX-License-Identifier: MIT
 *
 * trap_take.c - the handlers of SIGSYS, and of SIGSEGV where thread pointers are guarded, are put there, ahead of the
 * first filter that traps.
 */
#include "platform/linux/libc/trap.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/thread_pointer.h"
#include "platform/linux/signals/kept_action.h"

bool trap_take(void)
{
    if (!kept_action_take(SIGSYS, trap_entry))
        return false;
    engine_caps.guards = engine_caps.guards && kept_action_take(SIGSEGV, guard_entry) &&
                         thread_pointer_guard_start();
    return true;
}
