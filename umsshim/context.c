/* SPDX-License-Identifier: MIT
 *
 * context.c - the calls that make and delete contexts.
 */
#include "umsshim/core.h"

BOOL WINAPI CreateUmsThreadContext(PUMS_CONTEXT *lpUmsThread)
{
    int error = ums__init();
    if (lpUmsThread)
        *lpUmsThread = NULL;
    if (error || !lpUmsThread)
        return ums__fail(error ? (uint32_t)error : ERROR_INVALID_PARAMETER);
    struct ums_context *context = ums__arena_alloc(&ums__contexts);
    if (!context)
        return ums__fail(ERROR_NOT_ENOUGH_MEMORY);
    context->plat.number = ums__number(context);
    ums__state_set(&context->state, UMS_FREE, UMS_EMPTY);
    *lpUmsThread = context;
    return TRUE;
}

BOOL WINAPI DeleteUmsThreadContext(PUMS_CONTEXT UmsThread)
{
    int error = ums__init();
    if (error)
        return ums__fail((uint32_t)error);
    struct ums_context *context = UmsThread;
    if (!ums__is_context(context))
        return ums__fail(ERROR_INVALID_PARAMETER);
    if (ums__state_claim(&context->state, UMS_EMPTY, UMS_FREE) ||
        ums__state_claim(&context->state, UMS_TERMINATED, UMS_FREE)) {
        ums__arena_free(&ums__contexts, context);
        return TRUE;
    }
    /* The worker has ended and is still on its list: the dequeue frees its context
     * (ums__list_release). */
    if (ums__state_claim(&context->state, UMS_TERM_QUEUED, UMS_ZOMBIE))
        return TRUE;
    return ums__fail(ERROR_INVALID_PARAMETER);
}
