/* SPDX-License-Identifier: MIT
 *
 * kept_action.c - see kept_action.h.
 *
 * A thread that changes an action writes under the lock, with every signal blocked that could come to it here. The
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
#include "platform/linux/signals/kept_action.h"
#include "platform/linux/signals/worker_signals.h"

enum { PLACES = 64 };

struct kept {
    void (*handler)(int, siginfo_t *, void *);
    struct sigaction places[PLACES];
    _Atomic unsigned now;
};

static struct plat_lock lock;
static struct kept of_sys, of_segv;
static _Atomic uint64_t taken; /* one bit for each kept signal */
static uint64_t masked[NSIG];  /* by fault: the kept signals that the mask of its handler has */

uint64_t kept_signals(void)
{
    return atomic_load_explicit(&taken, memory_order_acquire);
}

bool is_kept(int number)
{
    return number > 0 && number < NSIG && kept_signals() & SIGNAL_BIT(number);
}

static struct kept *kept_of(int number)
{
    return number == SIGSYS ? &of_sys : &of_segv;
}

const struct sigaction *kept_action(int number)
{
    struct kept *kept = kept_of(number);
    return &kept->places[atomic_load_explicit(&kept->now, memory_order_acquire)];
}

static void keep(struct kept *kept, const struct sigaction *action)
{
    unsigned next = (atomic_load_explicit(&kept->now, memory_order_relaxed) + 1) % PLACES;
    kept->places[next] = *action;
    atomic_store_explicit(&kept->now, next, memory_order_release);
}

/* A handler for stack overflows needs the alternate stack already for the library's. Carriers have none in the kernel
 * while SIGSEGV is kept (sigaltstack, signal_front.c). */
static int install(int number, const struct kept *kept, int flags)
{
    struct sigaction own = {.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    own.sa_sigaction = kept->handler;
    if (number == SIGSEGV)
        own.sa_flags |= flags & SA_ONSTACK;
    return LIBC(sigaction)(number, &own, NULL);
}

/* With the lock. */
static int change_kept(int number, const struct sigaction *action, struct sigaction *old)
{
    struct kept *kept = kept_of(number);
    struct sigaction before = *kept_action(number);
    if (action) {
        keep(kept, action);
        if ((action->sa_flags ^ before.sa_flags) & SA_ONSTACK)
            install(number, kept, action->sa_flags);
    }
    if (old)
        *old = before;
    return 0;
}

/* With the lock. */
static int change_fault(int number, const struct sigaction *action, struct sigaction *old)
{
    uint64_t were = masked[number], set, kept = kept_signals();
    struct sigaction open;
    if (action) {
        open = *action;
        memcpy(&set, &open.sa_mask, sizeof set);
        kept &= set;
        set &= ~kept;
        memcpy(&open.sa_mask, &set, sizeof set);
    }
    int result = LIBC(sigaction)(number, action ? &open : NULL, old);
    if (result)
        return result;
    if (old) {
        memcpy(&set, &old->sa_mask, sizeof set);
        set |= were;
        memcpy(&old->sa_mask, &set, sizeof set);
    }
    if (action)
        masked[number] = kept;
    return 0;
}

int kept_action_change(int number, const struct sigaction *action, struct sigaction *old)
{
    if (!kept_signals() || number <= 0 || number >= NSIG ||
        !(SIGNAL_BIT(number) & SIGNALS_OF_FAULTS))
        return LIBC(sigaction)(number, action, old);
    struct sigaction wanted;
    sigset_t mask;
    if (action)
        wanted = *action; /* `old` may be the same */
    signals_block(&mask);
    plat_lock(&lock);
    int result =
        (is_kept(number) ? change_kept : change_fault)(number, action ? &wanted : NULL, old);
    plat_unlock(&lock);
    signals_restore(&mask);
    return result;
}

void kept_action_tell(int number, struct kernel_action *action)
{
    if (is_kept(number)) {
        const struct sigaction *own = kept_action(number);
        action->handler = (void *)own->sa_handler;
        action->flags = (unsigned)own->sa_flags;
        memcpy(&action->mask, &own->sa_mask, sizeof action->mask);
    } else if (number > 0 && number < NSIG) {
        action->mask |= masked[number];
    }
}

/* What the program has set, of a signal whose action the kernel has. */
static bool read_action(int number, struct sigaction *action)
{
    uint64_t set;
    if (LIBC(sigaction)(number, NULL, action))
        return false;
    memcpy(&set, &action->sa_mask, sizeof set);
    set |= masked[number];
    memcpy(&action->sa_mask, &set, sizeof set);
    return true;
}

bool kept_action_take(int number, void (*handler)(int, siginfo_t *, void *))
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    struct kept *kept = kept_of(number);
    struct sigaction before;
    plat_lock(&lock);
    bool mine = is_kept(number);
    if (!mine && read_action(number, &before)) {
        kept->handler = handler;
        keep(kept, &before);
        mine = install(number, kept, before.sa_flags) == 0;
        if (mine)
            atomic_fetch_or_explicit(&taken, SIGNAL_BIT(number), memory_order_acq_rel);
        for (size_t i = 0; mine && i < sizeof faults / sizeof *faults; i++)
            if (!is_kept(faults[i]) && read_action(faults[i], &before) &&
                sigismember(&before.sa_mask, number))
                change_fault(faults[i], &before, NULL);
    }
    plat_unlock(&lock);
    return mine;
}
