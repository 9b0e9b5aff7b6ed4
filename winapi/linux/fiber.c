/* SPDX-License-Identifier: MIT
 *
 * fiber.c - the Win32 calls for fibers, which platform/linux/switch/fiber.h implements; and
 * NtCurrentTeb, by which GetCurrentFiber and GetFiberData of the headers find the fiber.
 *
 * Each fiber has Fls values of its own: a switch exchanges them.
 */
#include <dlfcn.h>

#include "platform/linux/os/teb.h"
#include "platform/linux/switch/fiber.h"
#include "umsshim/core.h"
#include "winapi/linux/slots.h"
#include "winapi/linux/stack.h"
#include "winapi/linux/surface.h"

enum { ENDED_BY_ITS_FIBER = 1 }; /* the exit code of a thread that its fiber ends */

struct _TEB *WINAPI NtCurrentTeb(void)
{
    return (struct _TEB *)teb_current();
}

VOID WINAPI GetCurrentThreadStackLimits(PULONG_PTR LowLimit, PULONG_PTR HighLimit)
{
    struct plat_teb *teb = teb_current();
    *LowLimit = teb->stack_limit;
    *HighLimit = teb->stack_base;
}

/* The C++ run time keeps the exceptions in progress in two words of the thread. They belong to the
 * fiber's frames, so a switch exchanges them. The program may load the C++ run time later than this
 * library. */
static void find_cxx(void)
{
    if (plat_tls.cxx_exceptions)
        return;
    void *(*words)(void) = NULL;
    *(void **)&words = dlsym(RTLD_DEFAULT, "__cxa_get_globals");
    if (words)
        plat_tls.cxx_exceptions = words();
}

/* ---- From thread to fiber and back --------------------------------------------------------- */

BOOL WINAPI IsThreadAFiber(VOID)
{
    return plat_tls.fiber != NULL;
}

LPVOID WINAPI ConvertThreadToFiberEx(LPVOID lpParameter, DWORD dwFlags)
{
    if (plat_tls.fiber || dwFlags & ~(DWORD)FIBER_FLAG_FLOAT_SWITCH) {
        win__fail(plat_tls.fiber ? ERROR_ALREADY_FIBER : ERROR_INVALID_PARAMETER);
        return NULL;
    }
    find_cxx();
    /* thread_current makes the thread's object, without which no code runs at the thread's end. */
    struct fiber *fiber = thread_current() ? fiber_adopt() : NULL;
    if (!fiber)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    else
        fiber->data = lpParameter;
    return fiber;
}

LPVOID WINAPI ConvertThreadToFiber(LPVOID lpParameter)
{
    return ConvertThreadToFiberEx(lpParameter, 0);
}

/* The Fls values stay, and are the thread's now. */
BOOL WINAPI ConvertFiberToThread(VOID)
{
    struct fiber *fiber = plat_tls.fiber;
    if (!fiber)
        return win__fail(ERROR_ALREADY_THREAD);
    fiber_abandon(fiber);
    return TRUE;
}

/* ---- Creating and deleting ----------------------------------------------------------------- */

/* pthread_exit and a cancellation in a fiber unwind to the fiber's first frame. A worker ends here,
 * as libc would go on in a frame of the worker's home. For any other thread libc goes on. */
static void unwound(void)
{
    struct ums_context *worker = ums__current_worker();
    if (worker)
        ums__worker_exit(worker);
}

static void first(struct fiber *fiber)
{
    fiber_arrived(fiber);
    fiber_call(fiber, unwound);
    ExitThread(ENDED_BY_ITS_FIBER);
}

LPVOID WINAPI CreateFiberEx(SIZE_T dwStackCommitSize, SIZE_T dwStackReserveSize, DWORD dwFlags,
                            LPFIBER_START_ROUTINE lpStartAddress, LPVOID lpParameter)
{
    if (dwFlags & ~(DWORD)FIBER_FLAG_FLOAT_SWITCH) {
        win__fail(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    find_cxx();
    SIZE_T larger = dwStackReserveSize > dwStackCommitSize ? dwStackReserveSize : dwStackCommitSize;
    struct fiber *fiber = fiber_create(win__stack_bytes(larger), first);
    if (!fiber) {
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    fiber->data = lpParameter;
    fiber->start = (void (*)(void *))lpStartAddress;
    return fiber;
}

LPVOID WINAPI CreateFiber(SIZE_T dwStackSize, LPFIBER_START_ROUTINE lpStartAddress,
                          LPVOID lpParameter)
{
    return CreateFiberEx(dwStackSize, 0, 0, lpStartAddress, lpParameter);
}

VOID WINAPI DeleteFiber(LPVOID lpFiber)
{
    struct fiber *fiber = lpFiber;
    if (!fiber)
        return;
    if (fiber == plat_tls.fiber) {
        fiber->deleted = true;
        ExitThread(ENDED_BY_ITS_FIBER);
    }
    const void *runs_on = atomic_load_explicit(&fiber->runs_on, memory_order_acquire);
    if (runs_on && runs_on != FIBER_ENDED)
        UMS_FATAL("DeleteFiber of a fiber that another thread runs: its stack would be gone", fiber,
                  runs_on);
    if (!runs_on)
        slots_discard(fiber->values);
    fiber_destroy(fiber);
}

/* ---- Switching ----------------------------------------------------------------------------- */

VOID WINAPI SwitchToFiber(LPVOID lpFiber)
{
    struct fiber *from = plat_tls.fiber, *to = lpFiber;
    if (UMS_UNLIKELY(!from || !to))
        UMS_FATAL("SwitchToFiber by a thread that is no fiber, or to NULL: "
                  "call ConvertThreadToFiber first",
                  from, to);
    if (UMS_UNLIKELY(from == to))
        return;
    const void *runs_on = atomic_load_explicit(&to->runs_on, memory_order_acquire);
    if (UMS_UNLIKELY(runs_on != NULL))
        UMS_FATAL(runs_on == FIBER_ENDED ? "SwitchToFiber to a fiber whose thread has ended"
                                         : "SwitchToFiber to a fiber that another thread runs",
                  to, runs_on);
    from->values = slots_exchange(to->values);
    fiber_switch(from, to);
}
