/* SPDX-License-Identifier: MIT
 *
 * call_registers.c - another thread's registers. A worker's are on the thread that carries it,
 * which need not be its own.
 *
 * As of any thread, they mean something only while the worker stands still. A parked worker has
 * only the registers that a call preserves. A worker that was suspended while it ran has all.
 */
#include "platform/windows/calls/calls.h"
#include "platform/windows/switch/inplace.h"
#include "platform/windows/switch/registers.h"

/* The worker behind the handle, if it is not the calling thread and its own thread does not carry
 * it. */
static struct plat_context *elsewhere(HANDLE thread)
{
    struct plat_context *context = NULL;
    if (!engine_in_place || plat_thread_context(thread, &context) != 0 || !context ||
        context == plat_current() || context->is_scheduler)
        return NULL;
    return context->saved_sp || context->host ? context : NULL;
}

HANDLER(NtGetContextThread, HANDLE thread, CONTEXT *registers)
{
    struct plat_context *worker = elsewhere(thread);
    struct plat_context *host = worker ? __atomic_load_n(&worker->host, __ATOMIC_ACQUIRE) : NULL;
    if (!worker)
        return ORIGINAL(NtGetContextThread)(thread, registers);
    if (!host)
        return worker_registers(worker, registers)
                   ? 0
                   : ORIGINAL(NtGetContextThread)(thread, registers);
    HANDLE carrier = OpenThread(THREAD_GET_CONTEXT, FALSE, host->thread_id);
    NTSTATUS status = ORIGINAL(NtGetContextThread)(carrier ? carrier : thread, registers);
    if (carrier)
        CloseHandle(carrier);
    return status;
}

/* Refuses to set the registers of a worker that is not on its own thread. */
HANDLER(NtSetContextThread, HANDLE thread, const CONTEXT *registers)
{
    if (elsewhere(thread))
        return (NTSTATUS)0xC0000001; /* STATUS_UNSUCCESSFUL */
    return ORIGINAL(NtSetContextThread)(thread, registers);
}
