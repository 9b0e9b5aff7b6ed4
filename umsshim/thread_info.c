/* SPDX-License-Identifier: MIT
 *
 * thread_info.c - the calls that ask about a context or a thread, and the one that sets a context's
 * user pointer.
 */
#include "umsshim/core.h"

#include <string.h>

/* The exact buffer length of a readable class, 0 for the others. */
static ULONG class_length(UMS_THREAD_INFO_CLASS class)
{
    switch (class) {
    case UmsThreadUserContext:
    case UmsThreadTeb:
        return sizeof(void *);
    case UmsThreadIsSuspended:
    case UmsThreadIsTerminated:
        return sizeof(BOOLEAN);
    default:
        return 0;
    }
}

/* A context that has no thread yet reads as terminated, as on Windows. */
static BOOLEAN is_terminated(uint32_t state)
{
    return state == UMS_EMPTY || state == UMS_TERM_QUEUED || state == UMS_TERMINATED;
}

/* `teb` may be NULL still: a program may ask as soon as the worker is created, before its thread
 * has begun. That holds after ResumeThread of a worker that was created suspended, too. */
static void *teb_of(const struct ums_context *context, uint32_t state)
{
    void *teb = atomic_load_explicit(&context->teb, memory_order_acquire);
    return teb || is_terminated(state) ? teb : plat_worker_teb(&context->plat);
}

BOOL WINAPI QueryUmsThreadInformation(PUMS_CONTEXT UmsThread,
                                      UMS_THREAD_INFO_CLASS UmsThreadInfoClass,
                                      PVOID UmsThreadInformation, ULONG UmsThreadInformationLength,
                                      PULONG ReturnLength)
{
    int error = ums__init();
    if (error)
        return ums__fail((uint32_t)error);
    if (ReturnLength)
        *ReturnLength = 0;
    const struct ums_context *context = UmsThread;
    if (!ums__is_context(context) || !UmsThreadInformation)
        return ums__fail(ERROR_INVALID_PARAMETER);
    ULONG length = class_length(UmsThreadInfoClass);
    if (!length)
        return ums__fail(ERROR_NOT_SUPPORTED);
    if (length != UmsThreadInformationLength)
        return ums__fail(ERROR_BAD_LENGTH);

    uint32_t state = ums__state(context);
    BOOLEAN flag;
    void *teb;
    switch (UmsThreadInfoClass) {
    case UmsThreadUserContext:
        memcpy(UmsThreadInformation, &context->user_context, length);
        break;
    case UmsThreadTeb:
        teb = teb_of(context, state);
        memcpy(UmsThreadInformation, &teb, length);
        break;
    case UmsThreadIsSuspended:
        /* A running worker that is to stop has not stopped yet. */
        flag = atomic_load_explicit(&context->stop, memory_order_acquire) & UMS_SUSPENDS &&
               ums__state(context) != UMS_RUNNING;
        memcpy(UmsThreadInformation, &flag, length);
        break;
    default:
        flag = is_terminated(state);
        memcpy(UmsThreadInformation, &flag, length);
        break;
    }
    if (ReturnLength)
        *ReturnLength = length;
    return TRUE;
}

BOOL WINAPI SetUmsThreadInformation(PUMS_CONTEXT UmsThread,
                                    UMS_THREAD_INFO_CLASS UmsThreadInfoClass,
                                    PVOID UmsThreadInformation, ULONG UmsThreadInformationLength)
{
    int error = ums__init();
    if (error)
        return ums__fail((uint32_t)error);
    struct ums_context *context = UmsThread;
    if (!ums__is_context(context) || !UmsThreadInformation)
        return ums__fail(ERROR_INVALID_PARAMETER);
    if (UmsThreadInfoClass != UmsThreadUserContext)
        return ums__fail(ERROR_NOT_SUPPORTED);
    if (UmsThreadInformationLength != sizeof(void *))
        return ums__fail(ERROR_BAD_LENGTH);
    memcpy(&context->user_context, UmsThreadInformation, sizeof(void *));
    return TRUE;
}

BOOL WINAPI GetUmsSystemThreadInformation(HANDLE ThreadHandle,
                                          PUMS_SYSTEM_THREAD_INFORMATION SystemThreadInfo)
{
    int error = ums__init();
    if (error)
        return ums__fail((uint32_t)error);
    if (!SystemThreadInfo || SystemThreadInfo->UmsVersion != UMS_VERSION)
        return ums__fail(ERROR_INVALID_PARAMETER);
    struct plat_context *context;
    error = plat_thread_context(ThreadHandle, &context);
    if (error)
        return ums__fail((uint32_t)error);
    SystemThreadInfo->ThreadUmsFlags = !context ? 0 : ums__is_worker(ums__of(context)) ? 2 : 1;
    return TRUE;
}
