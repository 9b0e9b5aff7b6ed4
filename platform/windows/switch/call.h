/* SPDX-License-Identifier: MIT
 *
 * call.h - a worker's system call that has to wait, from leaving its scheduler to coming back.
 *
 * In a handler:
 *
 *     struct plat_context *self = call_worker();  NULL: hand on to the original at once
 *     ... try it without waiting; if that settles it, return the result ...
 *     if (call_leave(self, CLASS)) { ... the call itself ...; call_return(self); }
 *
 * Between leave and return the scheduler does other things, on another thread: only the call itself
 * may touch the program's data. The worker arrives on its completion list in call_return, and runs
 * on when it was executed.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_CALL_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_CALL_H

#include "platform/windows/engine.h"
#include "platform/windows/os/originals.h"
#include "platform/windows/switch/short_calls.h"
#include "platform/windows/switch/teb_fence.h"

/* The class of a call says what it waits for: calls.def. */
enum call_class {
    CALL_WAIT,
    CALL_ALERT,
    CALL_DELAY,
    CALL_PORT,
    CALL_FILE,
    CALL_MESSAGE,
    CALL_IDENTITY
};
enum call_completion { CALL_OWN_THREAD, CALL_USER_WAIT, CALL_AT_ONCE };
enum call_place { CALL_HERE, CALL_HOME, CALL_ASKED };
enum call_without { CALL_NEEDED, CALL_SPARED };

/* The columns of calls.def as constants for the handlers, such as CLASS_OF_NtReadFile. */
#define CALL(stub, class, completion, place, without)                                              \
    static const enum call_class CLASS_OF_##stub __attribute__((unused)) = CALL_##class;           \
    static const enum call_completion COMPLETION_OF_##stub __attribute__((unused)) =               \
        CALL_##completion;                                                                         \
    static const enum call_place PLACE_OF_##stub __attribute__((unused)) = CALL_##place;
#include "platform/windows/calls.def"
#undef CALL

/* The calling worker, if its scheduler may be told that it waits. */
static inline struct plat_context *call_worker(void)
{
    struct plat_context *self = plat_current();
    if (UMS_LIKELY(!self || self->is_scheduler || self->inside) ||
        UMS_UNLIKELY(teb_fence_is_mine(self) || short_call_is_made(self)))
        return NULL;
    return UMS_LIKELY(!atomic_load_explicit(&engine_over, memory_order_relaxed)) ? self : NULL;
}

/* The worker goes home and its scheduler is entered with Blocked. False: that is not possible; the
 * handler makes the call all the same. */
bool call_leave(struct plat_context *self, enum call_class class);
/* The same, when the scheduler went on by itself because the worker's call took long. */
void call_was_left(struct plat_context *self);
void call_return(struct plat_context *self);

static inline bool call_has_no_time(const LARGE_INTEGER *timeout)
{
    return timeout && timeout->QuadPart == 0;
}

#endif
