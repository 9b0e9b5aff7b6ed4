/* SPDX-License-Identifier: MIT
 *
 * ground_ums.c - the package on User-Mode Scheduling: the kernel's news, and going on with threads.
 *
 * Scheduler activations' upcalls are here: Startup adds a processor, Blocked tells that the thread
 * it ran has blocked or was stopped, and a completion list brings threads that are unblocked. All
 * processors share one list, so that the first processor that looks finds them. In an upcall there
 * is no heap and no stdio.
 */
#include "package.h"

static PUMS_COMPLETION_LIST list;
static HANDLE arrival;
static _Atomic unsigned long ended;
static struct ft_thread *to_end;
static BOOL ending; /* of the first processor's */

static _Thread_local struct processor *t_processor;

static DWORD ums_prepare(void)
{
    atomic_store(&ended, 0);
    to_end = NULL;
    ending = FALSE;
    return CreateUmsCompletionList(&list) && GetUmsCompletionListEvent(list, &arrival)
               ? 0
               : GetLastError();
}

static DWORD WINAPI worker_main(LPVOID param)
{
    ft__set_self(param);
    ft__thread_main(param);
    return 0;
}

/* In a thread of the package, or before there are any. It arrives, and so becomes ready. */
static DWORD ums_create(struct ft_thread *thread, SIZE_T stack_bytes)
{
    DECLSPEC_ALIGN(16) unsigned char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof(room);
    UMS_CREATE_THREAD_ATTRIBUTES ums;
    DWORD error = 0;

    if (!CreateUmsThreadContext(&thread->context))
        return GetLastError();
    ums.UmsVersion = UMS_VERSION;
    ums.UmsContext = thread->context;
    ums.UmsCompletionList = list;
    if (!SetUmsThreadInformation(thread->context, UmsThreadUserContext, &thread, sizeof(thread)) ||
        !InitializeProcThreadAttributeList(attributes, 1, 0, &size) ||
        !UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                   sizeof(ums), NULL, NULL) ||
        !(thread->handle =
              CreateRemoteThreadEx(GetCurrentProcess(), NULL, stack_bytes, worker_main, thread,
                                   STACK_SIZE_PARAM_IS_A_RESERVATION, attributes, NULL)))
        error = GetLastError();
    DeleteProcThreadAttributeList(attributes);
    if (error)
        DeleteUmsThreadContext(thread->context);
    return error;
}

static void ums_leave(struct ft_thread *self)
{
    UmsThreadYield(self);
}

/* The thread of a context from the completion list; NULL: it has ended. */
static struct ft_thread *arrived(PUMS_CONTEXT context)
{
    struct ft_thread *thread = NULL;
    BOOLEAN terminated = FALSE;

    QueryUmsThreadInformation(context, UmsThreadUserContext, &thread, sizeof(thread), NULL);
    QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated, sizeof(terminated),
                              NULL);
    if (!terminated)
        return thread;
    atomic_fetch_add(&ended, 1);
    return NULL;
}

/* One that was stopped had its turn: whatever else is ready goes first. */
static void keep(struct processor *self, struct ft_thread *thread)
{
    BOOL stopped = atomic_load_explicit(&thread->stopped, memory_order_relaxed);

    self->counts.unblocked++;
    ft__append(stopped ? &self->late : &self->kept, thread);
}

static void ums_arrivals(struct processor *self)
{
    PUMS_CONTEXT context = NULL;
    struct ft_thread *thread = NULL;

    atomic_store_explicit(&self->looks,
                          atomic_load_explicit(&self->looks, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    if (atomic_load(&ft__package.news))
        thread = atomic_exchange(&ft__package.news, NULL);
    while (thread) {
        struct ft_thread *next = thread->older;

        keep(self, thread);
        thread = next;
    }
    DequeueUmsCompletionListItems(list, 0, &context);
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);

        thread = arrived(context);
        if (thread)
            keep(self, thread);
        context = next;
    }
}

static void ums_news(struct news *found)
{
    PUMS_CONTEXT context = NULL;

    DequeueUmsCompletionListItems(list, 0, &context);
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);
        struct ft_thread *thread = arrived(context);
        int *best;

        context = next;
        if (!thread)
            continue;
        best = atomic_load(&thread->stopped) ? &found->stopped : &found->unblocked;
        if (ft__priority(thread) > *best)
            *best = ft__priority(thread);
        thread->older = atomic_load(&ft__package.news);
        while (!atomic_compare_exchange_weak(&ft__package.news, &thread->older, thread))
            ;
    }
}

/* A processor that is not ours for the time being does not take news that another could act on. */
static void ums_doze(struct processor *self, DWORD milliseconds)
{
    HANDLE events[2] = {self->wake, arrival};

    WaitForMultipleObjects(atomic_load(&self->granted) ? 2 : 1, events, FALSE, milliseconds);
}

/* When all is over the first processor runs each worker to its end; the others have left. */
static struct ft_thread *choose_to_end(struct processor *self)
{
    struct ft_thread *thread;

    if (self->index > 0) {
        atomic_fetch_add(&ft__package.gone, 1);
        SetEvent(ft__package.processors[0].wake);
        return NULL;
    }
    while (atomic_load(&ft__package.gone) < ft__package.count - 1)
        WaitForSingleObject(self->wake, INFINITE);
    for (;;) {
        ums_arrivals(self);
        thread = ft__take_first(&self->kept); /* it blocked on its way out */
        if (!thread)
            thread = ft__take_first(&self->late); /* it was suspended */
        if (!thread && (thread = to_end)) {
            to_end = thread->of_all;
            thread->body = NULL;
        }
        if (thread || atomic_load(&ended) == atomic_load(&ft__package.created))
            return thread;
        WaitForSingleObject(arrival, INFINITE);
    }
}

static VOID NTAPI upcall(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    struct processor *self;
    struct ft_thread *thread;

    if (reason == UmsSchedulerStartup)
        t_processor = param;
    self = t_processor;
    if (reason == UmsSchedulerThreadYield) {
        ft__has_left(self, param);
    } else if (reason == UmsSchedulerThreadBlocked) {
        atomic_store(&self->current, NULL);
        if (payload & 1)
            self->counts.blocked++;
        else
            self->counts.preempted++;
        if (atomic_load(&self->awaited))
            SetEvent(self->left);
    }
    for (;;) {
        thread = ft__choose(self);
        if (!thread) {
            if (self->index == 0 && !ending) {
                ending = TRUE;
                ft__notice_close(); /* what arrives from here on is for this processor alone */
                to_end = atomic_load(&ft__package.all);
            }
            thread = choose_to_end(self);
            if (!thread)
                return;
            self->counts.switches++;
        }
        ExecuteUmsThread(thread->context); /* comes back when it cannot: suspended, as a rule */
        self->counts.switches--;           /* counted above, and not made */
        atomic_store(&self->current, NULL);
        ft__append(&self->late, thread);
        SwitchToThread();
    }
}

static DWORD ums_loop(struct processor *self)
{
    UMS_SCHEDULER_STARTUP_INFO info;

    info.UmsVersion = UMS_VERSION;
    info.CompletionList = list;
    info.SchedulerProc = upcall;
    info.SchedulerParam = self;
    return EnterUmsSchedulingMode(&info) ? 0 : GetLastError();
}

static DWORD ums_destroy(struct ft_thread *all)
{
    DWORD error = 0;

    while (all) {
        struct ft_thread *next = all->of_all;

        WaitForSingleObject(all->handle, INFINITE);
        CloseHandle(all->handle);
        if (!DeleteUmsThreadContext(all->context))
            error = GetLastError();
        ft__heap_free(all, sizeof(*all));
        all = next;
    }
    CloseHandle(arrival);
    return DeleteUmsCompletionList(list) ? error : GetLastError();
}

static const struct engine engine = {
    .prepare = ums_prepare,
    .create = ums_create,
    .arrives = TRUE,
    .leave = ums_leave,
    .loop = ums_loop,
    .arrivals = ums_arrivals,
    .news = ums_news,
    .doze = ums_doze,
    .destroy = ums_destroy,
};

static DWORD ums_run(const struct ft_options *options, void (*first)(void *), void *arg,
                     struct ft_statistics *statistics)
{
    return ft__package_run(&engine, options, first, arg, statistics);
}

const struct ft_ground_calls ft__ums = {.run = ums_run, FT__PACKAGE_CALLS};
