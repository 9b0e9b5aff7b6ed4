/* SPDX-License-Identifier: MIT
 *
 * sys_action.c - see sys_action.h.
 *
 * A thread that changes the action writes under the lock, with every signal blocked that could come to it here. The
 * handler reads without the lock, since it may have interrupted any thread. So each version of the program's action
 * has a place of its own, and `now` names the newest. A place is written again only after many changes.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#pragma GCC visibility pop

#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/signals/sys_action.h"
#include "platform/linux/signals/worker_signals.h"

enum { PLACES = 64 };

static struct plat_lock lock;
static struct sigaction places[PLACES];
static _Atomic unsigned now;
static _Atomic bool taken;
static uint64_t masked; /* faults whose handlers' masks have SIGSYS */

bool sys_action_taken(void)
{
    return atomic_load_explicit(&taken, memory_order_acquire);
}

const struct sigaction *sys_action_programs(void)
{
    return &places[atomic_load_explicit(&now, memory_order_acquire)];
}

static void keep(const struct sigaction *action)
{
    unsigned next = (atomic_load_explicit(&now, memory_order_relaxed) + 1) % PLACES;
    places[next] = *action;
    atomic_store_explicit(&now, next, memory_order_release);
}

static bool is_fault(int number)
{
    return number != SIGSYS && SIGNAL_BIT(number) & SIGNALS_OF_FAULTS;
}

/* With the lock. */
static int change_fault(int number, const struct sigaction *action, struct sigaction *old)
{
    bool was = masked & SIGNAL_BIT(number);
    struct sigaction open;
    if (action) {
        open = *action;
        sigdelset(&open.sa_mask, SIGSYS);
    }
    int result = LIBC(sigaction)(number, action ? &open : NULL, old);
    if (result)
        return result;
    if (old && was)
        sigaddset(&old->sa_mask, SIGSYS);
    if (action && sigismember(&action->sa_mask, SIGSYS))
        masked |= SIGNAL_BIT(number);
    else if (action)
        masked &= ~SIGNAL_BIT(number);
    return 0;
}

int sys_action_change(int number, const struct sigaction *action, struct sigaction *old)
{
    if (!sys_action_taken() || number <= 0 || number >= NSIG ||
        !(SIGNAL_BIT(number) & SIGNALS_OF_FAULTS))
        return LIBC(sigaction)(number, action, old);
    struct sigaction wanted, before;
    sigset_t mask;
    int result = 0;
    if (action)
        wanted = *action; /* `old` may be the same */
    signals_block(&mask);
    plat_lock(&lock);
    if (is_fault(number)) {
        result = change_fault(number, action ? &wanted : NULL, old);
    } else {
        before = *sys_action_programs();
        if (action)
            keep(&wanted);
        if (old)
            *old = before;
    }
    plat_unlock(&lock);
    signals_restore(&mask);
    return result;
}

void sys_action_tell(int number, struct kernel_action *action)
{
    if (!sys_action_taken())
        return;
    if (number == SIGSYS) {
        const struct sigaction *own = sys_action_programs();
        action->handler = (void *)own->sa_handler;
        action->flags = (unsigned)own->sa_flags;
        memcpy(&action->mask, &own->sa_mask, sizeof action->mask);
    } else if (number > 0 && number < NSIG && masked & SIGNAL_BIT(number)) {
        action->mask |= SIGNAL_BIT(SIGSYS);
    }
}

bool sys_action_take(void (*handler)(int, siginfo_t *, void *))
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    struct sigaction own = {.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART}, old;
    own.sa_sigaction = handler;
    plat_lock(&lock);
    bool mine = sys_action_taken();
    if (!mine && LIBC(sigaction)(SIGSYS, &own, &old) == 0) {
        keep(&old);
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
            if (LIBC(sigaction)(faults[i], NULL, &old) == 0 && sigismember(&old.sa_mask, SIGSYS))
                change_fault(faults[i], &old, NULL);
        atomic_store_explicit(&taken, true, memory_order_release);
        mine = true;
    }
    plat_unlock(&lock);
    return mine;
}
