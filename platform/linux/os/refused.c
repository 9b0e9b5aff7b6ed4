/* SPDX-License-Identifier: MIT
 *
 * refused.c - see refused.h.
 */
#include "platform/linux/os/refused.h"

#include <signal.h>
#include <string.h>

#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"

/* Asks with signal 0: the kernel sends nothing, and only checks whether it would. */
bool queueing_refused(void)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_code = SI_QUEUE;
    return RAW4(SYS_rt_tgsigqueueinfo, own_pid(), own_tid(), 0, &info) != 0;
}
