/* SPDX-License-Identifier: MIT
 *
 * signal_state.c - the masks and queues of all workers and schedulers.
 *
 * signals_lock covers everything here. `due` tells a worker of a signal. The worker clears it under
 * the lock before it reads its queue, so it misses none.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "platform/chain.h"
#include "platform/linux/current.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/refused.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_newborn.h"
#include "platform/linux/signals/kept_action.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/signals/signal_taking.h"
#include "platform/linux/signals/signal_wanted.h"
#include "platform/linux/signals/worker_signals.h"

_Static_assert(SIGNAL_FIRST_QUEUED == SIGNAL_SETXID + 1, "real-time signals are queued");

static struct queued_signal room[SIGNAL_QUEUE_ROOM], *free_room;
static unsigned room_used;

static struct queued_signal *room_take(void)
{
    struct queued_signal *node = free_room;
    if (node)
        free_room = node->next;
    else if (room_used < SIGNAL_QUEUE_ROOM)
        node = &room[room_used++];
    return node;
}

static void room_give(struct queued_signal *node)
{
    node->next = free_room;
    free_room = node;
}

bool signal_action(int number, struct kernel_action *action)
{
    if (RAW4(SYS_rt_sigaction, number, 0, action, 8))
        return false;
    kept_action_tell(number, action);
    return true;
}

bool signal_ignored(int number, const struct kernel_action *action)
{
    return action->handler == (void *)SIG_IGN ||
           (action->handler == (void *)SIG_DFL &&
            (number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT));
}

/* ---- Masks ----------------------------------------------------------------------------------- */

/* Computes `due` anew. */
static void refresh(struct plat_context *context)
{
    struct plat_signals *own = &context->signals;
    bool due = own->pending & ~*mask_of(context);
    if (due == atomic_load_explicit(&own->due, memory_order_relaxed))
        return;
    atomic_store_explicit(&own->due, due, memory_order_relaxed);
    if (!context->is_scheduler)
        engine_core->worker_signalled(context, due);
}

void mask_change(struct plat_context *context, uint64_t mask)
{
    uint64_t *own = mask_of(context), old = *own;
    mask &= ~SIGNALS_UNTOUCHED;
    if (atomic_load_explicit(&context->signals.listed, memory_order_relaxed)) {
        signals_count_mask(context, old, old ^ mask, -1);
        signals_count_mask(context, mask, old ^ mask, 1);
    }
    *own = mask;
    refresh(context);
}

void signals_join(struct plat_context *context)
{
    struct plat_signals *own = &context->signals;
    memset(own, 0, sizeof *own);
    own->end = &own->first;
    *mask_of(context) &= ~SIGNALS_UNTOUCHED;
    own->start_mask = *mask_of(context);
    if (signals_newborn(context))
        signals_poke();
}

/* Only the first thread may queue a signal as sent by kill() or by the kernel (else EPERM). Any
 * other thread queues it as sent by sigqueue, with the same sender. If the user's queue is full, or
 * a sandbox refuses the call, the signal is sent without its sender. */
void signal_give_back(const siginfo_t *info)
{
    long self = own_pid();
    siginfo_t queued = *info;
    long r = RAW3(SYS_rt_sigqueueinfo, self, info->si_signo, info);
    queued.si_code = SI_QUEUE;
    if (r == -EPERM)
        r = RAW3(SYS_rt_sigqueueinfo, self, info->si_signo, &queued);
    if (r == -EAGAIN || call_was_refused(r))
        RAW2(SYS_kill, self, info->si_signo);
}

void signals_leave(struct plat_context *context)
{
    struct plat_signals *own = &context->signals;
    if (signals_gone_newborn(context))
        return;
    signals_enter();
    if (!atomic_load_explicit(&own->listed, memory_order_relaxed)) {
        plat_unlock(&signals_lock);
        return;
    }
    CHAIN_REMOVE(&signals_all, context, signals.next, signals.previous);
    signals_count_mask(context, *mask_of(context), ~0ull, -1);
    atomic_store_explicit(&own->listed, false, memory_order_relaxed);
    struct queued_signal *node = own->first;
    own->first = NULL;
    own->end = &own->first;
    own->pending = 0;
    own->queued = 0;
    refresh(context);
    plat_unlock(&signals_lock);
    while (node) {
        struct queued_signal *next = node->next;
        if (node->of_process)
            signal_give_back(&node->info);
        else if (context->is_scheduler) /* its thread, which calls, goes on as a plain one */
            RAW3(SYS_tgkill, own_pid(), context->tid, node->info.si_signo);
        signals_enter();
        room_give(node);
        plat_unlock(&signals_lock);
        node = next;
    }
}

/* Takes pending signals before it changes the mask. Until then the signal thread takes none of
 * them, so queued signals keep their order. */
void signals_replace_mask(struct plat_context *self, uint64_t mask)
{
    uint64_t opened = *mask_of(self) & ~mask;
    if (opened)
        signals_collect(self, opened);
    signals_enter();
    mask_change(self, mask);
    uint64_t wanted = signals_wanted();
    bool grown = wanted & ~signals_active, shrunk = signals_active & ~wanted;
    plat_unlock(&signals_lock);
    if (shrunk)
        signals_sync(0);
    else if (grown)
        signals_poke();
}

/* ---- Queues ---------------------------------------------------------------------------------- */

bool signal_queue(struct plat_context *context, const siginfo_t *info, bool of_process)
{
    struct plat_signals *own = &context->signals;
    uint64_t bit = SIGNAL_BIT(info->si_signo);
    if (info->si_signo < SIGNAL_FIRST_QUEUED && own->pending & bit)
        return true;
    struct queued_signal *node = room_take();
    if (!node)
        return false;
    node->info = *info;
    node->of_process = of_process;
    node->own = !of_process && plat_tls.current == context;
    node->next = NULL;
    *own->end = node;
    own->end = &node->next;
    own->pending |= bit;
    own->queued++;
    refresh(context);
    return true;
}

bool signals_for_home(struct plat_context *context)
{
    uint64_t open = ~*mask_of(context) & ~SIGNAL_BIT(SIGNAL_CANCEL);
    for (struct queued_signal *node = context->signals.first; node; node = node->next)
        if (SIGNAL_BIT(node->info.si_signo) & open &&
            !(context->is_scheduler && (node->own || node->of_process)))
            return true;
    return false;
}

bool signal_dequeue(struct plat_context *context, uint64_t set, siginfo_t *info,
                    bool *sent_to_itself)
{
    struct plat_signals *own = &context->signals;
    uint64_t among = own->pending & set;
    if (!among)
        return false;
    int number = __builtin_ctzll(among) + 1;
    bool found = false, more = false;
    for (struct queued_signal **link = &own->first; *link;) {
        struct queued_signal *node = *link;
        if (node->info.si_signo != number || found) {
            more |= node->info.si_signo == number;
            link = &node->next;
            continue;
        }
        *info = node->info;
        *link = node->next;
        found = true;
        if (sent_to_itself)
            *sent_to_itself = node->own;
        own->queued--;
        room_give(node);
    }
    own->end = &own->first;
    while (*own->end)
        own->end = &(*own->end)->next;
    if (!more)
        own->pending &= ~SIGNAL_BIT(number);
    refresh(context);
    return true;
}

void signals_discard(int number)
{
    siginfo_t unused;
    signals_enter();
    for (struct plat_context *context = signals_all.first; context; context = context->signals.next)
        while (signal_dequeue(context, SIGNAL_BIT(number), &unused, NULL))
            ;
    plat_unlock(&signals_lock);
}

void signals_collect(struct plat_context *context, uint64_t set)
{
    struct signal_round round = {
        .set = set & ~(SIGNALS_UNTOUCHED | (stop_signal ? SIGNAL_BIT(stop_signal) : 0))};
    siginfo_t info;
    bool queued = true;
    while (queued && signal_take(&round, &info)) {
        signals_enter();
        queued = signal_queue(context, &info, true);
        plat_unlock(&signals_lock);
        if (!queued)
            signal_give_back(&info);
    }
}

void signal_info_tkill(siginfo_t *info, int number)
{
    memset(info, 0, sizeof *info);
    info->si_signo = number;
    info->si_code = SI_TKILL;
    info->si_pid = own_pid();
    info->si_uid = (uid_t)RAW0(SYS_getuid);
}

/* In a child after fork: pending signals stay with the parent. This does not walk the lists: the
 * parent's other threads ran while its pages were copied, so the pages may be of different
 * moments. */
void signals_forget(struct plat_context *self)
{
    signals_wanted_forget();
    signals_newborn_forget();
    if (self) { /* it may call signals_leave */
        atomic_store_explicit(&self->signals.listed, false, memory_order_relaxed);
        atomic_store_explicit(&self->signals.newborn, 0, memory_order_relaxed);
    }
    signals_all.first = signals_all.last = NULL;
    free_room = NULL;
    room_used = 0;
}
