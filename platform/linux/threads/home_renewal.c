/* SPDX-License-Identifier: MIT
 *
 * home_renewal.c - whether a home whose worker has ended is as new, and making it so.
 *
 * libc has no call that makes a thread new again, and most of its data for a thread has no name. So
 * this code does not look for each thing. It compares all that libc keeps for the thread with its
 * state before the worker came. A home that differs anywhere ends as a thread does. A home's
 * thread-local memory lies in one piece, its control block at the upper end:
 *
 *     low                                                fs_base          fs_base + block_bytes
 *      | room for later | modules' variables ... libc's | control block  |
 *
 *   variables of modules   made anew from the module's image, as libc does for a thread, if the
 *                          module came with the program and so never goes
 *   libc's, the linker's,  compared with those of a thread that ran none of the program's code
 *   and all the rest       (`pristine`), but not errno and two words of malloc's
 *   this library's         plat_tls is made anew (home_renew), the others are compared
 *   control block, and     the sum of their words must be as at the home's birth (block_sum).
 *   the table of dynamic   Keys, locale, cancellation, joins, robust mutexes, thread-local objects
 *   variables              of modules that came later: all these show there
 *   the kernel's           the home makes a worker's calls that set something (errand.c), and
 *                          notes that. The kernel is asked for settings that other threads may
 *                          change by the thread's id
 *
 * Each step of the sum is one-to-one in the word that it takes, so one changed word always changes
 * the sum. The sum leaves out words that change by themselves: the links of libc's list of threads,
 * and the ages of keys that have no value.
 *
 * home_layout.h says where all that lies. If that is unknown no home is used twice.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#pragma GCC visibility pop

#include "platform/linux/current.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/switch.h"
#include "platform/linux/threads/home_layout.h"
#include "platform/linux/threads/home_renewal.h"
#include "platform/linux/threads/thread_keys.h"
#include "platform/linux/threads/thread_objects.h"
#include "platform/platform.h"

enum { MOST_DYNAMIC = 4096, USES_OF_A_STACK = 32 };

/* The variables of a thread that ran no code of the program's. Set once, by the first home. */
static _Atomic(const char *) pristine;
static _Atomic uint32_t learning; /* 1: a home is learning them, or has tried to */

/* ---- Comparing ------------------------------------------------------------------------------- */

static uint64_t step(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 29;
}

/* Whether the worker can destroy the value at this word itself. The word before a value is its
 * age. */
static bool goes(const uint64_t *block, size_t word)
{
    return home_layout.left_out[word] >= FIRST_VALUE &&
           key_is_remembered(home_layout.left_out[word] - FIRST_VALUE, block[word - 1]);
}

/* Makes four sums side by side, which the processor computes at once. 0: there is no sum.
 * destroyed: counts values that the worker can destroy itself as zero. */
static uint64_t block_sum(const struct home *home, bool destroyed)
{
    const uint64_t *block = (const uint64_t *)home->fs_base;
    uint64_t sums[4] = {1, 2, 3, 4};
    for (size_t i = 0; i < home_layout.block_bytes / 8; i++)
        if (home_layout.left_out[i] != CHANGES_BY_ITSELF)
            sums[i % 4] = step(sums[i % 4], destroyed && goes(block, i) ? 0 : block[i]);
    /* The second word points to the table of dynamic variables, whose length lies before it. */
    const uint64_t *table = (const uint64_t *)block[1];
    uint64_t entries = table[-2];
    if (entries > MOST_DYNAMIC)
        return 0;
    for (size_t i = 0; i < 2 * entries + 2; i++)
        sums[i % 4] = step(sums[i % 4], table[i]);
    return step(step(step(sums[0], sums[1]), sums[2]), sums[3]) | 1;
}

static bool still_points(const struct home *home, const struct span *span)
{
    uintptr_t word;
    memcpy(&word, (const char *)home->fs_base - span->from, sizeof word);
    return word - home->fs_base == span->pointer;
}

static bool variables_are_pristine(const struct home *home)
{
    const char *first = atomic_load_explicit(&pristine, memory_order_acquire);
    size_t at = home_layout.below; /* distance before the thread pointer */
    for (unsigned i = 0; i <= home_layout.span_count; i++) {
        const struct span *span = i < home_layout.span_count ? &home_layout.spans[i] : NULL;
        size_t to = span ? span->from : 0;
        const char *here = (const char *)home->fs_base - at;
        if (at > to && memcmp(here, first + (home_layout.below - at), at - to) != 0)
            return false;
        if (span && span->kind == SPAN_POINTER && !still_points(home, span))
            return false;
        if (span && span->to < at)
            at = span->to;
    }
    return objects_are_as_before(home, first);
}

struct kernels {
    cpu_set_t processors;
    int policy, niceness, io_priority;
};

/* False: the kernel does not tell, or the policy is a real-time one, which has further settings. */
static bool ask_kernel(pid_t tid, struct kernels *own)
{
    enum { OF_TASK = 1 };
    memset(&own->processors, 0, sizeof own->processors);
    long bytes = RAW3(SYS_sched_getaffinity, tid, sizeof own->processors, &own->processors);
    own->niceness = (int)RAW2(SYS_getpriority, PRIO_PROCESS, tid);
    own->io_priority = (int)RAW2(SYS_ioprio_get, OF_TASK, tid);
    own->policy = (int)RAW1(SYS_sched_getscheduler, tid);
    return bytes > 0 && own->policy >= 0 && own->policy != SCHED_FIFO && own->policy != SCHED_RR;
}

static bool kernels_is_as_before(const struct home *home)
{
    struct kernels now;
    return ask_kernel(home->tid, &now) && now.policy == home->policy &&
           now.niceness == home->niceness && now.io_priority == home->io_priority &&
           CPU_EQUAL(&now.processors, &home->processors);
}

/* Whether this library's own data of the thread are as a new thread's. False: the worker has
 * changed something that lasts with the thread. */
static bool own_is_as_before(const struct plat_tls *own)
{
    return !own->fiber && !own->adopted.memory && !own->helping && !own->exit.set &&
           !own->counting.counted && !own->counting.auxiliary && !own->counting.masked &&
           !own->own_affinity && !own->ending && !own->handle_told && !own->locks &&
           !own->room.stack && !own->room.kept && !own->held_wakes && !own->destructor_rounds &&
           !own->objects.go && !own->objects.libcs;
}

bool home_is_renewable(const struct home *home)
{
    return home->renewable && !home->errands && home->affinity_age == affinity_age() &&
           own_is_as_before(tls_at(home->fs_base)) && !tls_at(home->fs_base)->objects.first &&
           block_sum(home, false) == home->block && variables_are_pristine(home) &&
           kernels_is_as_before(home);
}

bool home_is_renewable_then(const struct home *home)
{
    return home->renewable && !home->errands && own_is_as_before(&plat_tls) &&
           block_sum(home, true) == home->block && variables_are_pristine(home);
}

/* Whether the modules' variables are as in a new thread. They may not be: an allocator that stands
 * before libc's may have used them for this thread already. */
static bool modules_are_new(const struct home *home)
{
    for (unsigned i = 0; i < home_layout.span_count; i++) {
        const struct span *span = &home_layout.spans[i];
        const char *at = (const char *)home->fs_base - span->from, *end = at + span->image_bytes;
        if (span->kind != SPAN_MODULE)
            continue;
        if (memcmp(at, span->image, span->image_bytes) != 0)
            return false;
        for (at = end, end += span->from - span->to - span->image_bytes; at < end; at++)
            if (*at)
                return false;
    }
    return true;
}

void home_begins(struct plat_tls *own)
{
    own->counting.detaches = true;
    own->result = PTHREAD_CANCELED; /* the result, unless its worker returns or exits */
}

/* ---- Making new ------------------------------------------------------------------------------ */

static void renew_module(const struct span *span, uintptr_t fs_base)
{
    char *variables = (char *)fs_base - span->from;
    size_t bytes = span->from - span->to;
    memcpy(variables, span->image, span->image_bytes);
    memset(variables + span->image_bytes, 0, bytes - span->image_bytes);
}

/* Gives the pages of the worker's part of the stack back, which deep calls may have used: a new
 * thread's stack has none. The frames of the parked thread above stay. */
static void forget_stack(const struct home *home)
{
    uintptr_t low = (home->low + 2 * 4096 - 1) & ~(uintptr_t)4095;
    uintptr_t high = (home->top - SHARED_STACK_GAP) & ~(uintptr_t)4095;
    if (low < high)
        RAW3(SYS_madvise, low, high - low, MADV_DONTNEED);
}

void home_renew(struct home *home)
{
    for (unsigned i = 0; i < home_layout.span_count; i++)
        if (home_layout.spans[i].kind == SPAN_MODULE)
            renew_module(&home_layout.spans[i], home->fs_base);
    memset((char *)home->fs_base + home_layout.errno_at, 0, sizeof errno);
    struct plat_tls *own = tls_at(home->fs_base);
    memset(own, 0, sizeof *own);
    home_begins(own);
    if (++home->uses % USES_OF_A_STACK == 0)
        forget_stack(home);
}

/* ---- Birth ----------------------------------------------------------------------------------- */

/* Leaves two kinds of libc's words out of the comparison. Words that a thread's first use of malloc
 * changes (its cache, and the place of its memory) belong to the thread and stay. Pointers into the
 * thread's own memory differ from thread to thread. */
static void learn_libcs_words(const char *before)
{
    const char *now = (const char *)thread_pointer();
    const uintptr_t own = thread_pointer(), low = own - home_layout.below;
    void *volatile memory = malloc(1);
    free(memory);
    for (size_t at = home_layout.libcs.from; at >= home_layout.libcs.to + 8; at -= 8) {
        struct span word = {.from = at, .to = at - 8, .kind = SPAN_FREE};
        uintptr_t value;
        memcpy(&value, now - at, sizeof value);
        if (value - low < home_layout.below + home_layout.block_bytes) {
            word.kind = SPAN_POINTER;
            word.pointer = value - own;
        }
        if (word.kind == SPAN_POINTER ||
            memcmp(&value, before + (home_layout.below - at), sizeof value) != 0)
            home_layout_leave_out(word);
    }
}

/* The first home keeps a copy of its memory, which is as a new thread's. False: another home is
 * just making that copy, or could not make it. */
static bool learn(struct home *home)
{
    uint32_t nobody = 0;
    if (!atomic_compare_exchange_strong(&learning, &nobody, 1))
        return atomic_load_explicit(&pristine, memory_order_acquire) != NULL;
    char *copy = plat_reserve(home_layout.below);
    if (!copy)
        return false;
    memcpy(copy, (const char *)thread_pointer() - home_layout.below, home_layout.below);
    learn_libcs_words(copy);
    objects_learn(home);
    if (home_layout.known)
        atomic_store_explicit(&pristine, copy, memory_order_release);
    return home_layout.known;
}

#ifdef UMSSHIM_CHECKS
/* Fills the home's variables with rubbish and renews it. So each worker's home was renewed once,
 * and a test sees what the renewal has left out. */
static void begin_used(struct home *home)
{
    for (unsigned i = 0; i < home_layout.span_count; i++)
        if (home_layout.spans[i].kind == SPAN_MODULE)
            memset((char *)home->fs_base - home_layout.spans[i].from, 0xa5,
                   home_layout.spans[i].from - home_layout.spans[i].to);
    errno = EBUSY;
    home_renew(home);
}
#endif

void home_renewal_begin(struct home *home)
{
    struct kernels own;
    if (!home_layout.known || !learn(home) || !ask_kernel(home->tid, &own))
        return;
    home->processors = own.processors;
    home->policy = own.policy;
    home->niceness = own.niceness;
    home->io_priority = own.io_priority;
    home->block = block_sum(home, false);
    home->renewable = home->block && variables_are_pristine(home) && modules_are_new(home);
#ifdef UMSSHIM_CHECKS
    if (home->renewable)
        begin_used(home);
#endif
}
