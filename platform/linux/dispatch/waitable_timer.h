/* SPDX-License-Identifier: MIT
 *
 * waitable_timer.h - timers as dispatcher objects.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_WAITABLE_TIMER_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_WAITABLE_TIMER_H

#include "platform/linux/dispatch/object.h"

/* Makes a timer that is not set. NULL: no memory, or no thread for timers. */
struct object *waitable_timer_create(bool manual);

/* Clears the timer's signal, and signals it at the deadline and, with a period in nanoseconds,
 * again and again. Queues `apc` (unless NULL) to the calling thread each time, with a, b and the
 * time of the signal as Windows counts it. 0, or 6: the handle is no timer. */
int waitable_timer_set(void *handle, uint64_t deadline, uint64_t period,
                       void (*apc)(uintptr_t, uintptr_t, uintptr_t), uintptr_t a, uintptr_t b);
/* Stops the timer; its signal stays as it is. */
int waitable_timer_stop(void *handle);

#endif
