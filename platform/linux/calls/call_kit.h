/* SPDX-License-Identifier: MIT
 *
 * call_kit.h - functions that the operations of several calls use, in each of their stages
 * (call_ops.h).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_CALL_KIT_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_CALL_KIT_H

#include <fcntl.h>
#include <sys/stat.h>

#include "platform/linux/os/refused.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"

struct call;

static inline enum outcome call_done(struct call *call, long result)
{
    call->result = result;
    return CALL_DONE;
}

/* The system call with the program's arguments. */
long call_as_it_stands(const struct call *call);
/* The call on a helper thread. */
long call_block(struct call *call);

/* As call_was_refused, for an answer of io_uring, which lacks some calls that the kernel has. */
static inline bool ring_refused(long result)
{
    return result == -EINVAL || result == -EOPNOTSUPP || call_was_refused(result);
}

/* Whether the call waits while its file is not ready: else EAGAIN is the program's answer. The open
 * file's mode says so when the call begins. The kernel does not look again, so nobody asks for the
 * mode of a call in flight, which waits. */
bool call_may_wait(const struct call *call);
/* A regular file, a directory or a block device: no signal ends a wait there. */
static inline bool mode_is_disk_file(mode_t mode)
{
    return S_ISREG(mode) || S_ISDIR(mode) || S_ISBLK(mode);
}
bool fd_stat(int fd, struct stat *file);
bool fd_is_disk_file(int fd);

/* Turn a timespec of the program's into call->deadline: a relative one, or an absolute one by the
 * clock that `realtime` names. 0, -EFAULT or -EINVAL. NULL is for ever. A relative time counts from
 * the call's first attempt: a deadline that is there stays. */
int deadline_after(struct call *call, const void *timespec);
int deadline_at(struct call *call, const void *timespec, bool realtime);
void deadline_in_ms(struct call *call, long ms);        /* negative: for ever */
uint64_t deadline_left(const struct call *call);        /* nanoseconds until call->deadline */
struct timespec deadline_rest(const struct call *call); /* the same */
/* Sets the deadline from the socket's own time-out (SO_RCVTIMEO, SO_SNDTIMEO), if it has one. */
void deadline_of_socket(struct call *call, int fd, int option);
/* The same for a call that waits for readiness: its direction says which of the two time-outs. */
void deadline_of_wait(struct call *call, int fd);

#endif
