/* SPDX-License-Identifier: MIT
 *
 * own_ring.h - makes rings (io_uring) of the library's own.
 *
 * One thread makes a ring and enters it, no other: the kernel then needs no lock for it. The ring's
 * descriptor is one of own_files.h. A child after fork has no memory of the ring.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_OWN_RING_H
#define UMSSHIM_PLATFORM_LINUX_OS_OWN_RING_H

#include <stdbool.h>

struct io_uring;

/* Makes a ring that loses no answer. False: the kernel or a sandbox refuses to make it or to enter
 * it, or may lose answers. Nothing is left of a ring that is of no use. */
bool own_ring_make(struct io_uring *ring);
void own_ring_forget(struct io_uring *ring); /* in a child after fork */

#endif
