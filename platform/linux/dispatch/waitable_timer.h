/* SPDX-License-Identifier: MIT
 *
 * waitable_timer.h - timers as dispatcher objects.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_WAITABLE_TIMER_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_WAITABLE_TIMER_H

#include "platform/linux/dispatch/object.h"

/* Not set. NULL: no memory, or no thread for timers. */
struct object *waitable_timer_create(bool manual);

/* Not signalled any more, then signalled at the time and, with a period in nanoseconds, again and
 * again. `apc` (or NULL) is queued to the calling thread each time, with arg and the time of the
 * signal as Windows counts it. 0, or 6: the handle is no timer. */
int waitable_timer_set(void *handle, uint64_t deadline, uint64_t period,
                       void (*apc)(uintptr_t, uintptr_t, uintptr_t), uintptr_t a, uintptr_t b);
/* Leaves the signal as it is. */
int waitable_timer_stop(void *handle);

#endif
