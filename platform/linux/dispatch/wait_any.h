/* SPDX-License-Identifier: MIT
 *
 * wait_any.h - waiting for any of several objects. For the dispatcher's own files.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_WAIT_ANY_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_WAIT_ANY_H

#include "platform/linux/dispatch/wait.h"

/* `wait` is the calling thread's, with as many blocks as the request has handles. */
uint32_t wait_for_any(const struct wait_request *request, struct wait *wait);

#endif
