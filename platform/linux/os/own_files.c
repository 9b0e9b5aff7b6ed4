/* SPDX-License-Identifier: MIT
 *
 * own_files.c - see own_files.h.
 */
#include "platform/linux/os/own_files.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>

#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"

enum { ROOM = 64, LARGE_LIMIT = 4096, SPARES = 16 };

_Atomic uint64_t own_files[OWN_FILES / 64];
static PLAT_LOCK(LIMIT) limit_lock; /* for the process's limit, while it is raised */
static struct rlimit limit_before;  /* with the lock; a child that is forked meanwhile restores
                                     * it */
static _Atomic bool limit_raised;

static void note(int fd)
{
    if ((unsigned)fd < OWN_FILES)
        atomic_fetch_or_explicit(&own_files[fd / 64], UINT64_C(1) << fd % 64, memory_order_relaxed);
}

int own_file_from(unsigned fd)
{
    for (; fd < OWN_FILES; fd++) {
        uint64_t rest = atomic_load_explicit(&own_files[fd / 64], memory_order_relaxed) >> fd % 64;
        if (rest)
            return (int)fd + __builtin_ctzll(rest);
        fd |= 63;
    }
    return -1;
}

/* Forgets the number before it closes the file: right after that the number may be the
 * program's. */
void own_file_close(long fd)
{
    if ((unsigned long)fd < OWN_FILES)
        atomic_fetch_and_explicit(&own_files[fd / 64], ~(UINT64_C(1) << fd % 64),
                                  memory_order_relaxed);
    RAW1(SYS_close, fd);
}

static long duplicate_from(int fd, rlim_t number)
{
    return RAW3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, number);
}

/* ---- Duplicates of the program's files ------------------------------------------------------- */

/* A *blank* is a file of the library's that reserves a number. A number is noted here from when it
 * holds a blank, before a file of the program's comes to it, until after that file has gone. A
 * child that is forked between two of these system calls may get a blank that it does not know of,
 * but never a file. Only if dup3 or the limit refuses the blank when the file goes, the child may
 * get the file. The first numbers are kept when they are let go (spares). A thread that takes a
 * number's bit out of that word has the number. */
static _Atomic uint64_t duplicates[OWN_FILES / 64];
static _Atomic uint32_t spares;

static int take_spare(void)
{
    uint32_t bits;
    while ((bits = atomic_load_explicit(&spares, memory_order_relaxed)) != 0) {
        int first = __builtin_ctz(bits);
        if (atomic_fetch_and_explicit(&spares, ~(1u << first), memory_order_acquire) >> first & 1)
            return FIRST_DUPLICATE + first;
    }
    return -1;
}

static void forget_duplicate(int number)
{
    if ((unsigned)number < OWN_FILES)
        atomic_fetch_and_explicit(&duplicates[number / 64], ~(UINT64_C(1) << number % 64),
                                  memory_order_relaxed);
}

long own_file_duplicate(int fd, int blank, unsigned lowest)
{
    long number = lowest == FIRST_DUPLICATE ? take_spare() : -1;
    if (number < 0) {
        number = duplicate_from(blank, lowest);
        if (number < 0)
            return number;
        note((int)number);
        if (number < OWN_FILES)
            atomic_fetch_or_explicit(&duplicates[number / 64], UINT64_C(1) << number % 64,
                                     memory_order_relaxed);
    }
    long result = RAW3(SYS_dup3, fd, number, O_CLOEXEC);
    if (result < 0) {
        forget_duplicate((int)number);
        own_file_close(number);
    }
    return result;
}

void own_file_let_go(int number, int blank)
{
    bool blanked = RAW3(SYS_dup3, blank, number, O_CLOEXEC) >= 0;
    unsigned place = (unsigned)number - FIRST_DUPLICATE;
    if (blanked && place < SPARES) {
        atomic_fetch_or_explicit(&spares, 1u << place, memory_order_release);
        return;
    }
    forget_duplicate(number);
    own_file_close(number);
}

bool own_file_give_up_spare(int number)
{
    unsigned place = (unsigned)number - FIRST_DUPLICATE;
    if (place >= SPARES ||
        !(atomic_fetch_and_explicit(&spares, ~(1u << place), memory_order_acquire) >> place & 1))
        return false;
    forget_duplicate(number);
    own_file_close(number);
    return true;
}

void own_files_forget(void)
{
    plat_lock_forget(&limit_lock);
    if (atomic_exchange_explicit(&limit_raised, false, memory_order_acquire))
        RAW4(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit_before, 0);
    atomic_store_explicit(&spares, 0, memory_order_relaxed);
    for (int word = 0; word < OWN_FILES / 64; word++) {
        uint64_t bits = atomic_exchange_explicit(&duplicates[word], 0, memory_order_relaxed);
        for (; bits; bits &= bits - 1)
            own_file_close(word * 64 + __builtin_ctzll(bits));
    }
}

/* ---- High numbers ---------------------------------------------------------------------------- */

/* -1: the limit cannot be raised, or is so high that the kernel's table would be large. */
static long duplicate_above(int fd, const struct rlimit *limit)
{
    rlim_t top = limit->rlim_cur + ROOM;
    struct rlimit raised = {top, limit->rlim_max < top ? top : limit->rlim_max};
    struct rlimit before = raised;
    if (limit->rlim_cur > LARGE_LIMIT)
        return -1;
    limit_before = *limit;
    atomic_store_explicit(&limit_raised, true, memory_order_release);
    long high = RAW4(SYS_prlimit64, 0, RLIMIT_NOFILE, &raised, 0);
    if (high == 0) {
        high = duplicate_from(fd, limit->rlim_cur);
        RAW4(SYS_prlimit64, 0, RLIMIT_NOFILE, limit, &before);
        if (before.rlim_cur != raised.rlim_cur || before.rlim_max != raised.rlim_max)
            RAW4(SYS_prlimit64, 0, RLIMIT_NOFILE, &before, 0); /* the program has set another */
    }
    atomic_store_explicit(&limit_raised, false, memory_order_release);
    return high;
}

int fd_move_high(int fd)
{
    if (fd < 0)
        return fd;
    struct rlimit limit = {1024, 1024};
    plat_lock(&limit_lock);
    RAW4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit);
    long high = duplicate_above(fd, &limit);
    plat_unlock(&limit_lock);
    if (high < 0) {
        rlim_t top = limit.rlim_cur < LARGE_LIMIT ? limit.rlim_cur : LARGE_LIMIT;
        /* Not at the upper end, where programs look for room as well. */
        high = duplicate_from(fd, top > 2 * ROOM ? top - top / 4 - ROOM : top / 2);
    }
    if (high >= 0)
        RAW1(SYS_close, fd);
    else
        high = fd; /* no high number is left */
    note((int)high);
    return (int)high;
}

void own_files_room(void)
{
    if (__libc_single_threaded)
        own_file_close(fd_move_high((int)RAW2(SYS_eventfd2, 0, EFD_CLOEXEC)));
}
