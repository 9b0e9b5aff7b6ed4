/* SPDX-License-Identifier: MIT
 *
 * known_stream.c - see known_stream.h.
 */
#include "platform/linux/traps/known_stream.h"

#include <errno.h>
#include <sys/socket.h>

#include "platform/linux/os/raw.h"
#include "platform/linux/os/refused.h"

bool known_socket_receives(struct call *call, enum outcome *outcome)
{
    const long *a = call->args;
    long r = RAW6(SYS_recvfrom, a[0], a[1], a[2], MSG_DONTWAIT, 0, 0);
    if (r == -ENOTSOCK || call_was_refused(r)) {
        *stream_place(call) = 0;
        return false;
    }
    *outcome = r == -EAGAIN && call_may_wait(call) ? CALL_WAIT : call_done(call, r);
    return true;
}
