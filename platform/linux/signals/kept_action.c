/* SPDX-License-Identifier: MIT
 *
 * kept_action.c - see kept_action.h.
 *
 * A thread that changes an action writes under the lock, with all signals blocked that could
 * interrupt it. The handler reads without the lock, since it may have interrupted any thread. So
 * each version of the program's action has a place of its own, and `now` names the newest. A place
 * is written again only after many changes.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#pragma GCC visibility pop

#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_memory.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/kept_action.h"

enum { PLACES = 64, KEPT = 7, KERNEL_SET = 8 };

struct kept {
    void (*handler)(int, siginfo_t *, void *);
    bool always;
    struct sigaction places[PLACES];
    _Atomic unsigned now;
};

static PLAT_LOCK(ACTIONS) lock;
static struct kept all[KEPT];
static _Atomic uint64_t taken; /* one bit for each kept signal */
static void *restorer;

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
    switch (number) {
    case SIGSYS:
        return &all[0];
    case SIGSEGV:
        return &all[1];
    case SIGBUS:
        return &all[2];
    case SIGFPE:
        return &all[3];
    case SIGILL:
        return &all[4];
    case SIGTRAP:
        return &all[5];
    default:
        return &all[6]; /* SIGABRT */
    }
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

/* Gives the kernel the library's handler, which runs on the alternate stack (libc/signal_frame.h),
 * or the program's default action. It makes the system call itself: that of libc's function would
 * be trapped on a carrier. */
static int install(int number, const struct kept *kept, const struct sigaction *wanted)
{
    enum { HAS_RESTORER = 0x04000000, FIXED = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
    bool standard = wanted->sa_handler == SIG_DFL || wanted->sa_handler == SIG_IGN;
    struct kernel_action own = {.restorer = restorer, .flags = HAS_RESTORER};
    if (standard && !kept->always) {
        own.handler = (void *)wanted->sa_handler;
    } else {
        own.handler = (void *)kept->handler;
        bool restarts = standard || number == SIGSYS; /* traps/messenger.c */
        own.flags |= (unsigned)(FIXED | (restarts ? SA_RESTART : wanted->sa_flags & SA_RESTART));
    }
    long error = RAW4(SYS_rt_sigaction, number, &own, 0, KERNEL_SET);
    errno = error ? (int)-error : errno;
    return error ? -1 : 0;
}

/* Installs a handler by libc's function and reads the return address that libc gave the kernel:
 * unwinders know a signal's frame by the code there. */
static bool find_restorer(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction own = {.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART};
    struct kernel_action told;
    own.sa_sigaction = handler;
    if (LIBC(sigaction)(number, &own, NULL) || RAW4(SYS_rt_sigaction, number, 0, &told, KERNEL_SET))
        return false;
    restorer = told.restorer;
    return true;
}

/* With the lock. The handler may run before the kernel knows of the change: it finds the new
 * action. */
static int change(int number, const struct sigaction *action, struct sigaction *old)
{
    struct kept *kept = kept_of(number);
    struct sigaction before = *kept_action(number);
    if (action) {
        keep(kept, action);
        if (install(number, kept, action)) {
            keep(kept, &before);
            return -1;
        }
    }
    if (old)
        *old = before;
    return 0;
}

static int change_in_vfork(int number, const struct sigaction *action, struct sigaction *old)
{
    struct sigaction before;
    if (LIBC(sigaction)(number, action, &before))
        return -1;
    if (old)
        *old = before.sa_sigaction == kept_of(number)->handler ? *kept_action(number) : before;
    return 0;
}

int kept_action_change(int number, const struct sigaction *action, struct sigaction *old)
{
    if (!is_kept(number))
        return LIBC(sigaction)(number, action, old);
    if (own_memory_is_anothers())
        return change_in_vfork(number, action, old);
    struct sigaction wanted;
    sigset_t mask;
    if (action)
        wanted = *action; /* `old` may be the same */
    signals_block(&mask);
    plat_lock(&lock);
    int result = change(number, action ? &wanted : NULL, old);
    plat_unlock(&lock);
    signals_restore(&mask);
    return result;
}

/* Flags and mask stay, as in the kernel. */
void kept_action_spend(int number)
{
    struct sigaction standard = *kept_action(number);
    standard.sa_handler = SIG_DFL;
    kept_action_change(number, &standard, NULL);
}

void kept_action_tell(int number, struct kernel_action *action)
{
    if (!is_kept(number))
        return;
    const struct sigaction *own = kept_action(number);
    action->handler = (void *)own->sa_handler;
    action->flags = (unsigned)own->sa_flags;
    memcpy(&action->mask, &own->sa_mask, sizeof action->mask);
}

bool kept_action_take(int number, void (*handler)(int, siginfo_t *, void *), bool always)
{
    struct kept *kept = kept_of(number);
    struct sigaction before;
    plat_lock(&lock);
    bool mine = is_kept(number);
    if (mine && always && !kept->always) { /* a scheduler took it; now a filter wants it always */
        kept->handler = handler;
        kept->always = true;
        mine = install(number, kept, kept_action(number)) == 0;
    }
    if (!mine && LIBC(sigaction)(number, NULL, &before) == 0) {
        kept->handler = handler;
        kept->always = always;
        keep(kept, &before);
        mine = (restorer || find_restorer(number, handler)) && install(number, kept, &before) == 0;
        if (mine)
            atomic_fetch_or_explicit(&taken, SIGNAL_BIT(number), memory_order_acq_rel);
    }
    plat_unlock(&lock);
    return mine;
}
