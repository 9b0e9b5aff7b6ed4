/* SPDX-License-Identifier: MIT
 *
 * errand.c - a system call, or a function of libc's, that a home thread makes for its context.
 *
 * The kernel keeps some states for the calling kernel thread, as its name or the
 * priority-inheriting futexes that it holds. A context is on another carrier after every block, but
 * it keeps its home. So the home makes calls about such states, with the arguments as they stand.
 *
 * The errand lies on the stack of the thread that asks for it, and stays there until `done`. A home
 * has one errand at a time: a context makes one call at a time, and does not end in the middle of a
 * call.
 *     asker   home->errand = the errand, home->word PARKED -> ERRAND (release), wakes the home
 *     home    word ERRAND -> PARKED, makes the call, result, done (release), wakes the asker
 * The home uses no thread-local variable here, because its context uses the same thread pointer
 * elsewhere. A function of libc's (unseen.c) does use libc's variables; its worker waits meanwhile
 * and uses none.
 */
#include <time.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/current.h"
#include "platform/linux/interrupt/home_run.h"
#include "platform/linux/switch/home.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/traps/errand.h"
#include "platform/platform.h"

struct errand {
    int nr;
    home_function *function; /* NULL: the system call */
    const long *args;
    long result;
    _Atomic uint32_t done; /* futex */
};

static void run_errand(struct home *home)
{
    struct errand *errand = home->errand;
    const long *a = errand->args;
    atomic_store_explicit(&home->word, HOME_PARKED, memory_order_relaxed);
    errand->result = errand->function ? errand->function(a)
                                      : raw_syscall(errand->nr, a[0], a[1], a[2], a[3], a[4], a[5]);
    atomic_store_explicit(&errand->done, 1, memory_order_release);
    futex_wake(&errand->done, 1); /* from `done` on the errand may be gone */
}

uint32_t home_park(struct home *home)
{
    for (;;) {
        uint32_t word = atomic_load_explicit(&home->word, memory_order_acquire);
        if (word == HOME_PARKED)
            futex_wait(&home->word, HOME_PARKED);
        else if (word == HOME_ERRAND)
            run_errand(home);
        else if (word != HOME_SIGNALS || (word = home_run_handlers(home)) != HOME_PARKED)
            return word;
    }
}

static long send_home(struct plat_context *context, struct errand errand)
{
    struct home *home = context->home;
    home->errand = &errand;
    home->errands = true;
    atomic_store_explicit(&home->word, HOME_ERRAND, memory_order_release);
    futex_wake(&home->word, 1);
    while (!atomic_load_explicit(&errand.done, memory_order_acquire))
        futex_wait(&errand.done, 0);
    return errand.result;
}

long home_run(struct plat_context *context, home_function *function, const long *args)
{
    return send_home(context, (struct errand){.function = function, .args = args});
}

static long home_call(struct plat_context *context, const struct call *call)
{
    return send_home(context, (struct errand){.nr = call->entry->nr, .args = call->args});
}

enum outcome call_at_home(struct call *call)
{
    return call_done(call, home_call(call_worker(call), call));
}

/* Has the context's home make the call. A helper waits, or the worker's own thread. */
static long block_at_home(struct call *call)
{
    return home_call(call_worker(call), call);
}

/* ---- States of a task (call_task.c); keys may wait for other processes ----------------------- */

static enum outcome attempt_nothing(struct call *call)
{
    (void)call;
    return CALL_HELPER;
}

const struct call_ops ops_home = {.attempt = call_at_home};
const struct call_ops ops_home_waits = {.attempt = attempt_nothing, .block = block_at_home};

/* ---- futex: the kernel writes the caller's thread id into the word ---------------------------
 * ----------------- */

enum outcome attempt_futex_pi(struct call *call)
{
    int op = (int)call->args[1] & FUTEX_CMD_MASK;
    if (op == FUTEX_UNLOCK_PI || op == FUTEX_TRYLOCK_PI)
        return call_at_home(call);
    return CALL_HELPER; /* another thread may hold the lock: this may wait */
}

long block_futex(struct call *call)
{
    const long *a = call->args;
    int op = (int)a[1] & FUTEX_CMD_MASK;
    if (op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2 || op == FUTEX_WAIT_REQUEUE_PI)
        return block_at_home(call);
    /* The call has waited already: a part of its relative time-out is over. So the helper waits
     * until the call's deadline. */
    struct timespec until = {(time_t)(call->deadline / 1000000000u),
                             (long)(call->deadline % 1000000000u)};
    if (op == FUTEX_WAIT && call->deadline != PLAT_FOREVER)
        return RAW6(SYS_futex, a[0], FUTEX_WAIT_BITSET | (a[1] & FUTEX_PRIVATE_FLAG), a[2], &until,
                    0, FUTEX_BITSET_MATCH_ANY);
    return RAW6(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ---- A function: args[0] is the function, the rest are its arguments -------------------------
 * ------------------------------------------ */

static long block_in_function(struct call *call)
{
    home_function *function = (home_function *)call->args[0];
    return send_home(call_worker(call),
                     (struct errand){.function = function, .args = call->args + 1});
}

static const struct call_ops ops_function = {.block = block_in_function};
const struct call_row home_function_call = {
    .nr = -1, .signal = SIGNAL_STAYS, .name = "a function", .ops = &ops_function};
