/* SPDX-License-Identifier: MIT
 *
 * worker_creation.c - CreateRemoteThreadEx with PROC_THREAD_ATTRIBUTE_UMS_THREAD (CT-*).
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

static int ran;

static DWORD WINAPI set_ran(LPVOID param)
{
    flag_set(&ran, 1);
    return (DWORD)(ULONG_PTR)param;
}

static PUMS_COMPLETION_LIST make_list(void)
{
    PUMS_COMPLETION_LIST list = NULL;

    ran = 0;
    EXPECT_OK(CreateUmsCompletionList(&list));
    return list;
}

static void finish(PUMS_COMPLETION_LIST list, struct bare *worker, bool held)
{
    ASSERT_OK(bare_drive(list, &worker->context, held ? 1 : 0, 1));
    EXPECT_EQ(flag_get(&ran), 1);
    bare_delete(worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(WorkerCreation, does_not_run_before_it_is_executed_CT_1)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare worker;

    ASSERT_OK(bare_create(&worker, list, set_ran, NULL, 0));
    Sleep(200);
    EXPECT_EQ(flag_get(&ran), 0);
    finish(list, &worker, false);
}

TEST(WorkerCreation, arrives_on_its_list_CT_2)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare worker;

    ASSERT_OK(bare_create(&worker, list, set_ran, NULL, 0));
    EXPECT_EQ(bare_arrival(list), worker.context);
    finish(list, &worker, true);
}

TEST(WorkerCreation, is_alive_and_has_a_teb_on_return_CT_3)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare worker;
    PVOID teb = NULL;

    ASSERT_OK(bare_create(&worker, list, set_ran, NULL, 0));
    EXPECT_EQ(is_terminated(worker.context), false);
    EXPECT_OK(QueryUmsThreadInformation(worker.context, UmsThreadTeb, &teb, sizeof teb, NULL));
    EXPECT_NE(teb, NULL);
    finish(list, &worker, false);
}

/* Its thread may not have begun when it is resumed, nor when it arrives. */
TEST(WorkerCreation, resumed_at_once_has_a_teb_CT_3)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare worker;

    for (int i = 0; i < 20; i++) {
        PVOID teb = NULL, arrived_teb = NULL;
        ASSERT_OK(bare_create(&worker, list, set_ran, NULL, CREATE_SUSPENDED));
        EXPECT_EQ(ResumeThread(worker.thread), 1);
        EXPECT_OK(QueryUmsThreadInformation(worker.context, UmsThreadTeb, &teb, sizeof teb, NULL));
        EXPECT_NE(teb, NULL);
        EXPECT_EQ(bare_arrival(list), worker.context);
        EXPECT_OK(QueryUmsThreadInformation(worker.context, UmsThreadTeb, &arrived_teb,
                                            sizeof arrived_teb, NULL));
        EXPECT_EQ(arrived_teb, teb);
        ASSERT_OK(bare_drive(list, &worker.context, 1, 1));
        bare_delete(&worker);
    }
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(WorkerCreation, wrong_version_CT_4_CT_9)
{
    PUMS_COMPLETION_LIST list = make_list();
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION + 1, NULL, list};
    PUMS_CONTEXT more = NULL;

    ASSERT_OK(CreateUmsThreadContext(&ums.UmsContext));
    EXPECT_FAILS(ums_thread(&ums, set_ran, NULL, 0, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DequeueUmsCompletionListItems(list, 50, &more));
    EXPECT_EQ(more, NULL);
    EXPECT_OK(DeleteUmsThreadContext(ums.UmsContext)); /* CT-9 */
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(WorkerCreation, without_context_or_list_CT_5)
{
    PUMS_COMPLETION_LIST list = make_list();
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, list};
    PUMS_CONTEXT more = NULL;

    EXPECT_FAILS(ums_thread(&ums, set_ran, NULL, 0, NULL), ERROR_INVALID_PARAMETER);
    ASSERT_OK(CreateUmsThreadContext(&ums.UmsContext));
    ums.UmsCompletionList = NULL;
    EXPECT_FAILS(ums_thread(&ums, set_ran, NULL, 0, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DequeueUmsCompletionListItems(list, 50, &more));
    EXPECT_EQ(more, NULL);
    EXPECT_EQ(is_terminated(ums.UmsContext), true);
    EXPECT_OK(DeleteUmsThreadContext(ums.UmsContext));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(WorkerCreation, with_what_is_no_context_or_list_CT_5)
{
    PUMS_COMPLETION_LIST list = make_list();
    PUMS_CONTEXT context = NULL;
    char on_stack[256] = {0};
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, on_stack, list};

    ASSERT_OK(CreateUmsThreadContext(&context));
    EXPECT_FAILS(ums_thread(&ums, set_ran, NULL, 0, NULL), ERROR_INVALID_PARAMETER);
    ums.UmsContext = (void *)1;
    EXPECT_FAILS(ums_thread(&ums, set_ran, NULL, 0, NULL), ERROR_INVALID_PARAMETER);
    ums.UmsContext = list;
    EXPECT_FAILS(ums_thread(&ums, set_ran, NULL, 0, NULL), ERROR_INVALID_PARAMETER);
    ums.UmsContext = context;
    ums.UmsCompletionList = on_stack;
    EXPECT_FAILS(ums_thread(&ums, set_ran, NULL, 0, NULL), ERROR_INVALID_PARAMETER);
    ums.UmsCompletionList = (void *)1;
    EXPECT_FAILS(ums_thread(&ums, set_ran, NULL, 0, NULL), ERROR_INVALID_PARAMETER);
    ums.UmsCompletionList = context;
    EXPECT_FAILS(ums_thread(&ums, set_ran, NULL, 0, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsThreadContext(context));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(WorkerCreation, context_of_a_live_thread_CT_5)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare worker;
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, list};
    PUMS_CONTEXT more = NULL;

    ASSERT_OK(bare_create_arrived(&worker, list, set_ran, NULL));
    ums.UmsContext = worker.context;
    EXPECT_FAILS(ums_thread(&ums, set_ran, NULL, 0, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DequeueUmsCompletionListItems(list, 50, &more));
    EXPECT_EQ(more, NULL);
    finish(list, &worker, true);
}

TEST(WorkerCreation, in_another_process_CT_6)
{
    PUMS_COMPLETION_LIST list = make_list();
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, list};
    _Alignas(16) char buffer[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (void *)buffer;
    SIZE_T size = sizeof buffer;

    ASSERT_OK(CreateUmsThreadContext(&ums.UmsContext));
    EXPECT_OK(InitializeProcThreadAttributeList(attributes, 1, 0, &size));
    EXPECT_OK(UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                        sizeof ums, NULL, NULL));
    /* Not a process at all, which Windows may tell first. */
    EXPECT_FAILS_WITH_EITHER(
        CreateRemoteThreadEx((HANDLE)0x1234, NULL, 0, set_ran, NULL, 0, attributes, NULL),
        ERROR_NOT_SUPPORTED, ERROR_INVALID_HANDLE);
    DeleteProcThreadAttributeList(attributes);
    EXPECT_OK(DeleteUmsThreadContext(ums.UmsContext));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(WorkerCreation, suspended_CT_7)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare worker;
    PUMS_CONTEXT context = NULL;

    ASSERT_OK(bare_create(&worker, list, set_ran, NULL, CREATE_SUSPENDED));
    EXPECT_EQ(is_suspended(worker.context), true);
    EXPECT_EQ(is_terminated(worker.context), false);
    EXPECT_OK(DequeueUmsCompletionListItems(list, 100, &context));
    EXPECT_EQ(context, NULL);
    EXPECT_EQ(ResumeThread(worker.thread), 1);
    EXPECT_EQ(bare_arrival(list), worker.context);
    EXPECT_EQ(is_suspended(worker.context), false);
    finish(list, &worker, true);
}

TEST(WorkerCreation, closed_handle_while_running)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare worker;

    ASSERT_OK(bare_create(&worker, list, set_ran, NULL, 0));
    EXPECT_OK(CloseHandle(worker.thread));
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    EXPECT_EQ(flag_get(&ran), 1);
    EXPECT_OK(DeleteUmsThreadContext(worker.context));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* ---- CT-8: stack sizes ---- */

static void use_stack(struct worker *self)
{
    size_t bytes = (size_t)(ULONG_PTR)self->arg;
    volatile char *area = __builtin_alloca(bytes);

    for (size_t i = 0; i < bytes; i += 512)
        area[i] = (char)i;
    EXPECT_OK(UmsThreadYield(NULL));
    for (size_t i = 0; i < bytes; i += 512) {
        if (area[i] != (char)i) {
            FAIL("byte %u of the stack changed over a yield", (unsigned)i);
            return;
        }
    }
}

TEST(WorkerCreation, stack_size_is_honoured_CT_8)
{
    static const struct {
        SIZE_T asked;
        size_t used;
    } sizes[] = {{0, 256 * 1024}, {1 << 20, 900 * 1024}, {4 << 20, 3800 * 1024}, {65536, 30000}};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct fleet *fleet = fleet_create(1, 1, 0);

        ASSERT_NE(fleet, NULL);
        fleet_set_stack(fleet, sizes[i].asked);
        fleet_add(fleet, use_stack, (void *)sizes[i].used);
        ASSERT_OK(fleet_run(fleet));
        fleet_destroy(fleet);
    }
}

/* Real programs ask for 1 KB and 4 KB stacks and then call the C library. */
TEST(WorkerCreation, tiny_stack_is_usable_CT_8)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    fleet_set_stack(fleet, 1024);
    fleet_add(fleet, use_stack, (void *)600);
    fleet_set_stack(fleet, 4096);
    fleet_add(fleet, use_stack, (void *)2000);
    ASSERT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
}

TEST(WorkerCreation, exit_code_by_the_handle_CT_10)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare worker;
    DWORD code = 0;

    ASSERT_OK(bare_create(&worker, list, set_ran, (void *)0x1234567, 0));
    EXPECT_OK(GetExitCodeThread(worker.thread, &code));
    EXPECT_EQ(code, STILL_ACTIVE);
    EXPECT_EQ(WaitForSingleObject(worker.thread, 0), WAIT_TIMEOUT);
    EXPECT_EQ(GetThreadId(worker.thread), worker.id);
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    EXPECT_OK(DeleteUmsThreadContext(worker.context));
    EXPECT_EQ(WaitForSingleObject(worker.thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(worker.thread, &code));
    EXPECT_EQ(code, 0x1234567);
    EXPECT_OK(CloseHandle(worker.thread));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* ---- CT-11: identity ---- */

enum { WORKERS = 8, ROUNDS = 50 };
static DWORD slot;
static __thread int native_tls;

static void keep_identity(struct worker *self)
{
    int *address = &native_tls;
    DWORD error = 1000 + (DWORD)self->index;
    PVOID teb = NULL;
    PVOID teb_now;

    EXPECT_EQ(TlsGetValue(slot), NULL);
    EXPECT_EQ(native_tls, 0);
    EXPECT_OK(TlsSetValue(slot, self));
    EXPECT_OK(QueryUmsThreadInformation(self->context, UmsThreadTeb, &teb, sizeof teb, NULL));
    native_tls = self->index;
    for (int i = 0; i < ROUNDS; i++) {
        SetLastError(error);
        if (i % 8 == 7)
            Sleep(1);
        else
            EXPECT_OK(UmsThreadYield(NULL));
        EXPECT_EQ(GetLastError(), error);
        EXPECT_EQ(TlsGetValue(slot), self);
        EXPECT_EQ(native_tls, self->index);
        EXPECT_EQ(&native_tls, address);
        EXPECT_EQ(GetCurrentThreadId(), self->id);
        EXPECT_EQ(GetCurrentUmsThread(), self->context);
        EXPECT_OK(
            QueryUmsThreadInformation(self->context, UmsThreadTeb, &teb_now, sizeof teb, NULL));
        EXPECT_EQ(teb_now, teb);
        if (tc_failures() > 5)
            return;
    }
}

static void identity(int schedulers)
{
    struct fleet *fleet = fleet_create(schedulers, WORKERS, FLEET_SHARED_READY);

    ASSERT_NE(fleet, NULL);
    slot = TlsAlloc();
    ASSERT_NE(slot, TLS_OUT_OF_INDEXES);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, keep_identity, NULL);
    ASSERT_OK(fleet_run(fleet));
    for (int i = 0; i < WORKERS; i++)
        for (int j = 0; j < i; j++)
            EXPECT_NE(fleet_worker(fleet, i)->id, fleet_worker(fleet, j)->id);
    fleet_destroy(fleet);
    EXPECT_OK(TlsFree(slot));
}

TEST(WorkerCreation, identity_over_yields_and_waits_CT_11)
{
    identity(1);
}

TEST(WorkerCreation, identity_over_migration_CT_11)
{
    identity(3);
}

/* ---- created late, created by workers ---- */

static void do_nothing(struct worker *self)
{
    flag_add(self->arg, 1);
}

static void create_others(struct worker *self)
{
    for (int i = 0; i < 4; i++) {
        fleet_add(self->fleet, do_nothing, self->arg);
        EXPECT_OK(UmsThreadYield(NULL));
    }
}

TEST(WorkerCreation, by_a_worker)
{
    struct fleet *fleet = fleet_create(1, 8, 0);
    int ended = 0;

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, create_others, &ended);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(ended, 4);
    fleet_destroy(fleet);
}

static DWORD WINAPI create_from_outside(LPVOID param)
{
    struct fleet *fleet = param;
    static int ended;

    for (int i = 0; i < 20; i++)
        fleet_add(fleet, do_nothing, &ended);
    fleet_release(fleet);
    return 0;
}

TEST(WorkerCreation, by_a_plain_thread_while_schedulers_run)
{
    struct fleet *fleet = fleet_create(2, 20, FLEET_NO_GATHER);
    HANDLE thread;

    ASSERT_NE(fleet, NULL);
    fleet_hold(fleet);
    thread = CreateThread(NULL, 0, create_from_outside, fleet, 0, NULL);
    ASSERT_OK(thread != NULL);
    EXPECT_OK(fleet_run(fleet));
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_EQ(fleet_counts(fleet).ended, 20);
    fleet_destroy(fleet);
}
