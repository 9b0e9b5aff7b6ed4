/* SPDX-License-Identifier: MIT
 *
 * attempt_ring.h - attempts of calls that have no form of their own that does not wait: accept,
 * connect.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_ATTEMPT_RING_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_ATTEMPT_RING_H

#include <stdbool.h>

struct io_uring_sqe;
struct lane;

/* Makes the call that the request describes, as far as that goes without waiting. Any thread of the
 * lane, several at once. True: *result is the call's; -ECANCELED or -EINTR, it would have to wait,
 * and nobody waits. False: the system has no such way, and nothing was done. */
bool attempt_by_ring(struct lane *lane, const struct io_uring_sqe *request, int *result);
void attempt_ring_forget(struct lane *lane); /* in a child after fork */

#endif
