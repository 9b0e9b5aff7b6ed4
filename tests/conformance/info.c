/* SPDX-License-Identifier: MIT
 *
 * info.c - section 12: QueryUmsThreadInformation, SetUmsThreadInformation.
 */
#include "rig.h"

#include <string.h>

#define QUERY_PAGE "W:queryumsthreadinformation"
#define SET_PAGE "W:setumsthreadinformation"

static const struct {
    UMS_THREAD_INFO_CLASS class;
    ULONG size;
} readable[] = {{UmsThreadUserContext, 8},
                {UmsThreadTeb, 8},
                {UmsThreadIsSuspended, 1},
                {UmsThreadIsTerminated, 1}};
static const int reserved[] = {UmsThreadInvalidInfoClass,
                               UmsThreadPriority,
                               UmsThreadAffinity,
                               UmsThreadMaxInfoClass,
                               8,
                               1000,
                               -1};
enum { READABLE = 4, RESERVED = 7 };

CLAUSE(QI, 1, DOC, "N:ne-winnt-rtl_ums_thread_info_class",
       "Classes 1, 4, 5, 6 can be read; of these only 1 can be set")
{
    PUMS_CONTEXT context = make_context();
    unsigned char buffer[8] = {0};

    for (int i = 0; i < READABLE; i++) {
        EXPECT_OK(
            QueryUmsThreadInformation(context, readable[i].class, buffer, readable[i].size, NULL));
        if (readable[i].class != UmsThreadUserContext) {
            EXPECT_FAILS(
                SetUmsThreadInformation(context, readable[i].class, buffer, readable[i].size),
                ERROR_NOT_SUPPORTED);
        }
    }
    EXPECT_EQ(is_suspended(context), false);
    EXPECT_EQ(is_terminated(context), true);
    EXPECT_OK(DeleteUmsThreadContext(context));
}

CLAUSE(QI, 2, DOC, QUERY_PAGE, "Sizes: a pointer for 1 and 4, a byte for 5 and 6")
{
    PUMS_CONTEXT context = make_context();

    for (int i = 0; i < READABLE; i++) {
        unsigned char buffer[16];

        memset(buffer, 0xa5, sizeof buffer);
        EXPECT_OK(
            QueryUmsThreadInformation(context, readable[i].class, buffer, readable[i].size, NULL));
        EXPECT_NE(buffer[readable[i].size - 1], 0xa5);
        EXPECT_EQ(buffer[readable[i].size], 0xa5);
    }
    EXPECT_OK(DeleteUmsThreadContext(context));
}

/* Every length but the right one. */
static void wrong_lengths(bool set, ULONG from, ULONG to)
{
    PUMS_CONTEXT context = make_context();
    unsigned char buffer[32] = {0};

    for (int i = 0; i < (set ? 1 : READABLE); i++) {
        for (ULONG size = from; size <= to; size++) {
            if (size == readable[i].size)
                continue;
            if (set) {
                EXPECT_FAILS(SetUmsThreadInformation(context, readable[i].class, buffer, size),
                             ERROR_BAD_LENGTH);
            } else {
                EXPECT_FAILS(
                    QueryUmsThreadInformation(context, readable[i].class, buffer, size, NULL),
                    ERROR_BAD_LENGTH);
            }
        }
    }
    EXPECT_OK(DeleteUmsThreadContext(context));
}

CLAUSE(QI, 3, OBS, QUERY_PAGE, "The length must match exactly; too large fails as well")
{
    wrong_lengths(false, 2, 20);
    wrong_lengths(true, 9, 20);
}

CLAUSE(QI, 4, UNS, QUERY_PAGE, "A wrong length is last error 24")
{
    wrong_lengths(false, 0, 7);
    wrong_lengths(true, 0, 7);
}

CLAUSE(QI, 5, UNS, QUERY_PAGE, "A reserved or unknown class is last error 50, whatever the length")
{
    PUMS_CONTEXT context = make_context();
    unsigned char buffer[8] = {0};

    for (int i = 0; i < RESERVED; i++) {
        UMS_THREAD_INFO_CLASS class = (UMS_THREAD_INFO_CLASS)reserved[i];

        EXPECT_FAILS(QueryUmsThreadInformation(context, class, buffer, 8, NULL),
                     ERROR_NOT_SUPPORTED);
        EXPECT_FAILS(QueryUmsThreadInformation(context, class, buffer, 3, NULL),
                     ERROR_NOT_SUPPORTED);
        EXPECT_FAILS(SetUmsThreadInformation(context, class, buffer, 8), ERROR_NOT_SUPPORTED);
        EXPECT_FAILS(SetUmsThreadInformation(context, class, buffer, 3), ERROR_NOT_SUPPORTED);
    }
    EXPECT_OK(DeleteUmsThreadContext(context));
}

CLAUSE(QI, 6, DOC, QUERY_PAGE, "ReturnLength is optional, 8 or 1 after success, 0 after a failure")
{
    PUMS_CONTEXT context = make_context();

    for (int i = 0; i < READABLE; i++) {
        unsigned char buffer[8];
        ULONG length = 99;

        EXPECT_OK(QueryUmsThreadInformation(context, readable[i].class, buffer, readable[i].size,
                                            &length));
        EXPECT_EQ(length, readable[i].size);
        EXPECT_FAILS(QueryUmsThreadInformation(context, readable[i].class, buffer, 5, &length),
                     ERROR_BAD_LENGTH);
        EXPECT_EQ(length, 0);
        length = 99;
        EXPECT_FAILS(QueryUmsThreadInformation(context, UmsThreadPriority, buffer, 8, &length),
                     ERROR_NOT_SUPPORTED);
        EXPECT_EQ(length, 0);
    }
    EXPECT_OK(DeleteUmsThreadContext(context));
}

/* ---- QI-7, QI-10: every state of the target ---- */

static PUMS_CONTEXT looked_at;

static void look(PUMS_CONTEXT context, bool terminated)
{
    PVOID value = &value;

    EXPECT_EQ(is_terminated(context), terminated);
    EXPECT_EQ(is_suspended(context), false);
    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadUserContext, &value, sizeof value, NULL));
    EXPECT_EQ(value, NULL);
}

static DWORD WINAPI look_at_itself(LPVOID wake)
{
    look(looked_at, false);
    EXPECT_OK(UmsThreadYield(NULL));
    EXPECT_EQ(WaitForSingleObject(wake, patience_ms()), WAIT_OBJECT_0);
    look(looked_at, false);
    return 0;
}

/* Its thread may end at any moment: then it stays ended. */
static void look_while_it_may_end(PUMS_CONTEXT context)
{
    PVOID value = &value;
    bool ended = is_terminated(context);

    EXPECT(is_terminated(context) || !ended);
    EXPECT_EQ(is_suspended(context), false);
    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadUserContext, &value, sizeof value, NULL));
    EXPECT_EQ(value, NULL);
}

static void look_from_scheduler(struct stage *stage, const struct entry *entry)
{
    look_while_it_may_end(looked_at);
    look_while_it_may_end(entry->self);
    if (entry->reason == UmsSchedulerThreadBlocked)
        EXPECT_OK(SetEvent(stage->argument)); /* it is blocked in its wait, or has ended */
}

CLAUSE(QI, 7, OBS, QUERY_PAGE, "Any thread may ask, in any state of the target")
{
    PUMS_COMPLETION_LIST list = make_list();
    HANDLE wake = make_event(false);
    static struct stage stage;
    struct worker worker;

    REQUIRE(make_worker(&worker, list, look_at_itself, wake, CREATE_SUSPENDED));
    looked_at = worker.context;
    EXPECT(becomes_suspended(looked_at, true));
    EXPECT_EQ(ResumeThread(worker.thread), 1);
    ASSERT_EQ(arrival(list), looked_at);
    EXPECT(becomes_suspended(looked_at, false));
    look(looked_at, false); /* ready, seen by a plain thread */
    stage = (struct stage){.list = list, .ends = 1, .hook = look_from_scheduler, .argument = wake};
    stage_ready(&stage, looked_at);
    REQUIRE(stage_run(&stage));
    look(looked_at, true);
    drop_worker(&worker);
    EXPECT_OK(CloseHandle(wake));
    drop_list(list);
}

CLAUSE_FAULTS(QI, 8, UNS, QUERY_PAGE, "No context, or no buffer: 0 and 87")
{
    PUMS_CONTEXT context = make_context();
    PVOID value = NULL;

    EXPECT_FAILS(QueryUmsThreadInformation(NULL, UmsThreadUserContext, &value, 8, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SetUmsThreadInformation(NULL, UmsThreadUserContext, &value, 8),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(QueryUmsThreadInformation(context, UmsThreadUserContext, NULL, 8, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SetUmsThreadInformation(context, UmsThreadUserContext, NULL, 8),
                 ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsThreadContext(context));
}

UNTESTED(QI, 9, DOC, QUERY_PAGE, "What is not told here is reserved", "a duty of the program")

static PVOID seen_inside[2];

static DWORD WINAPI read_own_teb(LPVOID place)
{
    *(PVOID *)place = teb_of(GetCurrentUmsThread());
    UmsThreadYield(NULL);
    EXPECT_EQ(teb_of(GetCurrentUmsThread()), *(PVOID *)place);
    return 0;
}

CLAUSE(QI, 10, UNS, QUERY_PAGE, "The TEB is unique, stable, and the same from inside and outside")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker workers[2];
    PVOID outside[2];

    for (int i = 0; i < 2; i++) {
        REQUIRE(make_worker(&workers[i], list, read_own_teb, &seen_inside[i], 0));
        outside[i] = teb_of(workers[i].context);
    }
    REQUIRE(drive(list, NULL, 0, 2));
    for (int i = 0; i < 2; i++) {
        EXPECT_NE(outside[i], NULL);
        EXPECT_EQ(seen_inside[i], outside[i]);
        drop_worker(&workers[i]);
    }
    EXPECT_NE(outside[0], outside[1]);
    drop_list(list);
}

/* NT_TIB: StackBase, StackLimit and Self. A TEB of Windows' own has the same there. */
static int outside_limits;

static void look_at_teb(PVOID *teb)
{
    volatile char here = 0;
    ULONG_PTR at = (ULONG_PTR)&here;

    EXPECT_EQ(teb[6], teb);
    EXPECT((ULONG_PTR)teb[1] > (ULONG_PTR)teb[2]);
    outside_limits += at >= (ULONG_PTR)teb[1] || at < (ULONG_PTR)teb[2];
}

static DWORD WINAPI look_at_own_teb(LPVOID unused)
{
    (void)unused;
    look_at_teb(teb_of(GetCurrentUmsThread()));
    UmsThreadYield(NULL);
    look_at_teb(teb_of(GetCurrentUmsThread()));
    Sleep(1);
    look_at_teb(teb_of(GetCurrentUmsThread()));
    return 0;
}

CLAUSE(QI, 13, UNS, QUERY_PAGE,
       "The TEB tells its own address, and the limits of the worker's stack")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker worker;

    outside_limits = 0;
    REQUIRE(make_worker(&worker, list, look_at_own_teb, NULL, 0));
    REQUIRE(drive(list, NULL, 0, 1));
    EXPECT_EQ(outside_limits, 0);
    drop_worker(&worker);
    drop_list(list);
}

CLAUSE(QI, 11, OBS, QUERY_PAGE, "IsSuspended follows SuspendThread within a second")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker worker;

    REQUIRE(make_arrived(&worker, list, routine_return, NULL));
    for (int i = 0; i < 10; i++) {
        EXPECT_EQ(SuspendThread(worker.thread), 0);
        EXPECT(becomes_suspended(worker.context, true));
        EXPECT_EQ(ResumeThread(worker.thread), 1);
        EXPECT(becomes_suspended(worker.context, false));
    }
    REQUIRE(drive(list, &worker.context, 1, 1));
    drop_worker(&worker);
    drop_list(list);
}

static void set_and_read(PUMS_CONTEXT context, PVOID value)
{
    PVOID back = &back;

    EXPECT_OK(SetUmsThreadInformation(context, UmsThreadUserContext, &value, sizeof value));
    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadUserContext, &back, sizeof back, NULL));
    EXPECT_EQ(back, value);
}

CLAUSE(SI, 1, DOC, SET_PAGE, "A user context reads back; the last one counts")
{
    PUMS_CONTEXT context = make_context();

    set_and_read(context, (PVOID)1);
    set_and_read(context, (PVOID) ~(ULONG_PTR)0);
    set_and_read(context, NULL);
    set_and_read(context, (PVOID)0x123456789abcdef);
    EXPECT_OK(DeleteUmsThreadContext(context));
}

static void set_own(struct stage *stage, const struct entry *entry)
{
    set_and_read(entry->self, stage);
}

CLAUSE(SI, 2, OBS, SET_PAGE, "It may be set before the thread is made, and on a scheduler's own")
{
    PUMS_CONTEXT context = make_context();
    static struct stage stage;
    struct worker worker;

    set_and_read(context, &stage);
    EXPECT_OK(DeleteUmsThreadContext(context));
    stage = (struct stage){.hook = set_own};
    REQUIRE(stage_solo(&stage, &worker, routine_return, NULL));
    drop_worker(&worker);
    drop_list(stage.list);
}
