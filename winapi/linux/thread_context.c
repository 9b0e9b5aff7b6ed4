/* SPDX-License-Identifier: MIT
 *
 * thread_context.c - the registers of this process's threads: GetThreadContext, SetThreadContext.
 *
 * interrupt/registers.h says where the registers are. Whether a worker runs is in its state, which
 * belongs to the core (umsshim/), so this file looks at it. It holds the thread's binding, so that
 * no thread resumes or ends the worker meanwhile. A call suspends a thread that is not suspended,
 * until the call ends.
 */
#include <string.h>

#include "platform/linux/interrupt/registers_ask.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/start.h"
#include "umsshim/core.h"
#include "winapi/linux/exception.h"

enum { NO_ERROR_YET = 0, LOOK_AGAIN = -1 };

static struct ums_context *worker_of(struct plat_thread *thread)
{
    struct plat_context *context = thread->context;
    return context && !context->is_scheduler ? ums__of(context) : NULL;
}

/* ---- The parts of a CONTEXT ------------------------------------------------------------------ */

static bool names(const CONTEXT *context, DWORD part)
{
    return (context->ContextFlags & part) == part;
}

static void tell_integers(CONTEXT *to, const CONTEXT *from)
{
    to->Rax = from->Rax, to->Rcx = from->Rcx, to->Rdx = from->Rdx, to->Rbx = from->Rbx;
    to->Rbp = from->Rbp, to->Rsi = from->Rsi, to->Rdi = from->Rdi;
    to->R8 = from->R8, to->R9 = from->R9, to->R10 = from->R10, to->R11 = from->R11;
    to->R12 = from->R12, to->R13 = from->R13, to->R14 = from->R14, to->R15 = from->R15;
}

/* Copies the parts that ContextFlags names; the others stay. */
static void tell(CONTEXT *to, const CONTEXT *from)
{
    if (names(to, CONTEXT_CONTROL)) {
        to->Rip = from->Rip, to->Rsp = from->Rsp, to->EFlags = from->EFlags;
        to->SegCs = from->SegCs, to->SegSs = from->SegSs;
    }
    if (names(to, CONTEXT_INTEGER))
        tell_integers(to, from);
    if (names(to, CONTEXT_SEGMENTS)) {
        to->SegDs = from->SegDs, to->SegEs = from->SegEs;
        to->SegFs = from->SegFs, to->SegGs = from->SegGs;
    }
    if (names(to, CONTEXT_FLOATING_POINT)) {
        to->FltSave = from->FltSave;
        to->MxCsr = from->MxCsr;
    }
    if (names(to, CONTEXT_DEBUG_REGISTERS))
        to->Dr0 = to->Dr1 = to->Dr2 = to->Dr3 = to->Dr6 = to->Dr7 = 0;
}

/* ---- Finding the registers: the caller holds the binding ------------------------------------- */

/* A worker that was created suspended is about to call its function. */
static void about_to_begin(const struct ums_context *worker, struct thread_registers *registers)
{
    greg_t *to = registers->context.uc_mcontext.gregs;
    memset(registers, 0, sizeof *registers);
    to[REG_RIP] = (greg_t)(uintptr_t)worker->start;
    to[REG_RDI] = (greg_t)(uintptr_t)worker->start_param;
    to[REG_RSP] = (greg_t)(uintptr_t)worker->plat.sp;
    registers->context.uc_mcontext.fpregs = &registers->state;
}

static int look_at_worker(struct plat_thread *thread, const struct ums_context *worker,
                          struct thread_registers *registers)
{
    uint32_t state = ums__state(worker);
    if (state >= UMS_EXITING)
        return ERROR_GEN_FAILURE;
    if (registers_standing(thread, registers))
        return NO_ERROR_YET;
    if (state == UMS_STARTING) {
        about_to_begin(worker, registers);
        return NO_ERROR_YET;
    }
    if (state == UMS_RUNNING)
        return LOOK_AGAIN;
    if (worker->plat.kernel_at) /* waits in the kernel: in a page fault or a lent call */
        return ERROR_GEN_FAILURE;
    void *sp = __atomic_load_n(&worker->plat.sp, __ATOMIC_ACQUIRE);
    registers_saved(sp, registers);
    atomic_thread_fence(memory_order_acquire);
    bool same = ums__state(worker) == state && worker->plat.sp == sp;
    return same ? NO_ERROR_YET : LOOK_AGAIN;
}

static int look_at_thread(struct plat_thread *thread, struct thread_registers *registers)
{
    struct thread_stop *stop = &thread->stopping;
    if (atomic_load(&stop->count) && !atomic_load(&stop->stopped))
        return LOOK_AGAIN;
    bool known = registers_standing(thread, registers) || registers_asked(thread, registers);
    return known ? NO_ERROR_YET : ERROR_GEN_FAILURE;
}

static int look(struct plat_thread *thread, struct thread_registers *registers)
{
    if (thread->ended)
        return ERROR_GEN_FAILURE;
    struct ums_context *worker = worker_of(thread);
    return worker ? look_at_worker(thread, worker, registers) : look_at_thread(thread, registers);
}

/* ---- Changing the registers: the caller holds the binding ------------------------------------ */

static bool is_suspended(struct plat_thread *thread)
{
    struct ums_context *worker = worker_of(thread);
    return worker ? atomic_load(&worker->stop) & UMS_SUSPENDS
                  : atomic_load(&thread->stopping.count) != 0;
}

/* Whether a suspended thread has stopped. A running worker stops together with its scheduler. */
static bool stands(struct plat_thread *thread)
{
    struct ums_context *worker = worker_of(thread);
    struct plat_context *scheduler = worker ? worker->plat.scheduler : NULL;
    if (!worker)
        return atomic_load(&thread->stopping.stopped);
    return ums__state(worker) != UMS_RUNNING ||
           (scheduler && atomic_load(&scheduler->thread->stopping.stopped) &&
            atomic_load(&scheduler->thread->stopping.count));
}

/* Whether this is the caller's scheduler: then the caller would stop with it. */
static bool runs_caller(const struct plat_thread *thread)
{
    const struct plat_context *self = plat_current();
    return self && !self->is_scheduler && self->scheduler && self->scheduler->thread == thread;
}

static int change(struct plat_thread *thread, const CONTEXT *context)
{
    struct ums_context *worker = worker_of(thread);
    if (thread->ended || (worker && ums__state(worker) >= UMS_EXITING))
        return ERROR_GEN_FAILURE;
    if (!stands(thread))
        return LOOK_AGAIN;
    ucontext_t *at = atomic_load(&thread->stopping.stands_at);
    if (!at)
        return ERROR_NOT_SUPPORTED; /* it has stopped in this library, which must go on as it is */
    win__registers_changed(at, context);
    return NO_ERROR_YET;
}

/* ---- The calls ------------------------------------------------------------------------------- */

/* The caller holds the binding. Suspends a thread for the time of the call. */
static bool suspend(struct plat_thread *thread)
{
    struct ums_context *worker = worker_of(thread);
    return (worker ? ums__worker_suspend(worker) : thread_suspend(thread)) >= 0;
}

static void resume(struct plat_thread *thread)
{
    struct ums_context *worker = worker_of(thread);
    if (worker)
        ums__worker_resume(worker);
    else
        thread_resume(thread);
}

static DWORD of_another(struct plat_thread *thread, CONTEXT *context, bool changes)
{
    struct thread_registers registers;
    bool ours = false;
    int error;
    if (engine_start())
        return ERROR_NOT_ENOUGH_MEMORY;
    plat_lock(&thread->binding);
    for (;;) {
        error = ERROR_NOT_SUPPORTED;
        if (changes && runs_caller(thread))
            break;
        if (changes && !thread->ended && !is_suspended(thread))
            ours = suspend(thread);
        error = changes ? change(thread, context) : look(thread, &registers);
        if (error != LOOK_AGAIN)
            break;
        if (!is_suspended(thread))
            ours = suspend(thread);
        registers_await(thread);
        plat_lock(&thread->binding);
    }
    if (ours && !thread->ended)
        resume(thread);
    plat_unlock(&thread->binding);
    if (error || changes)
        return (DWORD)error;
    CONTEXT told;
    win__registers_told(&registers.context, &told);
    tell(context, &told);
    return ERROR_SUCCESS;
}

static BOOL refuse(struct plat_thread *thread, DWORD error)
{
    object_drop(&thread->object);
    return win__fail(error);
}

/* The thread, with a reference, if both arguments are valid. NULL with the last error. */
static struct plat_thread *thread_for(HANDLE handle, const CONTEXT *context)
{
    struct plat_thread *thread = win__thread(handle);
    if (!thread)
        return NULL;
    if (context && context->ContextFlags & CONTEXT_AMD64)
        return thread;
    refuse(thread, context ? ERROR_INVALID_PARAMETER : ERROR_NOACCESS);
    return NULL;
}

BOOL WINAPI GetThreadContext(HANDLE hThread, LPCONTEXT lpContext)
{
    struct plat_thread *thread = thread_for(hThread, lpContext);
    if (!thread)
        return FALSE;
    DWORD error = ERROR_SUCCESS;
    if (thread == plat_tls.thread) {
        CONTEXT own;
        RtlCaptureContext(&own);
        tell(lpContext, &own);
    } else {
        error = of_another(thread, lpContext, false);
    }
    object_drop(&thread->object);
    return win__result((int)error);
}

BOOL WINAPI SetThreadContext(HANDLE hThread, const CONTEXT *lpContext)
{
    struct plat_thread *thread = thread_for(hThread, lpContext);
    if (!thread)
        return FALSE;
    if (thread == plat_tls.thread)
        return refuse(thread, ERROR_NOT_SUPPORTED);
    CONTEXT copy = *lpContext;
    DWORD error = of_another(thread, &copy, true);
    object_drop(&thread->object);
    return win__result((int)error);
}

/* ---- Room for the handler of an overflow ----------------------------------------------------- */

/* Only remembered: a program makes room for the handler of an overflow by sigaltstack. */
BOOL WINAPI SetThreadStackGuarantee(PULONG StackSizeInBytes)
{
    enum { PAGE = 4096 };
    if (!StackSizeInBytes)
        return win__fail(ERROR_NOACCESS);
    struct plat_thread *thread = thread_current();
    if (!thread)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    ULONG_PTR low, high;
    ULONG wanted = *StackSizeInBytes;
    GetCurrentThreadStackLimits(&low, &high);
    if (wanted > high - low)
        return win__fail(ERROR_INVALID_PARAMETER);
    *StackSizeInBytes = thread->hints.stack_guarantee;
    if (wanted > thread->hints.stack_guarantee)
        thread->hints.stack_guarantee = (wanted + PAGE - 1) & ~(ULONG)(PAGE - 1);
    return TRUE;
}
