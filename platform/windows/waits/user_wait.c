/* SPDX-License-Identifier: MIT
 *
 * user_wait.c - see user_wait.h: the common part of all waits in user mode.
 */
#include "platform/windows/waits/user_wait.h"

#include "platform/windows/switch/call_notes.h"
#include "platform/windows/switch/teb_access.h"
#include "platform/windows/waits/alert.h"

enum { NS_OF_TICK = 100, LOOK_AT_CLOCK_NS = 1000000000 };

struct plat_lock wait_lock;

void user_wait_begin(struct plat_context *worker)
{
    worker->wait.place = 0;
    worker->wait.handle = NULL;
    atomic_store_explicit(&worker->wait.how, WAIT_NONE, memory_order_relaxed);
    atomic_store_explicit(&worker->wait.alert, ALERT_REAL, memory_order_release);
}

/* ---- Time ------------------------------------------------------------------------------------ */

static uint64_t clock_now(void)
{
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    return (uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime;
}

/* A program may set the system's clock while a worker waits for a time of that clock. So the
 * deadline is at most LOOK_AT_CLOCK_NS away, and the library looks at the clock again then. */
static uint64_t look_at_clock(const struct user_wait *wait, uint64_t now)
{
    uint64_t clock = clock_now(), time = wait->clock_time;
    uint64_t rest = time > clock ? time - clock : 0;
    return now + (rest < LOOK_AT_CLOCK_NS / NS_OF_TICK ? rest * NS_OF_TICK : LOOK_AT_CLOCK_NS);
}

void user_wait_set_time(struct user_wait *wait, const LARGE_INTEGER *timeout)
{
    if (timeout->QuadPart < 0) {
        uint64_t ticks = -(uint64_t)timeout->QuadPart;
        if (ticks < (uint64_t)INT64_MAX / NS_OF_TICK)
            wait->deadline = plat_now() + ticks * NS_OF_TICK;
        return;
    }
    wait->absolute = true;
    wait->clock_time = (uint64_t)timeout->QuadPart;
    wait->deadline = look_at_clock(wait, plat_now());
}

bool user_wait_expired(struct user_wait *wait, uint64_t now)
{
    if (now < wait->deadline)
        return false;
    if (!wait->absolute)
        return true;
    wait->deadline = look_at_clock(wait, now);
    return wait->deadline <= now;
}

LARGE_INTEGER *user_wait_rest(const struct user_wait *wait, LARGE_INTEGER *rest)
{
    uint64_t now;
    if (wait->deadline == PLAT_FOREVER)
        return NULL;
    if (wait->absolute) {
        rest->QuadPart = (LONGLONG)wait->clock_time;
        return rest;
    }
    now = plat_now();
    rest->QuadPart = now < wait->deadline
                         ? -(LONGLONG)((wait->deadline - now + NS_OF_TICK - 1) / NS_OF_TICK)
                         : 0;
    return rest;
}

/* ---- Leaving and being completed ------------------------------------------------------------- */

bool user_wait(struct plat_context *self, bool (*left)(void *worker))
{
    uint32_t error = plat_last_error();
    self->wait.again = false;
    atomic_store_explicit(&self->wait.how, WAIT_ENTERING, memory_order_relaxed);
    call_note_leaves(self, DOOR_USER);
    self->deep = true;
    self->left_teb = teb_here();
    bool waited = engine_core->worker_wait(self, left, self);
    self->left_teb = NULL;
    self->deep = false;
    atomic_store_explicit(&self->wait.how, WAIT_NONE, memory_order_relaxed);
    self->in_call = NULL;
    plat_set_last_error(error);
    return waited;
}

void user_wait_complete(struct plat_context *chain)
{
    while (chain) {
        struct plat_context *worker = chain;
        chain = worker->wait.next;
        engine_core->worker_completed(worker);
    }
}
