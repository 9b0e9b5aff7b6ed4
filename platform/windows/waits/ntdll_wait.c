/* SPDX-License-Identifier: MIT
 *
 * ntdll_wait.c - see ntdll_wait.h.
 */
#include "platform/windows/waits/ntdll_wait.h"

#include "platform/windows/os/ntdll_frames.h"
#include "platform/windows/os/thread_map.h"
#include "platform/windows/switch/inplace.h"
#include "platform/windows/switch/teb_fence.h"

enum { PIECE_NS = 5000000, PATIENCE_NS = 1000000000 };

bool ntdll_wait_is_one(const struct plat_context *self, const void *caller)
{
    if (!ntdll_frames_hold(caller) || (!self->host && inplace_stays_home(self)))
        return false;
    return !ntdll_frames_are_a_programs_wait();
}

/* Whether a worker has the loader's lock, or is in the middle of a load, and no scheduler's thread
 * carries it. A worker that its own thread carries may run, but is taken for one that has left. */
static bool loads_and_has_left(struct plat_context *context, void *self)
{
    if (context == self || context->is_scheduler ||
        __atomic_load_n(&context->host, __ATOMIC_ACQUIRE))
        return false;
    return loader_owner() == context->thread_id ||
           (__atomic_load_n(&context->saved_sp, __ATOMIC_ACQUIRE) && context->values.is_rare &&
            context->values.rare.flags & TEB_BITS_OF_LOADER);
}

struct wait_result
ntdll_wait(struct plat_context *self, HANDLE object, const LARGE_INTEGER *timeout,
           NTSTATUS (*make)(struct plat_context *self, HANDLE object, const LARGE_INTEGER *timeout))
{
    struct user_wait time;
    uint64_t now = plat_now(), patience = now + PATIENCE_NS;
    user_wait_set_deadline(&time, timeout);
    for (; now < patience && !thread_map_any(loads_and_has_left, self); now = plat_now()) {
        LARGE_INTEGER piece = {.QuadPart = -(PIECE_NS / 100)}, rest;
        bool last = time.deadline < now + PIECE_NS;
        NTSTATUS status = make(self, object, last ? user_wait_rest(&time, &rest) : &piece);
        if (status != CALL_STATUS_TIMEOUT || user_wait_expired(&time, plat_now()))
            return (struct wait_result){true, status};
    }
    return (struct wait_result){.done = false};
}
