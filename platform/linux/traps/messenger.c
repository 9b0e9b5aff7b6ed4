/* SPDX-License-Identifier: MIT
 *
 * messenger.c - a notification tells of a call, and only the call's own thread makes that call.
 *
 * A is a carrier, W the worker or S the scheduler that it has loaded, R the lane's reactor.
 *
 *     who   does                                             the call is
 *     A     makes it; the filter stops it                    A's: A waits in the kernel
 *     R     receives, and sends A a SIGSYS                   A's
 *     A     for the signal, and because A does not wait      nobody's: it was not made and is to be
 *           killably, the kernel withdraws the               made again
 *           notification
 *     A     in the handler, before all else of W's:          W's, as after a trap: rip is at the
 *           trap_message (libc/trap.c) finds the message     `syscall`, the number in rax
 *     W     goes on as in libc/trap.c, on its own stack      W's
 *
 * R answers no notification, so no answer can be lost, doubled or late. No carrier stays in the
 * kernel for a call that waits: any signal, a debugger or a freezer finds each thread at a place
 * where the thread can stop.
 *
 *     another signal first     It, too, makes the kernel withdraw the notification. Its handler
 *                              runs, and W may leave A in that handler. The call is notified anew
 *                              when W makes it again. R's own signal then finds A at another place
 *                              and is late: trap_message does nothing
 *     two messages for one     The kernel keeps one SIGSYS pending for a thread. A thread with an
 *                              open SIGSYS pending does not wait in a notification. So for each
 *                              thread that waits, R has sent a message after the wait began
 *     A comes to trap          A trap that finds a SIGSYS pending is lost: the kernel drops the
 *                              second one. Then the call that was not made seems to have returned
 *                              its own number, and no code can tell that from a result. So no
 *                              message may be under way to a carrier that traps. A ends its
 *                              messages first (messages_end), and R sends between two changes of
 *                              the same word. R's earlier messages come when A's next system call
 *                              ends: that is the library's own and installs the filter
 *     SIGSYS is blocked        The message stays pending, and A stays in the notification. R looks
 *                              after each message that it has sent (messages_look). If A's mask has
 *                              SIGSYS, R lets the call go on, and it keeps its processor. The
 *                              library sets the carriers' masks and never blocks SIGSYS, but a
 *                              handler may write any mask into the frame that rt_sigreturn gets
 *     what the signal tells    It has the place and the number, as a trap's (siginfo_t). If the
 *                              user's queue of signals is full the kernel sends the signal without
 *                              them; the registers have both. A `kill` from another namespace of
 *                              process numbers looks the same, and any process may send a signal
 *                              that looks like a message. So both sides count: A expects a message
 *                              while R has sent more than have come. If two messages became one,
 *                              the difference stays too high by one. Then a SIGSYS that is no
 *                              message may pass for a late one
 *
 * R lets two kinds of calls go on at once (SECCOMP_USER_NOTIF_FLAG_CONTINUE): calls of threads that
 * carry no context, and a scheduler's calls whose answer does not depend on the thread. A scheduler
 * waits on its carrier.
 */
#include "platform/linux/traps/messenger.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/notify.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/tid_map.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/traps/call_identity.h"
#include "platform/linux/traps/calls.h"
#include "platform/linux/traps/filter.h"
#include "platform/platform.h"

enum { ARRIVES_NS = 5000000 };

/* ---- Messages that do not arrive ------------------------------------------------------------- */

/* Whether the thread blocks SIGSYS. True as well if its status cannot be read. */
static bool blocks_sigsys(pid_t tid)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)tid);
    int fd = (int)RAW3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
    long got = fd < 0 ? -1 : RAW3(SYS_read, fd, text, sizeof text - 1);
    if (fd >= 0)
        RAW1(SYS_close, fd);
    text[got > 0 ? got : 0] = 0;
    const char *line = strstr(text, "\nSigBlk:");
    return !line || strtoull(line + strlen("\nSigBlk:"), NULL, 16) & SIGNAL_BIT(SIGSYS);
}

/* While a thread waits in a notification its mask does not change: one look is enough. */
static void look_at_oldest(struct messages *messages, const struct lane *lane)
{
    const struct message_sent oldest = messages->sent[0];
    messages->count--;
    memmove(messages->sent, messages->sent + 1, messages->count * sizeof *messages->sent);
    if (notify_valid(lane->listener, oldest.id) && blocks_sigsys(oldest.tid))
        notify_continue(lane->listener, oldest.id);
}

uint64_t messages_look(struct messages *messages, const struct lane *lane)
{
    uint64_t now = messages->count ? plat_now() : 0;
    while (messages->count && now >= messages->sent[0].at + ARRIVES_NS)
        look_at_oldest(messages, lane);
    return messages->count ? messages->sent[0].at + ARRIVES_NS - now : 0;
}

static void note(struct messages *messages, const struct lane *lane, const struct notification *n)
{
    if (messages->count == MESSAGES)
        look_at_oldest(messages, lane);
    messages->sent[messages->count++] =
        (struct message_sent){.id = n->id, .at = plat_now(), .tid = (pid_t)n->tid};
}

/* ---- Receiving ------------------------------------------------------------------------------- */

static void send_back(const struct notification *n)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = SIGSYS;
    info.si_errno = TRAP_MARK;
    info.si_code = SI_QUEUE; /* a code of the kernel's own cannot be sent to another thread */
    info.si_call_addr = (void *)n->behind;
    info.si_syscall = n->nr;
    info.si_arch = AUDIT_ARCH_X86_64;
    RAW4(SYS_rt_tgsigqueueinfo, own_pid(), n->tid, SIGSYS, &info);
}

/* A carrier that has ended its messages waits in no notification: the kernel has withdrawn this
 * one. */
static bool send_unless_ended(struct carrier *carrier, const struct notification *n)
{
    uint32_t word = atomic_load_explicit(&carrier->messages, memory_order_relaxed);
    do
        if (word & MESSAGES_ENDED)
            return false;
    while (!atomic_compare_exchange_weak_explicit(&carrier->messages, &word,
                                                  (word + MESSAGE_ONE) | MESSAGES_SENDING,
                                                  memory_order_acq_rel, memory_order_relaxed));
    send_back(n);
    atomic_fetch_and_explicit(&carrier->messages, ~(uint32_t)MESSAGES_SENDING,
                              memory_order_release);
    return true;
}

static bool all_came(const struct carrier *carrier, uint32_t word)
{
    uint32_t came = atomic_load_explicit(&carrier->came, memory_order_relaxed);
    return word / MESSAGE_ONE == came % (UINT32_MAX / MESSAGE_ONE + 1);
}

bool messages_end(struct carrier *carrier)
{
    uint32_t word = atomic_load_explicit(&carrier->messages, memory_order_acquire);
    do
        if (word & MESSAGES_ENDED || (word & MESSAGES_SENDING && !all_came(carrier, word)))
            return false;
    while (!atomic_compare_exchange_weak_explicit(&carrier->messages, &word, word | MESSAGES_ENDED,
                                                  memory_order_acquire, memory_order_acquire));
    return true;
}

void messages_resume(struct carrier *carrier)
{
    atomic_fetch_and_explicit(&carrier->messages, ~(uint32_t)MESSAGES_ENDED, memory_order_release);
}

bool message_came(void)
{
    struct carrier *carrier = tid_carrier(own_tid());
    if (!carrier ||
        all_came(carrier, atomic_load_explicit(&carrier->messages, memory_order_acquire)))
        return false;
    atomic_fetch_add_explicit(&carrier->came, 1, memory_order_relaxed);
    return true;
}

bool message_may_come(void)
{
    const struct carrier *carrier = tid_carrier(own_tid());
    return !(atomic_load_explicit(&carrier->messages, memory_order_relaxed) & MESSAGES_ENDED);
}

static bool goes_on(const struct carrier *carrier, const struct notification *n)
{
    if (!carrier || (!carrier->context && !carrier->scheduler))
        return true;
    if (carrier->context)
        return false;
    const struct call_row *entry = trapped_call_find(n->nr);
    return entry && n->nr != SYS_futex && !call_is_about_caller(entry);
}

void messenger_receive(struct messages *messages, struct lane *lane)
{
    struct notification n;
    if (notify_receive(lane->listener, &n) < 0)
        return; /* the kernel has withdrawn it */
    struct carrier *carrier = tid_carrier((pid_t)n.tid);
    if (goes_on(carrier, &n))
        notify_continue(lane->listener, n.id);
    else if (notify_valid(lane->listener, n.id) && send_unless_ended(carrier, &n))
        note(messages, lane, &n);
}
