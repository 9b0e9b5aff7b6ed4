/* SPDX-License-Identifier: MIT
 *
 * slist.c - interlocked singly linked lists, in the program's own header.
 *
 * The header is 16 bytes and changes by one compare-exchange of all of them: the depth, a sequence
 * number, the first entry, and one reserved bit that is a lock for threads that remove.
 *
 * - Push is lock-free: it writes the old first entry into the new one and exchanges. It reads no
 *   entry of others, so it does not matter whether the old first was gone and came back meanwhile.
 * - Pop has to read the first entry's Next before it can exchange. If two popped at once, one
 *   could free the entry that the other is reading, or push it again with another Next (ABA). So a
 *   pop takes the lock bit first. While it is set no other thread removes entries: the holder's
 *   first entry stays on the list, and so do its memory and its Next. Pushes go on, and keep the
 *   bit. Then the holder's exchange fails, and it reads the new first entry.
 * - Flush removes too, and would pull entries from under a pop: it waits for the bit to be clear.
 *
 * The holder needs a handful of instructions. A thread that waits for it spins, and then gives its
 * processor to others. A worker cannot lose its carrier in between, except to a suspension.
 */
#include <string.h>

#include "platform/linux/os/raw.h"
#include "winapi/linux/surface.h"

enum { SPINS = 100 };
#define ENTRY_MASK (~(ULONGLONG)15)
#define HEADER_TYPE ((ULONGLONG)1)
#define LOCK_BIT ((ULONGLONG)4) /* one of the reserved bits */
#define DEPTH_MASK ((ULONGLONG)0xFFFF)
#define ONE_SEQUENCE ((ULONGLONG)0x10000)

struct head {
    ULONGLONG counts; /* Depth:16, Sequence:48 */
    ULONGLONG first;  /* HeaderType:1, Init:1, Reserved:2, NextEntry:60 */
};
_Static_assert(sizeof(struct head) == sizeof(SLIST_HEADER), "the program's header");

/* The two halves may be of different moments; the exchange that follows fails then. */
static struct head look(const SLIST_HEADER *list)
{
    const struct head *head = (const struct head *)list;
    return (struct head){__atomic_load_n(&head->counts, __ATOMIC_RELAXED),
                         __atomic_load_n(&head->first, __ATOMIC_ACQUIRE)};
}

/* Exchanges the header. If that fails, `old` becomes the present header. */
static bool exchange(SLIST_HEADER *list, struct head *old, struct head new)
{
    bool done;
    UMS_CHECK(((uintptr_t)list & 15) == 0, list, 0);
    __asm__ volatile("lock cmpxchg16b %[list]"
                     : [list] "+m"(*list), "=@ccz"(done), "+a"(old->counts), "+d"(old->first)
                     : "b"(new.counts), "c"(new.first)
                     : "memory");
    return done;
}

static PSLIST_ENTRY first_of(struct head head)
{
    return (PSLIST_ENTRY)(head.first & ENTRY_MASK);
}

static struct head with(struct head old, PSLIST_ENTRY first, ULONGLONG depth, ULONGLONG lock)
{
    return (struct head){((old.counts + ONE_SEQUENCE) & ~DEPTH_MASK) |
                             ((old.counts + depth) & DEPTH_MASK),
                         (ULONGLONG)(uintptr_t)first | lock | HEADER_TYPE};
}

static void let_others(int *spins)
{
    if (++*spins % SPINS)
        __builtin_ia32_pause();
    else
        RAW0(SYS_sched_yield);
}

VOID WINAPI InitializeSListHead(PSLIST_HEADER ListHead)
{
    UMS_CHECK(((uintptr_t)ListHead & 15) == 0, ListHead, 0);
    struct head empty = {0, HEADER_TYPE};
    memcpy(ListHead, &empty, sizeof empty);
}

PSLIST_ENTRY WINAPI InterlockedPushListSListEx(PSLIST_HEADER ListHead, PSLIST_ENTRY List,
                                               PSLIST_ENTRY ListEnd, ULONG Count)
{
    struct head old = look(ListHead);
    do
        __atomic_store_n(&ListEnd->Next, first_of(old), __ATOMIC_RELAXED);
    while (!exchange(ListHead, &old, with(old, List, Count, old.first & LOCK_BIT)));
    return first_of(old);
}

PSLIST_ENTRY WINAPI InterlockedPushEntrySList(PSLIST_HEADER ListHead, PSLIST_ENTRY ListEntry)
{
    return InterlockedPushListSListEx(ListHead, ListEntry, ListEntry, 1);
}

/* Waits while another thread's pop has the lock bit. False: the list is empty. */
static bool wait_for_entry(PSLIST_HEADER list, struct head *old, int *spins)
{
    while (first_of(*old) && (old->first & LOCK_BIT)) {
        let_others(spins);
        *old = look(list);
    }
    return first_of(*old);
}

PSLIST_ENTRY WINAPI InterlockedPopEntrySList(PSLIST_HEADER ListHead)
{
    struct head old = look(ListHead), locked;
    int spins = 0;
    do {
        if (!wait_for_entry(ListHead, &old, &spins))
            return NULL;
        locked = with(old, first_of(old), 0, LOCK_BIT);
    } while (!exchange(ListHead, &old, locked));
    old = locked;
    PSLIST_ENTRY next;
    do
        next = __atomic_load_n(&first_of(old)->Next, __ATOMIC_RELAXED);
    while (!exchange(ListHead, &old, with(old, next, (ULONGLONG)-1, 0)));
    return first_of(old);
}

PSLIST_ENTRY WINAPI InterlockedFlushSList(PSLIST_HEADER ListHead)
{
    struct head old = look(ListHead);
    int spins = 0;
    do {
        if (!wait_for_entry(ListHead, &old, &spins))
            return NULL;
    } while (!exchange(ListHead, &old, with(old, NULL, -(old.counts & DEPTH_MASK), 0)));
    return first_of(old);
}

USHORT WINAPI QueryDepthSList(PSLIST_HEADER ListHead)
{
    return (USHORT)(look(ListHead).counts & DEPTH_MASK);
}

PSLIST_ENTRY WINAPI RtlFirstEntrySList(const SLIST_HEADER *ListHead)
{
    return first_of(look(ListHead));
}

/* ---- ntdll's names ------------------------------------------------------------------------- */

VOID WINAPI RtlInitializeSListHead(PSLIST_HEADER ListHead)
{
    InitializeSListHead(ListHead);
}

PSLIST_ENTRY WINAPI RtlInterlockedPushEntrySList(PSLIST_HEADER ListHead, PSLIST_ENTRY ListEntry)
{
    return InterlockedPushEntrySList(ListHead, ListEntry);
}

PSLIST_ENTRY WINAPI RtlInterlockedPopEntrySList(PSLIST_HEADER ListHead)
{
    return InterlockedPopEntrySList(ListHead);
}

PSLIST_ENTRY WINAPI RtlInterlockedFlushSList(PSLIST_HEADER ListHead)
{
    return InterlockedFlushSList(ListHead);
}

WORD WINAPI RtlQueryDepthSList(PSLIST_HEADER ListHead)
{
    return QueryDepthSList(ListHead);
}
