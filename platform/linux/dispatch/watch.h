/* SPDX-License-Identifier: MIT
 *
 * watch.h - waits without a thread: a function is called when an object is signalled.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_WATCH_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct object;

/* Waits for one object and calls fn(arg, result) once, on any thread and with no lock held; fn must
 * not block. fn is called before this returns if there is nothing to wait for. */
struct watch;
struct watch *watch_create(struct object *object, void (*fn)(void *arg, uint32_t result),
                           void *arg);
/* The caller has called proxies_join before, with nothing held (proxy.h). */
void watch_start(struct watch *watch, uint64_t deadline);
/* Stops the watch. False: fn is being called, or was. */
bool watch_stop(struct watch *watch);
void watch_free(struct watch *watch);

#endif
