/* SPDX-License-Identifier: MIT
 *
 * call_signal.c - see call_signal.h.
 */
#include <sys/socket.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/call_signal.h"
#include "platform/platform.h"

bool call_interruptible(const struct call *call)
{
    switch (call->entry->signal) {
    case SIGNAL_STAYS:
        return false;
    case SIGNAL_READS:
    case SIGNAL_WRITES:
        return !fd_is_disk_file((int)call->args[0]);
    default:
        return true;
    }
}

static bool socket_waits_forever(const struct call *call, int option)
{
    struct call limit = {.deadline = PLAT_FOREVER};
    deadline_of_socket(&limit, (int)call->args[0], option);
    return limit.deadline == PLAT_FOREVER;
}

bool call_restarts(const struct call *call)
{
    switch (call->entry->signal) {
    case SIGNAL_ENDS:
        return false;
    case SIGNAL_UNTIMED:
        return call->deadline == PLAT_FOREVER;
    case SIGNAL_RECEIVES:
    case SIGNAL_READS:
        return socket_waits_forever(call, SO_RCVTIMEO);
    case SIGNAL_SENDS:
    case SIGNAL_WRITES:
        return socket_waits_forever(call, SO_SNDTIMEO);
    default:
        return true;
    }
}

/* The other calls with a deadline have it from their socket, whose time-out holds for each wait. */
bool call_keeps_deadline(const struct call *call)
{
    return call->entry->signal == SIGNAL_ENDS || call->entry->signal == SIGNAL_UNTIMED;
}
