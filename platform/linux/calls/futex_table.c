/* SPDX-License-Identifier: MIT
 *
 * futex_table.c - futex waits of workers: kept here first, by address, and left to the kernel if they last.
 *
 * A contended mutex, a condition variable, a semaphore: libc waits for all of them in a futex, and as a rule
 * another worker of the same scheduler lets the wait go on. So a wait that finds its word unchanged is entered in
 * this table, and its worker leaves its scheduler. A worker that wakes looks here first: a waiter that is found
 * is queued, and the kernel hears of neither. Others that wake (plain threads, other processes, the kernel itself when a
 * thread ends) do so through the kernel. So a wait does not stay: it is *armed*, which makes it a wait of the
 * kernel's (by the ring, else by a helper), when a scheduler of its lane is about to sleep, or when it has seen a
 * whole tick pass (poller.c; 400 us at the most).
 *
 * Why it may be late. A thread can be preempted between its look at the word and its system call; the kernel
 * compares the word again for that reason, and every user of futexes allows for it. A wait that is not armed yet is
 * a thread that stands there. What wakes through the kernel meanwhile misses it, as it would miss that thread. Then
 *     the word was changed first       the kernel refuses to arm the wait: EAGAIN, the worker looks again;
 *     the word has its old value again somebody waits for the next change, as that thread would;
 *     the word never changed           nothing happened that a thread just short of its call would have seen.
 * A waker that looks in this table cannot miss a wait in it: the word is compared under the bucket's lock and the wait
 * entered under the same; and the waker has written the word before it takes that lock.
 *
 * The owner of a wait: the bucket, while `tabled` is set, under the bucket's lock. The thread that clears it
 * owns it:
 *     a waker             completes it with 0
 *     futex_table_cancel  completes it for a signal, or because its worker is to end
 *     arming              passes it to the reactor: from there on the kernel decides, once, whether it was woken,
 *                         timed out or cancelled
 * So at any moment a wait is either here or the kernel's and never both, and each wake-up is used by exactly one
 * wait: that is what the numbers which FUTEX_WAKE returns are made of. No lock is held while a worker is queued.
 *
 * Order. Waits here are younger than armed ones. Those would starve if the table were always asked first; so, where
 * waits of a bucket were armed, every FAIR-th wake asks the kernel first.
 *
 * FUTEX_REQUEUE, CMP_REQUEUE, WAKE_OP and CMP_REQUEUE_PI act on the kernel's queues. One made by a worker first has
 * the waits on its words armed and waits for that, so it finds them. (By a helper it cannot be told when a wait has
 * arrived in the kernel: there the paragraph above holds.) futex_waitv, futex_wait and LOCK_PI never come here.
 *
 * The word itself. It is read here, without a system call, if it is private and the kernel has found the same page
 * readable for an earlier wait of this worker; else the kernel is asked to compare, so a bad address gives EFAULT.
 */
#include "platform/linux/calls/futex_table.h"

#include <string.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/switch/baton.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/calls/tick.h"

enum { BUCKETS = FUTEX_BUCKETS, FAIR = 8, PAGE_SHIFT = 12, SOON_NS = 1000000 };

struct bucket {
    struct plat_lock lock;
    bool aged;     /* waits were armed: some may be in the kernel */
    uint8_t turns; /* wakes since the kernel was asked first */
    struct call *first, *last;
} __attribute__((aligned(64)));

static struct bucket buckets[BUCKETS];

/* What one REQUEUE waits for: `left` waits are not armed yet. */
struct settling {
    _Atomic uint32_t left;
    struct baton baton;
};

static unsigned bucket_of(uintptr_t word)
{
    return (unsigned)((uint64_t)(word >> 2) * 0x9e3779b97f4a7c15u >> 56) % BUCKETS;
}

/* Private and shared waits on one address are different ones, as in the kernel. */
static bool waits_on(const struct call *call, uintptr_t word, long flags)
{
    return (uintptr_t)call->args[0] == word && !((call->args[1] ^ flags) & FUTEX_PRIVATE_FLAG);
}

static uint32_t bits_of(const struct call *call)
{
    return (call->args[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET ? (uint32_t)call->args[5]
                                                                 : FUTEX_BITSET_MATCH_ANY;
}

/* ---- The chain of a bucket, under its lock --------------------------------------------------------- */

static void chain_add(struct bucket *bucket, struct call *call)
{
    call->next = NULL;
    call->previous = bucket->last;
    if (bucket->last)
        bucket->last->next = call;
    else
        bucket->first = call;
    bucket->last = call;
    atomic_store_explicit(&call->tabled, true, memory_order_relaxed);
}

static void chain_remove(struct bucket *bucket, struct call *call)
{
    if (call->previous)
        call->previous->next = call->next;
    else
        bucket->first = call->next;
    if (call->next)
        call->next->previous = call->previous;
    else
        bucket->last = call->previous;
    atomic_store_explicit(&call->tabled, false, memory_order_relaxed);
}

/* ---- Waiting --------------------------------------------------------------------------------------- */

static uintptr_t *page_slot(const struct call *call, uintptr_t page)
{
    struct plat_context *worker = call_worker((struct call *)call);
    return &worker->futex_pages[page % (sizeof worker->futex_pages / sizeof *worker->futex_pages)];
}

bool futex_word_known(const struct call *call)
{
    uintptr_t page = (uintptr_t)call->args[0] >> PAGE_SHIFT;
    return !call->in_kernel && call->args[1] & FUTEX_PRIVATE_FLAG &&
           *page_slot(call, page) == page + 1;
}

void futex_word_is_good(struct call *call)
{
    uintptr_t page = (uintptr_t)call->args[0] >> PAGE_SHIFT;
    if (!call->in_kernel && call->args[1] & FUTEX_PRIVATE_FLAG)
        *page_slot(call, page) = page + 1;
}

/* The bucket is locked: may the kernel do it, for a word that is not to be read here. */
static bool word_has_changed(const struct call *call)
{
    uintptr_t word = (uintptr_t)call->args[0];
    if (futex_word_known(call))
        return __atomic_load_n((uint32_t *)word, __ATOMIC_RELAXED) != (uint32_t)call->args[2];
    return RAW6(SYS_futex, word, FUTEX_CMP_REQUEUE | (call->args[1] & FUTEX_PRIVATE_FLAG), 0, 0,
                word, call->args[2]) < 0;
}

bool futex_table_enter(struct lane *lane, struct call *call)
{
    unsigned index = bucket_of((uintptr_t)call->args[0]);
    struct bucket *bucket = &buckets[index];
    /* One that gives up soon would be late for its time. */
    if (call->deadline != PLAT_FOREVER && deadline_left(call) < SOON_NS)
        return false;
    call->born = __atomic_load_n(&lane->ticks, __ATOMIC_RELAXED);
    plat_lock(&bucket->lock);
    bool changed = word_has_changed(call);
    if (!changed) {
        uint64_t bit = UINT64_C(1) << index % 64;
        chain_add(bucket, call);
        if (!(atomic_load_explicit(&lane->futexes[index / 64], memory_order_relaxed) & bit))
            atomic_fetch_or_explicit(&lane->futexes[index / 64], bit, memory_order_relaxed);
    }
    plat_unlock(&bucket->lock);
    if (changed)
        call_complete(call, -EAGAIN);
    else
        tick_expect(lane);
    return true;
}

bool futex_table_cancel(struct call *call)
{
    if (!atomic_load_explicit(&call->tabled, memory_order_acquire))
        return false;
    /* Its word does not change while it is tabled; where it is not any more, this is some bucket. */
    uintptr_t word = (uintptr_t)__atomic_load_n(&call->args[0], __ATOMIC_RELAXED);
    struct bucket *bucket = &buckets[bucket_of(word)];
    plat_lock(&bucket->lock);
    bool mine = atomic_load_explicit(&call->tabled, memory_order_relaxed) &&
                (uintptr_t)__atomic_load_n(&call->args[0], __ATOMIC_RELAXED) == word;
    if (mine)
        chain_remove(bucket, call);
    plat_unlock(&bucket->lock);
    return mine;
}

/* ---- Arming ---------------------------------------------------------------------------------------- */

/* Takes the lane's waits of at least this age out of a bucket, oldest first. True: others of the lane are left. */
static bool take_aged(struct lane *lane, struct bucket *bucket, unsigned age, struct call **taken)
{
    uint32_t now = __atomic_load_n(&lane->ticks, __ATOMIC_RELAXED);
    struct call **end = taken;
    bool left = false;
    plat_lock(&bucket->lock);
    for (struct call *call = bucket->first, *next; call; call = next) {
        next = call->next;
        if (call->lane != lane)
            continue;
        if (now - call->born < age) {
            left = true;
            continue;
        }
        chain_remove(bucket, call);
        bucket->aged = true;
        *end = call;
        end = &call->next;
    }
    *end = NULL;
    plat_unlock(&bucket->lock);
    return left;
}

static bool arm_aged(struct lane *lane, unsigned age)
{
    bool any_left = false;
    for (unsigned i = 0; i < BUCKETS / 64; i++) {
        if (!atomic_load_explicit(&lane->futexes[i], memory_order_relaxed))
            continue;
        uint64_t found = atomic_exchange_explicit(&lane->futexes[i], 0, memory_order_relaxed),
                 keep = 0;
        for (; found; found &= found - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(found);
            struct call *taken;
            if (take_aged(lane, &buckets[i * 64 + bit], age, &taken))
                keep |= UINT64_C(1) << bit;
            for (struct call *next; taken; taken = next) {
                next = taken->next;
                lane_post(lane, taken, CALL_OLD);
            }
        }
        if (keep)
            atomic_fetch_or_explicit(&lane->futexes[i], keep, memory_order_relaxed);
        any_left |= keep != 0;
    }
    return any_left;
}

void futex_table_arm(struct lane *lane)
{
    arm_aged(lane, 0);
}

bool futex_table_age(struct lane *lane)
{
    __atomic_fetch_add(&lane->ticks, 1, __ATOMIC_RELAXED);
    return arm_aged(lane, 2);
}

/* ---- Waking ---------------------------------------------------------------------------------------- */

static long wake_in_kernel(const long *a, long count, uint32_t bits)
{
    return RAW6(SYS_futex, a[0], FUTEX_WAKE_BITSET | (a[1] & FUTEX_PRIVATE_FLAG), count, 0, 0,
                bits);
}

/* The wait is the caller's: it was taken out of the table. */
static void let_go(struct call *call)
{
    while (call) {
        struct call *next = call->next;
        call_complete(call, 0);
        call = next;
    }
}

static long wake(const long *a, uint32_t bits)
{
    struct bucket *bucket = &buckets[bucket_of((uintptr_t)a[0])];
    long count = (int)a[2] < 1 ? 1 : (int)a[2], woken = 0; /* no less than one, as in the kernel */
    struct call *taken = NULL, **end = &taken;
    if (a[0] & 3 || !bits)
        return wake_in_kernel(a, count, bits); /* an error */
    plat_lock(&bucket->lock);
    if (bucket->first && bucket->aged && ++bucket->turns % FAIR == 0) {
        plat_unlock(&bucket->lock);
        woken = wake_in_kernel(a, count, bits);
        if (woken < 0 || woken >= count)
            return woken;
        plat_lock(&bucket->lock);
        bucket->aged = woken > 0;
    }
    for (struct call *call = bucket->first, *next; call && woken < count; call = next) {
        next = call->next;
        if (!waits_on(call, (uintptr_t)a[0], a[1]) || !(bits_of(call) & bits))
            continue;
        chain_remove(bucket, call);
        *end = call;
        end = &call->next;
        woken++;
    }
    *end = NULL;
    plat_unlock(&bucket->lock);
    let_go(taken);
    if (woken < count) {
        long more = wake_in_kernel(a, count - woken, bits);
        woken = more > 0 || !woken ? woken + more : woken;
    }
    return woken;
}

/* ---- What acts on the kernel's queues -------------------------------------------------------------- */

static void take_waits(uintptr_t word, long flags, struct settling *settling, struct call **taken)
{
    struct bucket *bucket = &buckets[bucket_of(word)];
    plat_lock(&bucket->lock);
    for (struct call *call = bucket->first, *next; call; call = next) {
        next = call->next;
        if (!waits_on(call, word, flags))
            continue;
        chain_remove(bucket, call);
        bucket->aged = true;
        call->settling = settling;
        atomic_fetch_add_explicit(&settling->left, 1, memory_order_relaxed);
        while (*taken)
            taken = &(*taken)->next;
        call->next = NULL;
        *taken = call;
    }
    plat_unlock(&bucket->lock);
}

void futex_settled(struct settling *settling)
{
    if (atomic_fetch_sub_explicit(&settling->left, 1, memory_order_acq_rel) == 1)
        baton_post(&settling->baton);
}

/* Has the waits on both words armed. */
static void settle(struct plat_context *self, const long *a)
{
    struct settling settling = {.left = 1, .baton = {.word = BATON_SHUT}};
    struct call *taken = NULL;
    take_waits((uintptr_t)a[0], a[1], &settling, &taken);
    if (a[4] != a[0])
        take_waits((uintptr_t)a[4], a[1], &settling, &taken);
    if (!taken)
        return;
    settling.baton.worker = self->is_scheduler || !engine_core->scheduler_of(self) ? NULL : self;
    for (struct call *next; taken; taken = next) {
        next = taken->next;
        lane_post(taken->lane, taken, CALL_OLD);
    }
    futex_settled(&settling);
    baton_wait(&settling.baton);
}

bool futex_lets_go(struct plat_context *self, const long a[6], long *result)
{
    if (a[1] & FUTEX_CLOCK_REALTIME)
        return false; /* none of them has a time */
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
        *result = wake(a, FUTEX_BITSET_MATCH_ANY);
        return true;
    case FUTEX_WAKE_BITSET:
        *result = wake(a, (uint32_t)a[5]);
        return true;
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
    case FUTEX_CMP_REQUEUE_PI:
    case FUTEX_WAKE_OP:
        settle(self, a);
        *result = RAW6(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
        return true;
    default:
        return false;
    }
}

void futex_table_forget(void)
{
    memset(buckets, 0, sizeof buckets);
}
