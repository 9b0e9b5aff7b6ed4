/* SPDX-License-Identifier: MIT
 *
 * thread_pointer.c - see thread_pointer.h.
 */
#include <asm/prctl.h>
#include <cpuid.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "platform/check.h"
#include "platform/layout.h"
#include "platform/linux/current.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/static_tls.h"
#include "platform/linux/os/thread_pointer.h"
#include "platform/linux/os/under_tool.h"
#include "platform/platform.h"

enum { HWCAP2_FSGSBASE_BIT = 2, CPUID_FEATURES = 7, CPUID_FSGSBASE_BIT = 1, KERNEL_SET = 8 };
enum {
    FENCE_ABOVE = 1 << 16, /* a control block has some thousand bytes */
    TRIAL_STACK = 1 << 14
};

/* A carrier's record, at its GS base. Each has a cache line. */
struct record {
    _Alignas(64) uintptr_t now; /* the thread pointer of the context that is loaded */
    uintptr_t guard;            /* the address that the kernel loads instead */
    uintptr_t
        retried; /* guard_entry.S: an instruction that faulted in the fence without the guard */
};
_Static_assert(offsetof(struct record, retried) == THREAD_POINTER_RETRIED, "guard_entry.S has it");

uintptr_t thread_pointer_fence, thread_pointer_fence_bytes; /* read by guard_entry.S */
struct record *thread_pointer_records;                      /* read by switch.S */
static _Atomic uint32_t records_used;

LAYOUT_VARIABLE("fence", thread_pointer_fence);
LAYOUT_VARIABLE("fence_bytes", thread_pointer_fence_bytes);

/* ---- Whether the processor has the instruction
 * ------------------------------------------------ */

long bare_clone(unsigned long flags, void *stack, uintptr_t fs, void (*main)(void *), void *arg);

/* Runs in a process of its own, which has the program's memory but not its handlers. It ends by
 * SIGILL, without a core, if the system has switched the instruction off. */
static void try_it(void *unused)
{
    struct kernel_action standard = {.handler = (void *)SIG_DFL};
    struct rlimit none = {0, 0};
    uintptr_t own;
    (void)unused;
    RAW4(SYS_rt_sigaction, SIGILL, &standard, 0, KERNEL_SET);
    RAW4(SYS_prlimit64, 0, RLIMIT_CORE, &none, 0);
    __asm__ volatile("rdfsbase %0\n\twrfsbase %0" : "=r"(own));
    RAW1(SYS_exit_group, 0);
}

static bool processor_has_it(void)
{
    unsigned a, features, c, d;
    int status = -1;
    if (!__get_cpuid_count(CPUID_FEATURES, 0, &a, &features, &c, &d) ||
        !(features & CPUID_FSGSBASE_BIT))
        return false;
    char *stack = plat_reserve(TRIAL_STACK);
    if (!stack)
        return false;
    long child = bare_clone(CLONE_VM | CLONE_VFORK, stack + TRIAL_STACK, 0, try_it, NULL);
    while (child > 0 && RAW4(SYS_wait4, child, &status, __WALL, 0) == -EINTR)
        ;
    RAW2(SYS_munmap, stack, TRIAL_STACK);
    return child > 0 && status == 0;
}

/* Does not choose guards under a debugger that has started the process: it would stop at each
 * fault. A debugger that comes later knows of them (gdb_guard.py). */
bool thread_pointer_choose(const char *wanted)
{
    bool known = getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT;
    bool never = wanted && strcmp(wanted, "0") == 0, guard = wanted && strcmp(wanted, "guard") == 0;
    thread_pointer_way =
        known && !never && !guard ? THREAD_POINTER_BY_INSTRUCTION : THREAD_POINTER_BY_CALL;
    return !never && (guard || (!known && !tracer_found())) && (known || processor_has_it());
}

const char *thread_pointer_told(void)
{
    return thread_pointer_way == THREAD_POINTER_BY_INSTRUCTION ? "instruction"
           : thread_pointer_way == THREAD_POINTER_GUARDED      ? "guarded"
                                                               : "call";
}

/* ---- The fence and the records --------------------------------------------------------------- */

bool thread_pointer_guard_start(void)
{
    enum { PAGE = 4096 };
    if (thread_pointer_way == THREAD_POINTER_GUARDED)
        return true;
    uintptr_t below = (2 * static_tls_bytes() + FENCE_ABOVE) & ~(uintptr_t)(PAGE - 1);
    if (!thread_pointer_records)
        thread_pointer_records = plat_reserve(THREAD_POINTER_RECORDS_BYTES);
    long fence = RAW6(SYS_mmap, 0, below + FENCE_ABOVE, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!thread_pointer_records || (fence < 0 && fence >= -4095))
        return false;
    thread_pointer_fence = (uintptr_t)fence;
    thread_pointer_fence_bytes = below + FENCE_ABOVE;
    thread_pointer_guard = (uintptr_t)fence + below;
    thread_pointer_way = THREAD_POINTER_GUARDED;
    return true;
}

/* If there is no record left for a carrier it is switched by arch_prctl. */
void thread_pointer_guard_own(void)
{
    enum { RECORDS = THREAD_POINTER_RECORDS_BYTES / sizeof(struct record) };
    if (thread_pointer_way != THREAD_POINTER_GUARDED)
        return;
    uint32_t mine = atomic_fetch_add_explicit(&records_used, 1, memory_order_relaxed);
    if (mine >= RECORDS)
        return;
    struct record *record = &thread_pointer_records[mine];
    *record = (struct record){.now = thread_pointer(), .guard = thread_pointer_guard};
    if (RAW2(SYS_arch_prctl, ARCH_SET_GS, record) ||
        RAW2(SYS_arch_prctl, ARCH_SET_FS, thread_pointer_guard))
        UMS_FATAL("a carrier's thread pointer cannot be guarded", record, 0);
}
