/* SPDX-License-Identifier: MIT
 *
 * bare.c - single workers and hand-written scheduler procs.
 */
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"
#include "is_set.h"

BOOL bare_dequeue(PUMS_COMPLETION_LIST list, DWORD milliseconds, PUMS_CONTEXT *chain)
{
    BOOL result = DequeueUmsCompletionListItems(list, milliseconds, chain);

    if (result || !is_set("UMSSHIM_STRICT", "1"))
        return result;
    return GetLastError() == ERROR_TIMEOUT && !*chain;
}

/* These limits end a test that hangs, before its own limit of 30 seconds does. */
enum { ARRIVAL_LIMIT_MS = 10000, DRIVE_LIMIT_MS = 20000 };

bool bare_create(struct bare *worker, PUMS_COMPLETION_LIST list, LPTHREAD_START_ROUTINE routine,
                 void *arg, DWORD flags)
{
    worker->list = list;
    worker->thread =
        ums_worker(list, &worker->context, NULL, UMS_STACK, routine, arg, flags, &worker->id);
    return EXPECT_OK(worker->thread != NULL);
}

bool bare_create_arrived(struct bare *worker, PUMS_COMPLETION_LIST list,
                         LPTHREAD_START_ROUTINE routine, void *arg)
{
    return bare_create(worker, list, routine, arg, 0) &&
           EXPECT_EQ(bare_arrival(list), worker->context);
}

void bare_delete(struct bare *worker)
{
    EXPECT_OK(DeleteUmsThreadContext(worker->context));
    EXPECT_OK(CloseHandle(worker->thread));
}

bool bare_has_arrived(PUMS_COMPLETION_LIST list)
{
    HANDLE event = NULL;
    DWORD result;

    if (!EXPECT_OK(GetUmsCompletionListEvent(list, &event)))
        return false;
    result = WaitForSingleObject(event, ARRIVAL_LIMIT_MS);
    CloseHandle(event);
    return result == WAIT_OBJECT_0;
}

bool bare_arrivals(PUMS_COMPLETION_LIST list, PUMS_CONTEXT *contexts, int wanted)
{
    ULONGLONG deadline = GetTickCount64() + ARRIVAL_LIMIT_MS;
    int seen = 0;

    while (seen < wanted) {
        PUMS_CONTEXT context = NULL;

        if (GetTickCount64() > deadline)
            return FAIL("%d of %d contexts arrived in %d ms", seen, wanted, ARRIVAL_LIMIT_MS);
        if (!EXPECT_OK(bare_dequeue(list, 100, &context)))
            return false;
        for (; context; context = GetNextUmsListItem(context)) {
            for (int i = 0; i < seen; i++)
                if (contexts[i] == context)
                    return FAIL("context %p arrived twice", context);
            if (seen == wanted)
                return FAIL("more than %d contexts arrived", wanted);
            contexts[seen++] = context;
        }
    }
    return true;
}

PUMS_CONTEXT bare_arrival(PUMS_COMPLETION_LIST list)
{
    PUMS_CONTEXT context = NULL;

    return bare_arrivals(list, &context, 1) ? context : NULL;
}

DWORD bare_execute(PUMS_CONTEXT context)
{
    DWORD error = ums_execute(context);

    if (!error)
        FAIL("EX-1: ExecuteUmsThread came back with success");
    return error;
}

static bool asked(PUMS_CONTEXT context, UMS_THREAD_INFO_CLASS class)
{
    BOOLEAN value = 2;

    EXPECT_OK(QueryUmsThreadInformation(context, class, &value, sizeof value, NULL));
    EXPECT_LE(value, 1);
    return value == 1;
}

bool is_terminated(PUMS_CONTEXT context)
{
    return asked(context, UmsThreadIsTerminated);
}

bool is_suspended(PUMS_CONTEXT context)
{
    return asked(context, UmsThreadIsSuspended);
}

/* ---- bare_drive ---- */

enum { MAX_READY = 64 };

struct drive {
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT ready[MAX_READY]; /* a stack: the order does not matter */
    int ready_count;
    int ends;
    ULONGLONG deadline;
    bool ok;
};

static __thread struct drive *drive;

static void take(struct drive *self, DWORD timeout)
{
    PUMS_CONTEXT context = NULL;

    if (!EXPECT_OK(bare_dequeue(self->list, timeout, &context))) {
        self->ok = false;
        return;
    }
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);

        if (is_terminated(context))
            self->ends--;
        else if (self->ready_count < MAX_READY)
            self->ready[self->ready_count++] = context;
        context = next;
    }
}

static VOID NTAPI drive_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    struct drive *self = drive;

    if (reason == UmsSchedulerThreadYield)
        self->ready[self->ready_count++] = (PUMS_CONTEXT)payload;
    while (self->ok) {
        take(self, 0);
        if (self->ready_count > 0) {
            PUMS_CONTEXT context = self->ready[--self->ready_count];
            DWORD error = bare_execute(context);

            FAIL("context %p could not be executed: last error %u", context, (unsigned)error);
            self->ok = false;
        } else if (self->ends <= 0) {
            return;
        } else if (GetTickCount64() > self->deadline) {
            self->ok = FAIL("%d worker(s) did not end in %d ms", self->ends, DRIVE_LIMIT_MS);
        } else {
            take(self, 50);
        }
    }
}

bool bare_drive(PUMS_COMPLETION_LIST list, PUMS_CONTEXT *held, int held_count, int ends)
{
    struct drive self = {.list = list, .ends = ends, .ok = true};

    for (int i = 0; i < held_count && i < MAX_READY; i++)
        self.ready[self.ready_count++] = held[i];
    self.deadline = GetTickCount64() + DRIVE_LIMIT_MS;
    drive = &self;
    EXPECT_OK(ums_enter(list, drive_proc, NULL));
    drive = NULL;
    return self.ok;
}

DWORD WINAPI routine_yield_once(LPVOID param)
{
    EXPECT_OK(UmsThreadYield(param));
    return 0;
}
