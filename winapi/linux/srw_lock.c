/* SPDX-License-Identifier: MIT
 *
 * srw_lock.c - slim reader/writer locks: one pointer-sized word.
 *
 *      bit 0      a writer has the lock
 *      bit 1      writers wait, at the lock's address
 *      bit 2      readers wait, one byte above it
 *      bits 4..   the number of readers that have it, or the id of the writer's thread, by which a
 *                 debugger finds the owner
 *
 * A writer that leaves gives the lock to all waiting readers; if there are none, it wakes one
 * writer, which tries again. The last reader that leaves wakes a writer. New readers wait while a
 * writer waits. So neither kind starves the other. A new writer may be faster than a waiting one.
 */
#include "platform/layout.h"
#include "platform/linux/dispatch/address.h"
#include "platform/linux/interrupt/stop.h"
#include "winapi/linux/spin.h"

enum { WRITER = 1, WRITERS_WAIT = 2, READERS_WAIT = 4, READER = 16 };

static ULONG_PTR *word_of(SRWLOCK *lock)
{
    return (ULONG_PTR *)&lock->Ptr;
}

static const void *readers_at(const SRWLOCK *lock)
{
    return (const char *)lock + 1;
}

static ULONG_PTR load(SRWLOCK *lock)
{
    return __atomic_load_n(word_of(lock), __ATOMIC_RELAXED);
}

static bool change(SRWLOCK *lock, ULONG_PTR *from, ULONG_PTR to)
{
    return __atomic_compare_exchange_n(word_of(lock), from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

VOID WINAPI InitializeSRWLock(PSRWLOCK SRWLock)
{
    SRWLock->Ptr = NULL;
}

/* ---- Taking -------------------------------------------------------------------------------- */

static bool free_to_write(ULONG_PTR word)
{
    return !(word & WRITER) && word < READER;
}

static bool free_to_read(ULONG_PTR word)
{
    return !(word & (WRITER | WRITERS_WAIT));
}

BOOLEAN WINAPI TryAcquireSRWLockExclusive(PSRWLOCK SRWLock)
{
    ULONG_PTR word = load(SRWLock);
    while (free_to_write(word))
        if (change(SRWLock, &word, word | WRITER | (ULONG_PTR)GetCurrentThreadId() * READER))
            return TRUE;
    return FALSE;
}

BOOLEAN WINAPI TryAcquireSRWLockShared(PSRWLOCK SRWLock)
{
    ULONG_PTR word = load(SRWLock);
    while (free_to_read(word))
        if (change(SRWLock, &word, word + READER))
            return TRUE;
    return FALSE;
}

static bool writer_waits(void *lock)
{
    ULONG_PTR word = load(lock);
    return word & WRITERS_WAIT && !free_to_write(word);
}
LAYOUT_WAIT("AcquireSRWLockExclusive", writer_waits);

static bool reader_waits(void *lock)
{
    ULONG_PTR word = load(lock);
    return word & READERS_WAIT && !free_to_read(word);
}

static DWORD writer(void *lock)
{
    ULONG_PTR word = load(lock);
    return free_to_write(word) ? 0 : word & WRITER ? (DWORD)(word / READER) : (DWORD)-1;
}

static bool take(void *lock)
{
    return TryAcquireSRWLockExclusive(lock);
}

VOID WINAPI AcquireSRWLockExclusive(PSRWLOCK SRWLock)
{
    if (TryAcquireSRWLockExclusive(SRWLock) || win__spin(SRWLock, writer, take))
        return;
    while (!TryAcquireSRWLockExclusive(SRWLock)) {
        ULONG_PTR word = load(SRWLock);
        if (!free_to_write(word) && change(SRWLock, &word, word | WRITERS_WAIT))
            address_wait(SRWLock, writer_waits, NULL, SRWLock, PLAT_FOREVER);
    }
}

/* Whether the reader has waited: then the thread that woke it has counted it in, and it has the
 * lock. */
struct reader {
    SRWLOCK *lock;
    bool waited;
};

static bool about_to_wait(void *arg)
{
    struct reader *reader = arg;
    return reader->waited = reader_waits(reader->lock);
}
LAYOUT_WAIT("AcquireSRWLockShared", about_to_wait);

VOID WINAPI AcquireSRWLockShared(PSRWLOCK SRWLock)
{
    while (!TryAcquireSRWLockShared(SRWLock)) {
        ULONG_PTR word = load(SRWLock);
        struct reader reader = {SRWLock, false};
        uint32_t result = 0;
        if (!free_to_read(word) && change(SRWLock, &word, word | READERS_WAIT))
            result = address_wait(readers_at(SRWLock), about_to_wait, NULL, &reader, PLAT_FOREVER);
        if (reader.waited && !result)
            return;
    }
}

/* ---- Giving back --------------------------------------------------------------------------- */

/* admit_readers and admit_writer run under the address's lock, so no thread begins to wait
 * meanwhile. `count` is the number of threads that they wake. It is 0 if a thread has announced its
 * wait but does not wait yet, or was ended before. */
struct admission {
    SRWLOCK *lock;
    unsigned count;
};

static void admit_readers(void *arg, unsigned count, bool more)
{
    (void)more;
    struct admission *admission = arg;
    ULONG_PTR word = load(admission->lock), next;
    admission->count = count;
    do
        next = (word & WRITERS_WAIT) + count * READER;
    while (!change(admission->lock, &word, next));
}

static void admit_writer(void *arg, unsigned count, bool more)
{
    struct admission *admission = arg;
    admission->count = count;
    if (!more)
        __atomic_fetch_and(word_of(admission->lock), ~(ULONG_PTR)WRITERS_WAIT, __ATOMIC_ACQ_REL);
}

/* Gives the calling writer's lock to the waiting readers. False: none waits. */
static bool hand_to_readers(SRWLOCK *lock)
{
    struct admission admission = {lock, 0};
    address_wake(readers_at(lock), ~0u, admit_readers, &admission);
    return admission.count > 0;
}

/* The lock is free, and a thread may wait for it. If another thread takes the lock meanwhile, that
 * thread does this when it gives the lock back. */
static void pass_on(SRWLOCK *lock)
{
    for (;;) {
        ULONG_PTR word = load(lock);
        struct admission admission = {lock, 0};
        if (!free_to_write(word) || !(word & (WRITERS_WAIT | READERS_WAIT)))
            return;
        if (word & WRITERS_WAIT)
            address_wake(lock, 1, admit_writer, &admission);
        else if (change(lock, &word, word | WRITER))
            admission.count = hand_to_readers(lock);
        if (admission.count)
            return;
    }
}

static inline void release_exclusive(SRWLOCK *SRWLock)
{
    ULONG_PTR word = load(SRWLock);
    for (;;) {
        if (word & READERS_WAIT) {
            if (hand_to_readers(SRWLock))
                return;
            break;
        }
        if (change(SRWLock, &word, word & (WRITERS_WAIT | READERS_WAIT)))
            break;
    }
    if (word & (WRITERS_WAIT | READERS_WAIT))
        pass_on(SRWLock);
}

STOP_LOOKS VOID WINAPI ReleaseSRWLockExclusive(PSRWLOCK SRWLock)
{
    release_exclusive(SRWLock);
    stop_look();
}

STOP_LOOKS VOID WINAPI ReleaseSRWLockShared(PSRWLOCK SRWLock)
{
    ULONG_PTR word = __atomic_sub_fetch(word_of(SRWLock), READER, __ATOMIC_ACQ_REL);
    if (word < READER && word & (WRITERS_WAIT | READERS_WAIT))
        pass_on(SRWLock);
    stop_look();
}
