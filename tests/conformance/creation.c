/* SPDX-License-Identifier: MIT
 *
 * creation.c - section 6: CreateRemoteThreadEx with the attribute.
 */
#include "rig.h"

#define PAGE "P:createremotethreadex"

static atomic_int ran;

static DWORD WINAPI set_ran(LPVOID param)
{
    atomic_store(&ran, 1);
    return (DWORD)(ULONG_PTR)param;
}

static void finish(struct worker *worker, bool held)
{
    REQUIRE(drive(worker->list, &worker->context, held, 1));
    EXPECT_EQ(atomic_load(&ran), 1);
    drop_worker(worker);
    drop_list(worker->list);
    atomic_store(&ran, 0);
}

CLAUSE(CT, 1, DOC, PAGE, "A handle and an id come back; the routine waits for a scheduler")
{
    struct worker worker;

    worker.id = 0;
    REQUIRE(make_worker(&worker, make_list(), set_ran, NULL, 0));
    EXPECT_NE(worker.id, 0);
    EXPECT_EQ(GetThreadId(worker.thread), worker.id);
    Sleep(200);
    EXPECT_EQ(atomic_load(&ran), 0);
    finish(&worker, false);
}

CLAUSE(CT, 2, DOC, PAGE, "The new worker arrives on the list of its attributes, which signals")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker worker;
    HANDLE event = NULL;

    EXPECT_OK(GetUmsCompletionListEvent(list, &event));
    REQUIRE(make_worker(&worker, list, set_ran, NULL, 0));
    EXPECT_EQ(WaitForSingleObject(event, patience_ms()), WAIT_OBJECT_0);
    EXPECT_EQ(arrival(list), worker.context);
    EXPECT_OK(CloseHandle(event));
    finish(&worker, true);
}

CLAUSE(CT, 3, OBS, PAGE, "On return the worker reads not terminated and has a TEB")
{
    struct worker worker;

    REQUIRE(make_worker(&worker, make_list(), set_ran, NULL, 0));
    EXPECT_EQ(is_terminated(worker.context), false);
    EXPECT_NE(teb_of(worker.context), NULL);
    finish(&worker, false);
}

/* A creation that fails, and leaves everything as it was. */
static void refused(UMS_CREATE_THREAD_ATTRIBUTES ums, PUMS_COMPLETION_LIST list)
{
    EXPECT_FAILS(ums_thread(&ums, set_ran, NULL, 0, NULL) != NULL, ERROR_INVALID_PARAMETER);
    EXPECT(is_empty(list, 20));
    EXPECT_EQ(atomic_load(&ran), 0);
}

CLAUSE(CT, 4, DOC, "N:ns-winnt-ums_create_thread_attributes", "A wrong UmsVersion: NULL and 87")
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION + 1, make_context(), make_list()};

    refused(ums, ums.UmsCompletionList);
    ums.UmsVersion = 0;
    refused(ums, ums.UmsCompletionList);
    EXPECT_OK(DeleteUmsThreadContext(ums.UmsContext));
    drop_list(ums.UmsCompletionList);
}

CLAUSE(CT, 5, UNS, "N:ns-winnt-ums_create_thread_attributes",
       "No context, no list, or a context in use: NULL and 87, nothing is queued")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker worker;

    REQUIRE(make_arrived(&worker, list, set_ran, NULL));
    refused((UMS_CREATE_THREAD_ATTRIBUTES){UMS_VERSION, NULL, list}, list);
    refused((UMS_CREATE_THREAD_ATTRIBUTES){UMS_VERSION, worker.context, NULL}, list);
    refused((UMS_CREATE_THREAD_ATTRIBUTES){UMS_VERSION, worker.context, list}, list);
    EXPECT_EQ(is_terminated(worker.context), false);
    finish(&worker, true);
}

/* The pseudo-handle of a thread is a handle to no process. */
CLAUSE(CT, 6, UNS, PAGE, "Another process than this one: NULL, and 50 or 6")
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, make_context(), make_list()};
    _Alignas(16) char buffer[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (void *)buffer;
    SIZE_T size = sizeof buffer;

    EXPECT_OK(InitializeProcThreadAttributeList(attributes, 1, 0, &size));
    EXPECT_OK(UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                        sizeof ums, NULL, NULL));
    EXPECT_FAILS_OPEN(
        CreateRemoteThreadEx((HANDLE)0x1234, NULL, 0, set_ran, NULL, 0, attributes, NULL) != NULL,
        ERROR_NOT_SUPPORTED, ERROR_INVALID_HANDLE);
    EXPECT(is_empty(ums.UmsCompletionList, 20));
    DeleteProcThreadAttributeList(attributes);
    EXPECT_OK(DeleteUmsThreadContext(ums.UmsContext));
    drop_list(ums.UmsCompletionList);
}

CLAUSE(CT, 7, OBS, PAGE, "CREATE_SUSPENDED: on no list, and suspended, until it is resumed")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker worker;

    REQUIRE(make_worker(&worker, list, set_ran, NULL, CREATE_SUSPENDED));
    EXPECT(becomes_suspended(worker.context, true));
    EXPECT_EQ(is_terminated(worker.context), false);
    EXPECT(is_empty(list, 50));
    EXPECT_EQ(ResumeThread(worker.thread), 1);
    EXPECT_EQ(arrival(list), worker.context);
    EXPECT(becomes_suspended(worker.context, false));
    finish(&worker, true);
}

static DWORD WINAPI use_stack(LPVOID bytes)
{
    size_t size = (size_t)bytes;
    volatile char *area = __builtin_alloca(size);
    int wrong = 0;

    for (size_t i = 0; i < size; i += 256)
        area[i] = (char)(i >> 8);
    EXPECT_OK(UmsThreadYield(NULL));
    for (size_t i = 0; i < size; i += 256)
        wrong += area[i] != (char)(i >> 8);
    EXPECT_EQ(wrong, 0);
    atomic_store(&ran, 1);
    return 0;
}

CLAUSE(CT, 8, OBS, PAGE, "Stack sizes are honoured, small ones are usable, no id need be asked for")
{
    static const SIZE_T sizes[][2] = {
        {0, 200000}, {1 << 20, 900000}, {4 << 20, 3800000}, {1024, 300}};

    for (int i = 0; i < 4; i++) {
        UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, make_context(), make_list()};
        struct worker worker = {.list = ums.UmsCompletionList, .context = ums.UmsContext};
        _Alignas(16) char buffer[128];
        LPPROC_THREAD_ATTRIBUTE_LIST attributes = (void *)buffer;
        SIZE_T size = sizeof buffer;

        EXPECT_OK(InitializeProcThreadAttributeList(attributes, 1, 0, &size));
        EXPECT_OK(UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                            sizeof ums, NULL, NULL));
        worker.thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, sizes[i][0], use_stack,
                                             (LPVOID)sizes[i][1], STACK_SIZE_PARAM_IS_A_RESERVATION,
                                             attributes, NULL);
        DeleteProcThreadAttributeList(attributes);
        ASSERT_OK(worker.thread != NULL);
        finish(&worker, false);
    }
}

CLAUSE(CT, 9, OBS, PAGE, "After a failed creation the context can be deleted, or used")
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION + 1, make_context(), make_list()};
    struct worker worker = {.list = ums.UmsCompletionList, .context = ums.UmsContext};
    PUMS_CONTEXT unused = make_context();

    refused(ums, ums.UmsCompletionList);
    EXPECT_EQ(is_terminated(worker.context), true);
    ums.UmsContext = unused;
    refused(ums, ums.UmsCompletionList);
    EXPECT_OK(DeleteUmsThreadContext(unused));
    ums.UmsVersion = UMS_VERSION;
    ums.UmsContext = worker.context;
    worker.thread = ums_thread(&ums, set_ran, NULL, 0, &worker.id);
    ASSERT_OK(worker.thread != NULL);
    finish(&worker, false);
}

CLAUSE(CT, 10, DOC, PAGE, "The handle is a thread's: waitable, with exit code, beyond the context")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker worker;
    DWORD code = 0;

    REQUIRE(make_worker(&worker, list, set_ran, (void *)0x1234567, 0));
    EXPECT_OK(GetExitCodeThread(worker.thread, &code));
    EXPECT_EQ(code, STILL_ACTIVE);
    EXPECT_EQ(WaitForSingleObject(worker.thread, 0), WAIT_TIMEOUT);
    REQUIRE(drive(list, NULL, 0, 1));
    EXPECT_OK(DeleteUmsThreadContext(worker.context));
    EXPECT_EQ(WaitForSingleObject(worker.thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(worker.thread, &code));
    EXPECT_EQ(code, 0x1234567);
    EXPECT_OK(CloseHandle(worker.thread));
    drop_list(list);
    atomic_store(&ran, 0);
}

/* ---- CT-11 ---- */

enum { CROWD = 6, ROUNDS = 40 };
static DWORD slot;
static _Thread_local int native;

static DWORD WINAPI keep_identity(LPVOID param)
{
    struct worker *self = param;
    PVOID teb = teb_of(self->context);
    DWORD error = 1000 + (DWORD)((ULONG_PTR)param & 0xfff);
    int *address = &native;

    EXPECT_EQ(TlsGetValue(slot), NULL);
    EXPECT_EQ(native, 0);
    EXPECT_OK(TlsSetValue(slot, self));
    native = (int)error;
    for (int i = 0; i < ROUNDS; i++) {
        SetLastError(error);
        if (i % 8 == 7)
            Sleep(1);
        else
            UmsThreadYield(NULL);
        EXPECT_EQ(GetLastError(), error);
        EXPECT_EQ(TlsGetValue(slot), self);
        EXPECT_EQ(native, (int)error);
        EXPECT_EQ(&native, address);
        EXPECT_EQ(GetCurrentThreadId(), self->id);
        EXPECT_EQ(GetCurrentUmsThread(), self->context);
        EXPECT_EQ(teb_of(self->context), teb);
    }
    return 0;
}

CLAUSE(CT, 11, DOC, "U", "A worker has its own id, TLS and last error, across yields and blocks")
{
    static struct worker workers[CROWD];
    PUMS_COMPLETION_LIST list = make_list();

    slot = TlsAlloc();
    EXPECT_OK(TlsSetValue(slot, &slot));
    native = 5;
    for (int i = 0; i < CROWD; i++)
        REQUIRE(make_worker(&workers[i], list, keep_identity, &workers[i], 0));
    REQUIRE(drive(list, NULL, 0, CROWD));
    for (int i = 0; i < CROWD; i++) {
        EXPECT_NE(workers[i].id, GetCurrentThreadId());
        for (int j = 0; j < i; j++)
            EXPECT_NE(workers[i].id, workers[j].id);
    }
    for (int i = 0; i < CROWD; i++)
        drop_worker(&workers[i]);
    EXPECT_EQ(TlsGetValue(slot), &slot);
    EXPECT_EQ(native, 5);
    EXPECT_OK(TlsFree(slot));
    drop_list(list);
}

UNTESTED(CT, 12, OBS, PAGE, "A new thread's start-up may block before its routine runs",
         "a permission; the kit's schedulers allow for it everywhere")

/* ---- CT-13, CT-14 ---- */

static DWORD WINAPI tell_priority(LPVOID place)
{
    *(int *)place = GetThreadPriority(GetCurrentThread());
    return 0;
}

CLAUSE(CT, 13, DOC, "P:createremotethreadex", "A worker is born with normal priority")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker born;
    int inside = 77;

    REQUIRE(make_worker(&born, list, tell_priority, &inside, 0));
    EXPECT_EQ(GetThreadPriority(born.thread), THREAD_PRIORITY_NORMAL);
    REQUIRE(drive(list, NULL, 0, 1));
    EXPECT_EQ(inside, THREAD_PRIORITY_NORMAL);
    drop_worker(&born);
    drop_list(list);
}

/* Page by page, as a stack grows. */
static DWORD WINAPI use_much_stack(LPVOID kilobytes)
{
    volatile char page[4096];

    page[0] = page[4095] = 1;
    if ((ULONG_PTR)kilobytes > 4)
        return use_much_stack((LPVOID)((ULONG_PTR)kilobytes - 4)) + page[0];
    return page[4095];
}

CLAUSE(CT, 14, DOC, "P:createremotethreadex",
       "A stack size of 0 is the program's default, a megabyte or more")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker born;
    DWORD code = 0;

    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, make_context(), list};
    _Alignas(16) char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof room;

    ASSERT_OK(InitializeProcThreadAttributeList(attributes, 1, 0, &size));
    EXPECT_OK(UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                        sizeof ums, NULL, NULL));
    born = (struct worker){.list = list, .context = ums.UmsContext};
    born.thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, use_much_stack,
                                       (LPVOID)(ULONG_PTR)800, 0, attributes, &born.id);
    DeleteProcThreadAttributeList(attributes);
    ASSERT_OK(born.thread != NULL);
    REQUIRE(drive(list, NULL, 0, 1));
    EXPECT_EQ(WaitForSingleObject(born.thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(born.thread, &code));
    EXPECT_EQ(code, 200);
    drop_worker(&born);
    drop_list(list);
}
