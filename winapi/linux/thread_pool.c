/* SPDX-License-Identifier: MIT
 *
 * thread_pool.c - pools, cleanup groups, work and simple callbacks.
 */
#include "winapi/linux/thread_pool.h"

#include <stdlib.h>

struct _TP_CLEANUP_GROUP {
    struct pool_group group;
};

/* ---- Objects ------------------------------------------------------------------------------- */

static void free_object(struct pool_item *item)
{
    free(item);
}

static bool known(const TP_CALLBACK_ENVIRON *environment)
{
    return !environment || environment->Version == 1 || environment->Version == 3;
}

struct tp_object *win__tp_create(bool has_function, PVOID context,
                                 const TP_CALLBACK_ENVIRON *environment, tp_init *init,
                                 void (*run)(struct pool_item *, struct pool_call *))
{
    return win__tp_create_sized(sizeof(struct tp_object), has_function, context, environment, init,
                                run);
}

struct tp_object *win__tp_create_sized(size_t bytes, bool has_function, PVOID context,
                                       const TP_CALLBACK_ENVIRON *environment, tp_init *init,
                                       void (*run)(struct pool_item *, struct pool_call *))
{
    static const TP_CALLBACK_ENVIRON none;
    if (!has_function || !known(environment)) {
        win__fail(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    if (!environment)
        environment = &none;
    struct tp_object *object = calloc(1, bytes);
    if (object) {
        object->context = context;
        object->cancelled = environment->CleanupGroupCancelCallback;
        object->runs_long = environment->u.s.LongFunction;
        object->item.run = run;
        object->item.destroy = free_object;
        struct _TP_CLEANUP_GROUP *group = environment->CleanupGroup;
        if (!init(object, (struct pool *)environment->Pool, group ? &group->group : NULL))
            return object;
        free(object);
    }
    win__fail(ERROR_NOT_ENOUGH_MEMORY);
    return NULL;
}

static int init_item(struct tp_object *object, struct pool *pool, struct pool_group *group)
{
    return pool_item_init(&object->item, pool, group);
}

void win__tp_wait(struct tp_object *object, BOOL cancel)
{
    if (cancel)
        pool_cancel(&object->item);
    pool_wait_idle(&object->item);
}

/* ---- Work ---------------------------------------------------------------------------------- */

static void call_work(struct tp_object *object, PTP_CALLBACK_INSTANCE instance,
                      const struct pool_call *call)
{
    (void)call;
    object->fn.work(instance, object->context, (PTP_WORK)object);
}

static void run_work(struct pool_item *item, struct pool_call *call)
{
    win__tp_call(item, call, call_work);
}

TP_WORK *WINAPI CreateThreadpoolWork(PTP_WORK_CALLBACK pfnwk, PVOID pv, TP_CALLBACK_ENVIRON *pcbe)
{
    struct tp_object *object = win__tp_create(pfnwk, pv, pcbe, init_item, run_work);
    if (object)
        object->fn.work = pfnwk;
    return (TP_WORK *)object;
}

VOID WINAPI SubmitThreadpoolWork(PTP_WORK pwk)
{
    pool_submit(&((struct tp_object *)pwk)->item);
}

VOID WINAPI WaitForThreadpoolWorkCallbacks(PTP_WORK pwk, BOOL fCancelPendingCallbacks)
{
    win__tp_wait((struct tp_object *)pwk, fCancelPendingCallbacks);
}

VOID WINAPI CloseThreadpoolWork(PTP_WORK pwk)
{
    pool_item_close(&((struct tp_object *)pwk)->item, NULL);
}

/* ---- Callbacks without an object ----------------------------------------------------------- */

static void call_simple(struct tp_object *object, PTP_CALLBACK_INSTANCE instance,
                        const struct pool_call *call)
{
    (void)call;
    object->fn.simple(instance, object->context);
}

static void run_simple(struct pool_item *item, struct pool_call *call)
{
    win__tp_call(item, call, call_simple);
}

BOOL WINAPI TrySubmitThreadpoolCallback(PTP_SIMPLE_CALLBACK pfns, PVOID pv,
                                        TP_CALLBACK_ENVIRON *pcbe)
{
    struct tp_object *object = win__tp_create(pfns, pv, pcbe, init_item, run_simple);
    if (!object)
        return FALSE;
    object->fn.simple = pfns;
    pool_submit_once(&object->item);
    return TRUE;
}

static void call_plain(struct tp_object *object, PTP_CALLBACK_INSTANCE instance,
                       const struct pool_call *call)
{
    (void)instance, (void)call;
    object->fn.plain(object->context);
}

static void run_plain(struct pool_item *item, struct pool_call *call)
{
    win__tp_call(item, call, call_plain);
}

BOOL WINAPI QueueUserWorkItem(LPTHREAD_START_ROUTINE Function, PVOID Context, ULONG Flags)
{
    struct tp_object *object = win__tp_create(Function, Context, NULL, init_item, run_plain);
    if (!object)
        return FALSE;
    object->fn.plain = Function;
    object->runs_long = Flags & WT_EXECUTELONGFUNCTION;
    pool_submit_once(&object->item);
    return TRUE;
}

/* ---- Pools --------------------------------------------------------------------------------- */

TP_POOL *WINAPI CreateThreadpool(PVOID reserved)
{
    struct pool *pool = reserved ? NULL : pool_create();
    if (!pool)
        win__fail(reserved ? ERROR_INVALID_PARAMETER : ERROR_NOT_ENOUGH_MEMORY);
    return (TP_POOL *)pool;
}

VOID WINAPI CloseThreadpool(PTP_POOL ptpp)
{
    pool_close((struct pool *)ptpp);
}

VOID WINAPI SetThreadpoolThreadMaximum(PTP_POOL ptpp, DWORD cthrdMost)
{
    pool_set_maximum((struct pool *)ptpp, cthrdMost);
}

BOOL WINAPI SetThreadpoolThreadMinimum(PTP_POOL ptpp, DWORD cthrdMic)
{
    pool_set_minimum((struct pool *)ptpp, cthrdMic);
    return TRUE;
}

/* Linux commits stacks as they grow, so StackCommit has no effect. */
BOOL WINAPI SetThreadpoolStackInformation(PTP_POOL ptpp, PTP_POOL_STACK_INFORMATION ptpsi)
{
    enum { LEAST = 256 << 10 };
    if (!ptpp || !ptpsi || !ptpsi->StackReserve || ptpsi->StackCommit > ptpsi->StackReserve)
        return win__fail(ERROR_INVALID_PARAMETER);
    pool_set_stack((struct pool *)ptpp, ptpsi->StackReserve < LEAST ? LEAST : ptpsi->StackReserve);
    return TRUE;
}

BOOL WINAPI QueryThreadpoolStackInformation(PTP_POOL ptpp, PTP_POOL_STACK_INFORMATION ptpsi)
{
    enum { PAGE = 4096 };
    if (!ptpp || !ptpsi)
        return win__fail(ERROR_INVALID_PARAMETER);
    *ptpsi = (TP_POOL_STACK_INFORMATION){pool_stack((struct pool *)ptpp), PAGE};
    return TRUE;
}

/* ---- Cleanup groups ------------------------------------------------------------------------ */

TP_CLEANUP_GROUP *WINAPI CreateThreadpoolCleanupGroup(VOID)
{
    TP_CLEANUP_GROUP *group = calloc(1, sizeof *group);
    if (!group)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    return group;
}

static void tell_cancelled(struct pool_item *item, void *cleanup_context)
{
    struct tp_object *object = (struct tp_object *)item;
    if (object->cancelled)
        object->cancelled(object->context, cleanup_context);
}

VOID WINAPI CloseThreadpoolCleanupGroupMembers(PTP_CLEANUP_GROUP ptpcg,
                                               BOOL fCancelPendingCallbacks, PVOID pvCleanupContext)
{
    if (fCancelPendingCallbacks)
        pool_group_close(&ptpcg->group, GROUP_CANCEL | GROUP_WAIT, tell_cancelled,
                         pvCleanupContext);
    else
        pool_group_close(&ptpcg->group, GROUP_WAIT, NULL, NULL);
}

VOID WINAPI CloseThreadpoolCleanupGroup(PTP_CLEANUP_GROUP ptpcg)
{
    free(ptpcg);
}
