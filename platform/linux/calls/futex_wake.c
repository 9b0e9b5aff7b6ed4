/* SPDX-License-Identifier: MIT
 *
 * futex_wake.c - the futex operations of workers and schedulers that let other threads go on. They
 * look first in the table (futex_table.c), for waits that the kernel has not been told of.
 *
 * A wake-up that finds no waiter in the table goes to the kernel. libc makes many of those for
 * nothing: a thread that comes back from a condition variable leaves its mutex marked as wanted.
 * So, in a bucket where the kernel has found no waiter FUTILE times in a row, a wake-up that libc
 * makes on a worker is *owed*: a thread makes it when waits are armed, at the next tick at the
 * latest. A thread that it wakes then seems to have got a processor late, no more. The bucket owes
 * nothing for the next FUTILE wake-ups. The number of threads that an owed wake-up returns is
 * wrong, but libc does not look at it. Programs do, so theirs are made at once.
 *
 * FUTEX_REQUEUE, CMP_REQUEUE, WAKE_OP and CMP_REQUEUE_PI act on the kernel's queues. A worker or
 * scheduler that makes one first has the waits on its words armed, and waits until they are, so the
 * kernel finds them. (Where a helper makes a wait, no thread can tell when it is in the kernel: it
 * may be late, as futex_table.c says.) futex_waitv, futex_wait and LOCK_PI never come here.
 */
#include "platform/linux/calls/futex_wake.h"

#include "platform/linux/calls/call.h"
#include "platform/linux/calls/futex_bucket.h"
#include "platform/linux/calls/tick.h"
#include "platform/linux/switch/baton.h"

enum { FAIR = 8 };

/* A REQUEUE waits at the baton until `left`, its count of waits that are not armed yet, is 0. */
struct settling {
    _Atomic uint32_t left;
    struct baton baton;
};

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

/* ---- Waking ---------------------------------------------------------------------------------- */

/* Notes that the lane owes so many wake-ups of the word. False: the bucket has room for one word
 * and one lane, and notes others already. The caller has the bucket's lock. */
static bool owe(struct lane *lane, struct futex_bucket *bucket, uintptr_t word, long count)
{
    if (atomic_load_explicit(&bucket->futile, memory_order_relaxed) < FUTILE ||
        (bucket->owed_count && (bucket->owed_word != word || bucket->owed_by != lane)))
        return false;
    bucket->owed_word = word;
    bucket->owed_by = lane;
    uint64_t sum = (uint64_t)bucket->owed_count + (uint64_t)count;
    bucket->owed_count = sum > INT32_MAX ? INT32_MAX : (uint32_t)sum;
    futex_bucket_note(lane, (unsigned)(bucket - futex_buckets));
    return true;
}

/* Completes a chain of waits, which are the caller's since they were taken out of the table. */
static void let_go(struct call *call)
{
    while (call) {
        struct call *next = call->next;
        call_complete(call, 0);
        call = next;
    }
}

/* Returns how many were woken. `debtor` is the lane that may owe the kernel's part; NULL: none
 * may. */
static long wake(const long *a, uint32_t bits, struct lane *debtor)
{
    struct futex_bucket *bucket = &futex_buckets[futex_bucket_of((uintptr_t)a[0])];
    long count = (int)a[2] < 1 ? 1 : (int)a[2], woken = 0; /* no less than one, as in the kernel */
    struct call *taken = NULL, **end = &taken;
    if (a[0] & 3 || !bits)
        return futex_wake_in_kernel(a, count, bits); /* an error */
    plat_lock(&bucket->lock);
    if (bucket->waits.first && bucket->aged && ++bucket->turns % FAIR == 0) {
        plat_unlock(&bucket->lock);
        woken = futex_wake_in_kernel(a, count, bits);
        if (woken < 0 || woken >= count)
            return woken;
        plat_lock(&bucket->lock);
        bucket->aged = woken > 0;
    }
    for (struct call *call = bucket->waits.first, *next; call && woken < count; call = next) {
        next = call->next;
        if (!waits_on(call, (uintptr_t)a[0], a[1]) || !(bits_of(call) & bits))
            continue;
        futex_chain_remove(bucket, call);
        *end = call;
        end = &call->next;
        woken++;
    }
    *end = NULL;
    bool owed = debtor && woken < count && owe(debtor, bucket, (uintptr_t)a[0], count - woken);
    plat_unlock(&bucket->lock);
    let_go(taken);
    if (owed) {
        tick_expect(debtor);
    } else if (woken < count) {
        long more = futex_wake_in_kernel(a, count - woken, bits);
        futex_note_found(bucket, more);
        woken = more > 0 || !woken ? woken + more : woken;
    }
    return woken;
}

/* ---- What acts on the kernel's queues -------------------------------------------------------- */

static void take_waits(uintptr_t word, long flags, struct settling *settling, struct call **taken)
{
    struct futex_bucket *bucket = &futex_buckets[futex_bucket_of(word)];
    plat_lock(&bucket->lock);
    for (struct call *call = bucket->waits.first, *next; call; call = next) {
        next = call->next;
        if (!waits_on(call, word, flags))
            continue;
        futex_chain_remove(bucket, call);
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

/* Has the waits on both words armed, and waits until they are. */
static void settle(struct plat_context *self, const long *a)
{
    struct settling settling = {.left = 1, .baton = {.word = BATON_SHUT}};
    struct call *taken = NULL;
    take_waits((uintptr_t)a[0], a[1], &settling, &taken);
    if (a[4] != a[0])
        take_waits((uintptr_t)a[4], a[1], &settling, &taken);
    if (!taken)
        return;
    settling.baton.worker = self->is_scheduler || !self->scheduler ? NULL : self;
    for (struct call *next; taken; taken = next) {
        next = taken->next;
        lane_post(taken->lane, taken, CALL_ARM);
    }
    futex_settled(&settling);
    baton_wait(&settling.baton);
}

bool futex_lets_go(struct plat_context *self, const long a[6], long *result)
{
    if (a[1] & FUTEX_CLOCK_REALTIME)
        return false; /* none of these operations has a time-out */
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
        *result = wake(a, FUTEX_BITSET_MATCH_ANY, NULL);
        return true;
    case FUTEX_WAKE_BITSET:
        *result = wake(a, (uint32_t)a[5], NULL);
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

bool futex_lets_go_for_libc(struct plat_context *self, const long a[6], long *result)
{
    struct plat_context *scheduler = self->is_scheduler ? NULL : self->scheduler;
    if (a[1] != (FUTEX_WAKE | FUTEX_PRIVATE_FLAG) || !scheduler)
        return false;
    *result = wake(a, FUTEX_BITSET_MATCH_ANY, scheduler->lane);
    return true;
}
