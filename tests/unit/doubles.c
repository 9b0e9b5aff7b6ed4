/* SPDX-License-Identifier: MIT
 *
 * doubles.c - see doubles.h.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <windows.h>

#include "doubles.h"
#include "platform/check.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

__thread struct plat_tls plat_tls;
uint64_t double_now;
long (*double_syscall)(long nr, const long args[6]);
size_t double_memory = SIZE_MAX;
struct double_fatal double_fatal;

unsigned double_processor;

unsigned plat_processor(void)
{
    return double_processor;
}

uint64_t plat_now(void)
{
    return double_now;
}

void *plat_reserve(size_t bytes)
{
    void *memory;

    if (!double_memory)
        return NULL;
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

bool plat_commit(void *start, size_t bytes)
{
    if (bytes > double_memory)
        return false;
    double_memory -= bytes;
    return true;
}

long raw_syscall(long nr, long a1, long a2, long a3, long a4, long a5, long a6)
{
    const long args[6] = {a1, a2, a3, a4, a5, a6};

    return double_syscall ? double_syscall(nr, args) : 0;
}

/* What the checks of the support library ask Win32 for. */
DWORD WINAPI GetLastError(void)
{
    return plat_tls.teb.last_error;
}

DWORD WINAPI GetCurrentProcessId(void)
{
    return (DWORD)getpid();
}

void plat_lock_contended(struct plat_lock *lock)
{
    UMS_FATAL("a lock is taken twice in a unit that runs on one thread", lock, 0);
}

void plat_unlock_contended(struct plat_lock *lock)
{
    UMS_FATAL("nobody waits for a lock in a unit that runs on one thread", lock, 0);
}

_Atomic bool plat_locks_fenced;

void plat_fatal(const char *file, int line, const char *what, uintptr_t a, uintptr_t b)
{
    if (double_fatal.armed) {
        double_fatal.count++;
        longjmp(double_fatal.jump, 1);
    }
    fprintf(stderr, "%s:%d: %s (%#lx, %#lx)\n", file, line, what, a, b);
    abort();
}
