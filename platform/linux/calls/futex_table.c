/* SPDX-License-Identifier: MIT
 *
 * futex_table.c - futex waits of workers: kept here first, by address, and left to the kernel if
 * they last.
 *
 * A contended mutex, a condition variable, a semaphore: libc waits for all of them in a futex, and
 * as a rule another worker of the same scheduler lets the wait go on. So the library enters a wait
 * whose word is unchanged in this table, and the worker leaves its scheduler. A worker that makes a
 * wake-up looks here first. It queues a waiter that it finds, and the kernel hears neither of the
 * wait nor of the wake-up. All others (plain threads, other processes, the kernel itself when a
 * thread ends) wake through the kernel. So a wait does not stay here for long. It is *armed*: the
 * ring, else a helper, makes it a wait of the kernel's. That happens when a scheduler of its lane
 * is about to sleep, or when the wait has seen a whole tick pass (poller.c; 400 us at the most).
 *
 * Why a wait may reach the kernel late. A thread can be preempted between its look at the word and
 * its system call. The kernel compares the word again for that reason, and every user of futexes
 * allows for it. A wait that is not armed yet is like a thread that stands there. A wake-up through
 * the kernel meanwhile misses the wait, as it would miss that thread. Then
 *     the word was changed first       the kernel refuses to arm the wait: EAGAIN, the worker looks
 *                                      again;
 *     the word has its old value again the worker waits for the next change, as that thread would;
 *     the word never changed           nothing happened that a thread just short of its call would
 *                                      have seen.
 * A waker that looks in this table misses no wait in it. The waiter compares the word and enters
 * its wait under the bucket's lock. The waker has written the word before it takes that lock.
 *
 * The bucket owns a wait while `tabled` is set. The thread that clears `tabled`, under the bucket's
 * lock, owns the wait from then on:
 *     a waker             completes it with 0
 *     futex_table_cancel  completes it for a signal, or because its worker is to end
 *     arming              passes it to the reactor: from there on the kernel decides, once, whether
 *                         it was woken, timed out or cancelled
 * So at any moment a wait is either here or in the kernel, never in both, and each wake-up ends
 * exactly one wait. So the number that FUTEX_WAKE returns is right. No thread holds a lock while it
 * queues a worker.
 *
 * Order. Waits here are younger than armed ones. The armed ones would starve if every wake-up
 * looked in the table first. So, in a bucket whose waits were armed, each FAIR-th wake-up asks the
 * kernel first. In between a wake-up may end a younger wait before an armed one: futex(2) promises
 * no order, and to ask the kernel each time would cost each wake-up a system call.
 *
 * futex_wake.c has the wake-ups, and the operations on the kernel's queues.
 *
 * The word itself. The worker reads it without a system call if the futex is private and the kernel
 * has found the same page readable for an earlier wait of this worker. Else the kernel compares it,
 * so a bad address gives EFAULT.
 */
#include "platform/linux/calls/futex_table.h"

#include <string.h>

#include "platform/linux/calls/call.h"
#include "platform/linux/calls/futex_bucket.h"
#include "platform/linux/calls/tick.h"
#include "platform/linux/current.h"
#include "platform/platform.h"

enum { PAGE_SHIFT = 12, SOON_NS = 1000000 };

struct futex_bucket futex_buckets[FUTEX_BUCKETS];

/* Puts the call into the bucket's chain. The caller has the bucket's lock. */
static void chain_add(struct futex_bucket *bucket, struct call *call)
{
    CHAIN_APPEND(&bucket->waits, call, next, previous);
    atomic_store_explicit(&call->futex.tabled, true, memory_order_relaxed);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static uintptr_t *page_slot(const struct call *call, uintptr_t page)
{
    struct plat_context *worker = call_worker((struct call *)call);
    return &worker->known.futex_pages[page % KNOWN_PAGES];
}

bool futex_word_known(const struct call *call)
{
    uintptr_t page = (uintptr_t)call->args[0] >> PAGE_SHIFT;
    return call->args[1] & FUTEX_PRIVATE_FLAG && *page_slot(call, page) == page + 1;
}

void futex_word_is_good(struct call *call)
{
    uintptr_t page = (uintptr_t)call->args[0] >> PAGE_SHIFT;
    if (call->args[1] & FUTEX_PRIVATE_FLAG)
        *page_slot(call, page) = page + 1;
}

/* With the bucket's lock held. 0: the word is as the worker saw it; else the wait's result. The
 * kernel compares a word that this thread may not read: it is asked to requeue no waiter. The word
 * may be gone since the attempt: then that call has the error of a wait there. */
static long look_at_word(const struct call *call)
{
    uintptr_t word = (uintptr_t)call->args[0];
    if (futex_word_known(call))
        return __atomic_load_n((uint32_t *)word, __ATOMIC_RELAXED) == (uint32_t)call->args[2]
                   ? 0
                   : -EAGAIN;
    return RAW6(SYS_futex, word, FUTEX_CMP_REQUEUE | (call->args[1] & FUTEX_PRIVATE_FLAG), 0, 0,
                word, call->args[2]);
}

bool futex_table_enter(struct lane *lane, struct call *call)
{
    unsigned index = futex_bucket_of((uintptr_t)call->args[0]);
    struct futex_bucket *bucket = &futex_buckets[index];
    /* A wait with less than SOON_NS left stays out of the table: it would end too late there. */
    if (call->deadline != PLAT_FOREVER && deadline_left(call) < SOON_NS)
        return false;
    call->futex.born = __atomic_load_n(&lane->deferral.ticks, __ATOMIC_RELAXED);
    plat_lock(&bucket->lock);
    long error = look_at_word(call);
    if (!error) {
        chain_add(bucket, call);
        futex_bucket_note(lane, index);
    }
    plat_unlock(&bucket->lock);
    if (error)
        call_complete(call, error);
    else
        tick_expect(lane);
    return true;
}

bool futex_table_cancel(struct call *call)
{
    if (!atomic_load_explicit(&call->futex.tabled, memory_order_acquire))
        return false;
    /* The call's word does not change while the call is tabled. If it has just left the table,
     * args[0] may be any word: `mine` is false then. */
    uintptr_t word = (uintptr_t)__atomic_load_n(&call->args[0], __ATOMIC_RELAXED);
    struct futex_bucket *bucket = &futex_buckets[futex_bucket_of(word)];
    plat_lock(&bucket->lock);
    bool mine = atomic_load_explicit(&call->futex.tabled, memory_order_relaxed) &&
                (uintptr_t)__atomic_load_n(&call->args[0], __ATOMIC_RELAXED) == word;
    if (mine)
        futex_chain_remove(bucket, call);
    plat_unlock(&bucket->lock);
    return mine;
}

/* ---- Arming ---------------------------------------------------------------------------------- */

/* Makes now the wake-ups that the lane owes in this bucket. */
static void settle_debt(struct lane *lane, struct futex_bucket *bucket)
{
    plat_lock(&bucket->lock);
    bool mine = bucket->owed_count && bucket->owed_by == lane;
    const long args[2] = {(long)bucket->owed_word, FUTEX_PRIVATE_FLAG};
    uint32_t count = bucket->owed_count;
    if (mine)
        bucket->owed_count = 0;
    plat_unlock(&bucket->lock);
    if (mine)
        futex_note_found(bucket, futex_wake_in_kernel(args, count, FUTEX_BITSET_MATCH_ANY));
}

/* Takes the lane's waits of at least this age out of a bucket, oldest first. True: others of the
 * lane are left. */
static bool take_aged(struct lane *lane, struct futex_bucket *bucket, unsigned age,
                      struct call **taken)
{
    uint32_t now = __atomic_load_n(&lane->deferral.ticks, __ATOMIC_RELAXED);
    struct call **end = taken;
    bool left = false;
    plat_lock(&bucket->lock);
    for (struct call *call = bucket->waits.first, *next; call; call = next) {
        next = call->next;
        if (call->lane != lane)
            continue;
        if (now - call->futex.born < age) {
            left = true;
            continue;
        }
        futex_chain_remove(bucket, call);
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
    for (unsigned i = 0; i < FUTEX_BUCKETS / 64; i++) {
        if (!atomic_load_explicit(&lane->futexes[i], memory_order_relaxed))
            continue;
        uint64_t found = atomic_exchange_explicit(&lane->futexes[i], 0, memory_order_relaxed),
                 keep = 0;
        for (; found; found &= found - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(found);
            struct call *taken;
            settle_debt(lane, &futex_buckets[i * 64 + bit]);
            if (take_aged(lane, &futex_buckets[i * 64 + bit], age, &taken))
                keep |= UINT64_C(1) << bit;
            for (struct call *next; taken; taken = next) {
                next = taken->next;
                lane_post(lane, taken, CALL_ARM);
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
    __atomic_fetch_add(&lane->deferral.ticks, 1, __ATOMIC_RELAXED);
    return arm_aged(lane, 2);
}

void futex_table_forget(void)
{
    memset(futex_buckets, 0, sizeof futex_buckets);
}
