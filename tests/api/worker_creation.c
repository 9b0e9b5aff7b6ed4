/* SPDX-License-Identifier: MIT
 *
 * worker_creation.c - how workers are created, beside the kit's clauses CT-*.
 *
 * modes: ums
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

TEST(WorkerCreation, is_alive_and_has_a_teb_on_return_CT_3)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare worker;
    PVOID teb = NULL;

    ASSERT_OK(bare_create(&worker, list, set_ran, NULL, 0));
    EXPECT_EQ(is_terminated(worker.context), false);
    EXPECT_OK(QueryUmsThreadInformation(worker.context, UmsThreadTeb, &teb, sizeof teb, NULL));
    EXPECT_NE(teb, NULL);
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* The worker's thread may not have begun when the worker is resumed, nor when it arrives. It has a
 * TEB all the same. */
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

TEST(WorkerCreation, identity_over_migration_CT_11)
{
    struct fleet *fleet = fleet_create(3, WORKERS, FLEET_SHARED_READY);

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
    int ended = 0;

    ASSERT_OK(FLEET_RUN(1, 0, {1, create_others, &ended}));
    EXPECT_EQ(ended, 4);
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
