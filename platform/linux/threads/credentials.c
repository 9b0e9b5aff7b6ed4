/* SPDX-License-Identifier: MIT
 *
 * credentials.c - setuid and its kin, in every kernel thread of the process.
 *
 * To the kernel, user and group ids belong to a thread. libc makes them the process's: it sends
 * each thread that it knows a signal, and waits until each control block says that the thread has
 * handled it. With carriers that would never end, for a carrier has another thread's control block
 * loaded. So from the moment when the engine has threads the library makes these calls itself.
 * Before that, and in processes without UMS, libc's own functions do.
 *
 * The thread that asks makes a round, under `lock`, with its signals blocked:
 *   1. It makes the system call itself. If the kernel refuses, no other thread is touched. But a
 *      filter it installs last, since the filter may refuse calls that a round needs; another
 *      thread tries it first (late_filter.c).
 *   2. It lists /proc/self/task and sends each thread libc's signal for this purpose, which libc's
 *      functions cannot block. The signal carries the address of a slot. The handler makes
 *      the same system call, stores the result in its slot and raises `answers`. It uses no
 *      thread-local data and no lock, so it may interrupt anything: a switch, a home that is
 *      parked, a thread that waits for `lock`.
 *   3. It waits until all slots are answered. A thread that ends meanwhile does not answer, nor
 *      does a thread of io_uring's. So it looks a thread that has not answered for a moment up in
 *      /proc.
 *   4. It lists again, until all threads are done or have the new ids already (task_list.h): a
 *      thread that was created meanwhile has its creator's ids, and one that was created before its
 *      creator answered is in a later list.
 *
 * As in libc, the process ends if a thread's call fails although the first one succeeded, or if a
 * thread cannot be asked: some threads would keep rights that the program has given up. A sandbox
 * that refuses the calls of a round is noticed before any thread is touched.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/refused.h"
#include "platform/linux/os/task_files.h"
#include "platform/linux/os/task_list.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/threads/credentials.h"
#include "platform/platform.h"

enum { SLOTS = 64, DONE_BYTES = TASK_IDS / 8, LOOK_AGAIN_NS = 2000000 };

enum { SLOT_FREE, SLOT_ASKED, SLOT_ANSWERED };

struct slot {
    pid_t tid;
    _Atomic uint32_t state;
    long result;
};

static PLAT_LOCK(CREDENTIALS) lock;
static struct order order; /* the call that the handler makes; constant while slots are asked */
static struct slot slots[SLOTS];
static _Atomic uint32_t answers; /* futex: bumped with every answer */

/* libc's handler of SIGNAL_SETXID. */
static struct kernel_action libcs;

/* ---- In every thread ------------------------------------------------------------------------- */

static long carry_out(void)
{
    return order.make ? order.make(order.args)
                      : RAW3(order.nr, order.args[0], order.args[1], order.args[2]);
}

static struct slot *slot_of(const siginfo_t *info)
{
    uintptr_t at = (uintptr_t)info->si_value.sival_ptr - (uintptr_t)slots;
    if (info->si_code != SI_QUEUE || at >= sizeof slots || at % sizeof *slots)
        return NULL;
    struct slot *slot = &slots[at / sizeof *slots];
    bool mine = atomic_load_explicit(&slot->state, memory_order_acquire) == SLOT_ASKED &&
                slot->tid == own_tid();
    return mine ? slot : NULL;
}

static void on_order(int number, siginfo_t *info, void *context)
{
    struct slot *slot = slot_of(info);
    if (!slot) {
        if (info->si_code == SI_TKILL && libcs.handler)
            ((void (*)(int, siginfo_t *, void *))libcs.handler)(number, info, context);
        return;
    }
    slot->result = carry_out();
    atomic_store_explicit(&slot->state, SLOT_ANSWERED, memory_order_release);
    atomic_fetch_add_explicit(&answers, 1,
                              memory_order_release); /* the slot may be another thread's by now */
    futex_wake(&answers, 1);
}

/* Installs our handler. libc has installed its own with the first thread that it created; ours
 * calls it for libc's signals. */
static long take_signal_over(void)
{
    enum { HAS_RESTORER = 0x04000000 };
    struct kernel_action action;
    long r = RAW4(SYS_rt_sigaction, SIGNAL_SETXID, 0, &action, 8);
    if (r < 0 || action.handler == on_order)
        return r;
    if (!(action.flags & HAS_RESTORER)) {
        plat_log("not all threads can be given %s: this C library has no signal for it; change "
                 "it before the first scheduler",
                 order.what);
        return -ENOSYS;
    }
    libcs = action;
    action.handler = on_order;
    action.flags = (action.flags & ~(unsigned long)SA_ONSTACK) | SA_SIGINFO | SA_RESTART;
    action.mask = ~(1ull << (SIGSYS - 1) | 1ull << (SIGSEGV - 1)); /* kept_action.h */
    return RAW4(SYS_rt_sigaction, SIGNAL_SETXID, &action, 0, 8);
}

/* ---- Asking one thread ----------------------------------------------------------------------- */

static long send_order(pid_t tid, struct slot *slot)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = SIGNAL_SETXID;
    info.si_code = SI_QUEUE;
    info.si_pid = own_pid();
    info.si_uid = (uid_t)RAW0(SYS_getuid);
    info.si_value.sival_ptr = slot;
    return RAW4(SYS_rt_tgsigqueueinfo, info.si_pid, tid, SIGNAL_SETXID, &info);
}

/* 0, or -errno: nothing was sent. */
static long ask(struct slot *slot, pid_t tid)
{
    slot->tid = tid;
    atomic_store_explicit(&slot->state, SLOT_ASKED, memory_order_release);
    long r = send_order(tid, slot);
    if (r < 0)
        atomic_store_explicit(&slot->state, SLOT_FREE, memory_order_relaxed);
    return r;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

struct round {
    struct task_list threads;
    uint8_t *done; /* a bit for each id */
};

static void fail_half_done(long error)
{
    plat_log("fatal: %s could not be changed in some threads (error %ld), after it was in others",
             order.what, -error);
    abort();
}

/* Frees the slots that were answered. `look`: also those of threads that have ended. Returns how
 * many are free. */
static unsigned collect(const struct round *round, bool look)
{
    unsigned free = 0;
    for (struct slot *slot = slots; slot < slots + SLOTS; slot++) {
        uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
        if (state == SLOT_ASKED && look && task_beyond_reach(round->threads.folder, slot->tid))
            state = SLOT_ANSWERED, slot->result = 0;
        if (state == SLOT_ANSWERED && slot->result < 0)
            fail_half_done(slot->result);
        if (state == SLOT_ANSWERED)
            atomic_store_explicit(&slot->state, SLOT_FREE, memory_order_relaxed);
        free += state != SLOT_ASKED;
    }
    return free;
}

/* Waits until so many slots are free. */
static void wait_for_slots(const struct round *round, unsigned wanted)
{
    bool look = false;
    for (;;) {
        uint32_t seen = atomic_load_explicit(&answers, memory_order_acquire);
        if (collect(round, look) >= wanted)
            return;
        look = !futex_wait_until(&answers, seen, plat_now() + LOOK_AGAIN_NS);
    }
}

static void order_from(const struct round *round, pid_t tid)
{
    wait_for_slots(round, 1);
    for (;;) {
        struct slot *slot = slots;
        while (atomic_load_explicit(&slot->state, memory_order_relaxed) != SLOT_FREE)
            slot++;
        long r = ask(slot, tid);
        if (r == 0 || r == -ESRCH)
            return; /* the thread was asked, or has ended */
        if (r != -EAGAIN)
            fail_half_done(r);
        /* The user's queue of signals is full. It gets room when other signals are handled. */
        plat_log_once("no room for a signal to a thread in which %s is to change: waiting for it "
                      "(ulimit -i)",
                      order.what);
        futex_wait_until(&answers, atomic_load_explicit(&answers, memory_order_relaxed),
                         plat_now() + LOOK_AGAIN_NS);
        collect(round, true);
    }
}

/* Asks all threads in the list that were not asked yet. True: there were none. */
static bool order_all(struct round *round, const char *wanted)
{
    pid_t self = own_tid();
    bool nothing_new = true;
    for (size_t i = 0; i < round->threads.count; i++) {
        pid_t tid = round->threads.tids[i];
        if (tid == self || round->done[tid / 8] & 1 << tid % 8)
            continue;
        round->done[tid / 8] |= (uint8_t)(1 << tid % 8);
        if (wanted && task_has_ids(round->threads.folder, tid, wanted))
            continue;
        nothing_new = false;
        order_from(round, tid);
    }
    wait_for_slots(round, SLOTS);
    return nothing_new;
}

static long refuse(int error)
{
    if (error == -ENOMEM)
        return error;
    plat_log_once("not all threads can be given %s: /proc/self/task, which lists them, cannot "
                  "be read (error %d); mount /proc, or change it before the first scheduler",
                  order.what, -error);
    return -ENOSYS;
}

static long refuse_unasked(void)
{
    plat_log_once("not all threads can be given %s: a sandbox refuses rt_tgsigqueueinfo, by which "
                  "they are asked; allow it, or change it before the first scheduler",
                  order.what);
    return -ENOSYS;
}

/* Prepares the round. -errno: other threads cannot be found, or not be asked. A folder without the
 * caller is another process's, or of another name space of process numbers. This looks for the
 * caller by its id, since a list may leave it out. */
static long look_for_others(const struct round *round)
{
    if (queueing_refused())
        return refuse_unasked();
    int error = round->threads.count ? task_look(round->threads.folder, own_tid()) : -ESRCH;
    return error ? refuse(error) : take_signal_over();
}

static long everywhere(struct round *round)
{
    char ids[4096];
    const char *wanted = NULL; /* threads with these ids need not be asked; NULL at first: every
                                * thread is asked */
    bool nothing_new;
    long r = look_for_others(round);
    if (r >= 0)
        r = order.try ? order.try(order.args) : carry_out();
    if (r < 0)
        return r;
    bool known = !order.make && task_ids(round->threads.folder, own_tid(), ids, sizeof ids);
    do {
        task_list_read(&round->threads);
        nothing_new = order_all(round, wanted);
        wanted = known ? ids : NULL;
    } while (!task_list_suffices(&round->threads, nothing_new));
    if (order.try && (r = carry_out()) < 0)
        fail_half_done(r);
    return r;
}

static long with_list(long (*fn)(struct round *))
{
    struct round round;
    int error = task_list_open(&round.threads);
    if (error)
        return refuse(error);
    long r = -ENOMEM;
    round.done = plat_reserve(DONE_BYTES);
    if (round.done) {
        r = fn(&round);
        RAW2(SYS_munmap, round.done, DONE_BYTES);
    }
    task_list_close(&round.threads);
    return r;
}

long in_every_thread(const struct order *wanted)
{
    sigset_t old;
    signals_block(&old); /* a handler that makes a round, too, would wait for this one */
    plat_lock(&lock);
    order = *wanted;
    long r = with_list(everywhere);
    plat_unlock(&lock);
    signals_restore(&old);
    return r;
}

int credentials_change(long nr, long a, long b, long c)
{
    long r = in_every_thread(
        &(struct order){.nr = nr, .args = {a, b, c}, .what = "the user or group id"});
    if (r >= 0)
        return (int)r;
    errno = (int)-r;
    return -1;
}

/* In a child after fork: the thread that held the lock is not there. */
void credentials_forget(void)
{
    plat_lock_forget(&lock);
    memset(slots, 0, sizeof slots);
}
