/* SPDX-License-Identifier: MIT
 *
 * trap_take.c - the handler of SIGSYS is put there, ahead of the first filter that traps.
 */
#include "platform/linux/libc/trap.h"
#include "platform/linux/signals/sys_action.h"

bool trap_take(void)
{
    return sys_action_take(trap_entry);
}
