/* SPDX-License-Identifier: MIT
 *
 * rig.c - lists, workers and the small questions about them.
 */
#include "rig.h"

PUMS_COMPLETION_LIST make_list(void)
{
    PUMS_COMPLETION_LIST list = NULL;

    EXPECT_OK(CreateUmsCompletionList(&list));
    return list;
}

void drop_list(PUMS_COMPLETION_LIST list)
{
    EXPECT_OK(DeleteUmsCompletionList(list));
}

PUMS_CONTEXT make_context(void)
{
    PUMS_CONTEXT context = NULL;

    EXPECT_OK(CreateUmsThreadContext(&context));
    return context;
}

bool make_worker(struct worker *worker, PUMS_COMPLETION_LIST list, LPTHREAD_START_ROUTINE routine,
                 void *argument, DWORD flags)
{
    worker->list = list;
    worker->thread =
        ums_worker(list, &worker->context, NULL, UMS_STACK, routine, argument, flags, &worker->id);
    return EXPECT_OK(worker->thread != NULL);
}

bool make_arrived(struct worker *worker, PUMS_COMPLETION_LIST list, LPTHREAD_START_ROUTINE routine,
                  void *argument)
{
    return make_worker(worker, list, routine, argument, 0) &&
           EXPECT_EQ(arrival(list), worker->context);
}

void drop_worker(struct worker *worker)
{
    EXPECT_EQ(WaitForSingleObject(worker->thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(DeleteUmsThreadContext(worker->context));
    EXPECT_OK(CloseHandle(worker->thread));
}

bool dequeued(PUMS_COMPLETION_LIST list, DWORD milliseconds, PUMS_CONTEXT *chain)
{
    SetLastError(SENTINEL);
    if (DequeueUmsCompletionListItems(list, milliseconds, chain))
        return true;
    bool by_the_page = GetLastError() == ERROR_TIMEOUT && expected_rule() != LAST_SCHEDULER;
    return EXPECT(by_the_page) && EXPECT_EQ(*chain, NULL);
}

bool arrivals(PUMS_COMPLETION_LIST list, PUMS_CONTEXT *contexts, int count)
{
    ULONGLONG deadline = GetTickCount64() + patience_ms();
    int seen = 0;

    while (seen < count) {
        PUMS_CONTEXT context = NULL;

        if (GetTickCount64() > deadline)
            return EXPECT_EQ(seen, count);
        if (!dequeued(list, 100, &context))
            return false;
        for (; context; context = GetNextUmsListItem(context)) {
            for (int i = 0; i < seen; i++)
                if (contexts[i] == context)
                    return FAIL("a context arrived twice");
            if (seen == count)
                return FAIL("more contexts arrived than were to come");
            contexts[seen++] = context;
        }
    }
    return true;
}

PUMS_CONTEXT arrival(PUMS_COMPLETION_LIST list)
{
    PUMS_CONTEXT context = NULL;

    return arrivals(list, &context, 1) ? context : NULL;
}

bool is_empty(PUMS_COMPLETION_LIST list, DWORD milliseconds)
{
    PUMS_CONTEXT context = NULL;

    return dequeued(list, milliseconds, &context) && context == NULL;
}

static BOOLEAN flag_of(PUMS_CONTEXT context, UMS_THREAD_INFO_CLASS class)
{
    BOOLEAN value = 77;

    EXPECT_OK(QueryUmsThreadInformation(context, class, &value, sizeof value, NULL));
    EXPECT_LE(value, 1);
    return value;
}

bool is_terminated(PUMS_CONTEXT context)
{
    return flag_of(context, UmsThreadIsTerminated);
}

bool is_suspended(PUMS_CONTEXT context)
{
    return flag_of(context, UmsThreadIsSuspended);
}

bool becomes_suspended(PUMS_CONTEXT context, bool wanted)
{
    ULONGLONG deadline = GetTickCount64() + 1000;

    while (is_suspended(context) != wanted && GetTickCount64() < deadline)
        SwitchToThread();
    return is_suspended(context) == wanted;
}

PVOID teb_of(PUMS_CONTEXT context)
{
    PVOID teb = &teb;

    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadTeb, &teb, sizeof teb, NULL));
    return teb;
}

ULONG flags_of(HANDLE thread)
{
    UMS_SYSTEM_THREAD_INFORMATION info;

    info.UmsVersion = UMS_VERSION;
    info.ThreadUmsFlags = 0xffffffff; /* an output: all of it is to be overwritten */
    EXPECT_OK(GetUmsSystemThreadInformation(thread, &info));
    return info.ThreadUmsFlags;
}

DWORD execute(PUMS_CONTEXT context)
{
    DWORD error = ums_execute(context);

    if (!error)
        FAIL("ExecuteUmsThread came back with success");
    return error;
}

DWORD WINAPI routine_yield(LPVOID param)
{
    EXPECT_OK(UmsThreadYield(param));
    return 0;
}

DWORD WINAPI routine_wait(LPVOID event)
{
    EXPECT_EQ(WaitForSingleObject(event, patience_ms()), WAIT_OBJECT_0);
    return 0;
}

HANDLE make_event(bool manual)
{
    HANDLE event = CreateEventA(NULL, manual, FALSE, NULL);

    EXPECT_OK(event != NULL);
    return event;
}

bool comes_true(atomic_int *flag, int value)
{
    ULONGLONG deadline = GetTickCount64() + patience_ms();

    while (atomic_load(flag) != value && GetTickCount64() < deadline)
        SwitchToThread();
    return EXPECT_EQ(atomic_load(flag), value);
}
