/* SPDX-License-Identifier: MIT
 *
 * call_flush.c - fsync and fdatasync: the ring's.
 */
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/ring.h"
#include "platform/linux/plat_types.h"

static enum outcome attempt_fsync(struct call *call)
{
    /* The kernel refuses a bad descriptor, or a file that cannot be flushed, without waiting. */
    return fd_is_disk_file((int)call->args[0]) ? CALL_WAIT : CALL_PASS;
}

static bool submit_fsync(struct call *call, struct io_uring_sqe *sqe)
{
    ring_prepare(sqe, IORING_OP_FSYNC, call->args[0], NULL, 0, 0,
                 call->entry->nr == SYS_fdatasync ? IORING_FSYNC_DATASYNC : 0);
    return true;
}

static enum outcome answered_plain(struct call *call, int result)
{
    return call_done(call, result);
}

const struct call_ops ops_fsync = {
    .attempt = attempt_fsync, .submit = submit_fsync, .answered = answered_plain};
