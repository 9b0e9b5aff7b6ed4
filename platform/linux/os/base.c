/* SPDX-License-Identifier: MIT
 *
 * base.c - the small things of the seam: time, address space, a line on stderr.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "platform/linux/current.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/own_write.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/sanitizer.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

__thread struct plat_tls plat_tls;
const struct plat_core *engine_core;
struct engine_clock engine_clock;
_Atomic bool engine_threads;

uint64_t plat_now(void)
{
    struct timespec ts;
    LIBC(clock_gettime)(CLOCK_MONOTONIC, &ts); /* vDSO: no system call */
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* After mlockall(MCL_FUTURE) the kernel fills every new mapping at once, if it can be read. An
 * arena is large, and little of it is ever used: so it is made unreadable first, and unlocked. */
void *plat_reserve(size_t bytes)
{
    enum { LARGE = 1 << 20 };
    int access = PROT_READ | PROT_WRITE;
    long p = RAW6(SYS_mmap, 0, bytes, bytes < LARGE ? access : PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p < 0 && p >= -4095)
        return NULL;
    if (bytes >= LARGE) {
        RAW2(SYS_munlock, p, bytes);
        if (RAW3(SYS_mprotect, p, bytes, access)) {
            RAW2(SYS_munmap, p, bytes);
            return NULL;
        }
    }
    SANITIZER_FRESH((void *)p, bytes);
    return (void *)p;
}

/* The kernel commits a page when it is touched. */
bool plat_commit(void *start, size_t bytes)
{
    (void)start, (void)bytes;
    return true;
}

static void print_line(const char *format, va_list args)
{
    char line[512];
    int n = snprintf(line, sizeof line, "umsshim: ");
    int m = vsnprintf(line + n, sizeof line - (size_t)n - 1, format, args);
    if (m > 0)
        n += m < (int)sizeof line - n - 1 ? m : (int)sizeof line - n - 2;
    line[n++] = '\n';
    own_write(2, line, (size_t)n);
}

void plat_log(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(format, args);
    va_end(args);
}

_Noreturn void plat_fatal(const char *file, int line, const char *what, uintptr_t a, uintptr_t b)
{
    plat_log("fatal at %s:%d: %s (0x%lx, 0x%lx)", file, line, what, (unsigned long)a,
             (unsigned long)b);
    abort();
}
