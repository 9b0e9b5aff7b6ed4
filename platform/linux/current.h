/* SPDX-License-Identifier: MIT
 *
 * current.h - who runs here: the calling thread's block and another's, whether a thread is a
 * worker's or a scheduler's, and whether the engine has threads.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CURRENT_H
#define UMSSHIM_PLATFORM_LINUX_CURRENT_H

#include <stdatomic.h>
#include <stddef.h>

#include "platform/check.h"
#include "platform/container_of.h"
#include "platform/platform.h"
#include "platform/linux/plat_types.h"

extern const struct plat_core *engine_core;
extern _Atomic bool engine_threads;
/* The engine has begun to make its threads. */
static inline bool engine_runs(void)
{
    return atomic_load_explicit(&engine_threads, memory_order_acquire);
}

static inline uintptr_t thread_pointer(void)
{
    return (uintptr_t)__builtin_thread_pointer();
}

/* The library's thread-local block of the thread with this control block. The distance between the
 * two is the same in every thread. */
static inline struct plat_tls *tls_at(uintptr_t control_block)
{
    return (struct plat_tls *)(control_block + ((uintptr_t)&plat_tls - thread_pointer()));
}

static inline struct plat_context *call_worker(struct call *call)
{
    return CONTAINER_OF(call, struct plat_context, call);
}

/* Whether the caller is a scheduler on a carrier, or a worker that has not ended. */
static inline bool carried(void)
{
    struct plat_context *self = plat_tls.current;
    return __builtin_expect(self != NULL, 0) &&
           (self->is_scheduler ? self->runs.carrier != NULL : self->scheduler != NULL);
}

#endif
