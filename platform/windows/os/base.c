/* SPDX-License-Identifier: MIT
 *
 * base.c - the small things of the seam: time, locks, address space, switches in the environment, a
 * line on stderr.
 */
#include <stdarg.h>
#include <stdio.h>

#include "platform/windows/engine.h"

uint64_t plat_now(void)
{
    static uint64_t frequency; /* constant since the system started */
    LARGE_INTEGER count;
    if (!frequency) {
        QueryPerformanceFrequency(&count);
        frequency = (uint64_t)count.QuadPart;
    }
    QueryPerformanceCounter(&count);
    uint64_t ticks = (uint64_t)count.QuadPart;
    return ticks / frequency * 1000000000u + ticks % frequency * 1000000000u / frequency;
}

enum { SPINS = 40, YIELDS = 64 };

static bool lock_try(struct plat_lock *lock)
{
    return atomic_load_explicit(&lock->word, memory_order_relaxed) == 0 &&
           atomic_exchange_explicit(&lock->word, 1, memory_order_acquire) == 0;
}

/* A thread that waits here sleeps by the clock and not for a wake-up. Sections are shorter than a
 * wake-up, so one lasts only if its holder lost its processor. Then it helps to give ours away, and
 * to sleep a millisecond now and then, in case the holder has less priority. A wake-up would use
 * the thread's only alert, which the program may need, or a call that waits until the sleeper takes
 * it, and the sleeper may be suspended. `inside` keeps the hooks from taking this wait for the
 * worker's own. */
void lock_wait(struct plat_lock *lock, struct plat_context *self)
{
    bool inside = self && self->inside;
    if (self)
        self->inside = true;
    for (unsigned i = 1; !lock_try(lock); i++)
        if (i <= SPINS)
            __builtin_ia32_pause();
        else if (i % YIELDS)
            SwitchToThread();
        else
            Sleep(1);
    if (self)
        self->inside = inside;
}

unsigned plat_processor(void)
{
    return GetCurrentProcessorNumber();
}

void *plat_reserve(size_t bytes)
{
    return VirtualAlloc(NULL, bytes, MEM_RESERVE, PAGE_NOACCESS);
}

bool plat_commit(void *start, size_t bytes)
{
    return VirtualAlloc(start, bytes, MEM_COMMIT, PAGE_READWRITE) != NULL;
}

bool plat_switch(const char *name, char value)
{
    char text[4];
    DWORD length = GetEnvironmentVariableA(name, text, sizeof text);
    return length == 1 && text[0] == value;
}

static void print_line(const char *format, va_list args)
{
    char line[512];
    int n = snprintf(line, sizeof line, "umsshim: ");
    int m = vsnprintf(line + n, sizeof line - (size_t)n - 2, format, args);
    if (m > 0)
        n += m < (int)sizeof line - n - 2 ? m : (int)sizeof line - n - 3;
    line[n++] = '\n';
    DWORD written, error = GetLastError();
    WriteFile(GetStdHandle(STD_ERROR_HANDLE), line, (DWORD)n, &written, NULL);
    SetLastError(error);
}

void plat_log(const char *format, ...)
{
    struct plat_context *self = plat_current();
    bool inside = self && self->inside;
    va_list args;
    if (self)
        self->inside = true;
    va_start(args, format);
    print_line(format, args);
    va_end(args);
    if (self)
        self->inside = inside;
}

_Noreturn void plat_fatal(const char *file, int line, const char *what, uintptr_t a, uintptr_t b)
{
    plat_log("fatal at %s:%d: %s (0x%llx, 0x%llx)", file, line, what, (unsigned long long)a,
             (unsigned long long)b);
    RaiseException(0xE0554D53, EXCEPTION_NONCONTINUABLE, 0, NULL);
    TerminateProcess(GetCurrentProcess(), 3);
    __builtin_unreachable();
}
