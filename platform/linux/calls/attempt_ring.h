/* SPDX-License-Identifier: MIT
 *
 * attempt_ring.h - attempts at calls for which the kernel has no form that does not wait: accept,
 * connect.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_ATTEMPT_RING_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_ATTEMPT_RING_H

#include <stdbool.h>

struct io_uring_sqe;
struct lane;

/* Makes the call that the request describes, as far as it goes without waiting. Any thread of the
 * lane may call this, several at once. True: *result is the call's result. -ECANCELED or -EINTR:
 * the call would have to wait, and no request is left. False: there is no ring, and nothing was
 * done. */
bool attempt_by_ring(struct lane *lane, const struct io_uring_sqe *request, int *result);
void attempt_ring_forget(struct lane *lane); /* in a child after fork */

#endif
