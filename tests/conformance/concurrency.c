/* SPDX-License-Identifier: MIT
 *
 * concurrency.c - section 15: calls from many threads, and what is no test's matter.
 */
#include "rig.h"

enum { THREADS = 3, ROUNDS = 150 };

static atomic_int stop;

static DWORD WINAPI use_own_objects(LPVOID param)
{
    for (int i = 0; i < ROUNDS; i++) {
        PUMS_COMPLETION_LIST list = make_list();
        PUMS_CONTEXT context = make_context();
        HANDLE event = NULL;
        PVOID value = param, back = NULL;

        EXPECT_OK(GetUmsCompletionListEvent(list, &event));
        EXPECT(is_empty(list, 0));
        EXPECT_OK(SetUmsThreadInformation(context, UmsThreadUserContext, &value, sizeof value));
        EXPECT_OK(
            QueryUmsThreadInformation(context, UmsThreadUserContext, &back, sizeof back, NULL));
        EXPECT_EQ(back, value);
        if (i % 10 == 0) {
            struct worker worker;

            if (!make_worker(&worker, list, routine_yield, NULL, 0) || !drive(list, NULL, 0, 1))
                return 1;
            drop_worker(&worker);
        }
        EXPECT_OK(CloseHandle(event));
        EXPECT_OK(DeleteUmsThreadContext(context));
        drop_list(list);
    }
    return 0;
}

CLAUSE(CN, 1, OBS, "U", "Calls on distinct objects need no locks of the program's")
{
    HANDLE threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        threads[i] = CreateThread(NULL, 0, use_own_objects, &threads[i], 0, NULL);
    for (int i = 0; i < THREADS; i++) {
        EXPECT_EQ(WaitForSingleObject(threads[i], 2 * patience_ms()), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(threads[i]));
    }
}

static DWORD WINAPI keep_looking(LPVOID context)
{
    while (!atomic_load(&stop)) {
        is_suspended(context);
        teb_of(context);
    }
    return 0;
}

static DWORD WINAPI yield_3000(LPVOID param)
{
    for (int i = 0; i < 3000; i++)
        UmsThreadYield(param);
    return 0;
}

CLAUSE(CN, 2, DOC, "U", "Looked at by others all the time, a context runs within 10,000 retries")
{
    static struct stage stage;
    struct worker worker;
    HANDLE thread;

    atomic_store(&stop, 0);
    stage = (struct stage){.list = make_list(), .ends = 1};
    REQUIRE(make_worker(&worker, stage.list, yield_3000, NULL, 0));
    thread = CreateThread(NULL, 0, keep_looking, worker.context, 0, NULL);
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(stage.yields, 3000);
    atomic_store(&stop, 1);
    EXPECT_EQ(WaitForSingleObject(thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    drop_worker(&worker);
    drop_list(stage.list);
}

UNTESTED(DB, 1, OBS, "U", "Under a debugger that single-steps, execute fails more often",
         "needs a debugger; programs that treat 1237 as CN-2 says get through")
UNTESTED(CX, 5, DOC, "-", "Which versions of ConcRT use UMS", "about Microsoft's libraries")
UNTESTED(PT, 1, OBS, "-", "There are patents on the kernel's mechanism", "about law")

CLAUSE(LX, 1, UNS, "-", "The Win32 calls around UMS are there: waits, handles, threads, last error")
{
    HANDLE thread, both[2];
    DWORD code = 0;

    SetLastError(SENTINEL);
    EXPECT_EQ(GetLastError(), SENTINEL);
    both[0] = make_event(true);
    thread = both[1] = CreateThread(NULL, 0, routine_return, (void *)5, CREATE_SUSPENDED, NULL);
    ASSERT_OK(thread != NULL);
    EXPECT_EQ(WaitForMultipleObjects(2, both, TRUE, 5), WAIT_TIMEOUT);
    EXPECT_OK(SetEvent(both[0]));
    EXPECT_EQ(ResumeThread(thread), 1);
    EXPECT_EQ(WaitForMultipleObjects(2, both, TRUE, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, 5);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(both[0]));
    EXPECT_FAILS(CloseHandle((HANDLE)0x7654320), ERROR_INVALID_HANDLE);
}

static DWORD WINAPI compare_id(LPVOID param)
{
    DWORD id = GetCurrentThreadId();

    for (int i = 0; i < 20; i++) {
        EXPECT_EQ(GetCurrentThreadId(), ((struct worker *)param)->id);
        if (i % 4 == 3)
            Sleep(1);
        else
            UmsThreadYield(NULL);
    }
    return id;
}

CLAUSE(LX, 2, UNS, "-",
       "Whatever carries it, a worker's thread id is its own, and a plain thread's")
{
    static struct stage stage;
    struct worker worker;
    DWORD code = 0;

    stage = (struct stage){0};
    REQUIRE(stage_solo(&stage, &worker, compare_id, &worker));
    EXPECT_EQ(WaitForSingleObject(worker.thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(worker.thread, &code));
    EXPECT_EQ(code, worker.id);
    EXPECT_EQ(GetThreadId(worker.thread), worker.id);
    drop_worker(&worker);
    drop_list(stage.list);
}

UNTESTED(LX, 3, OBS, "-", "How an engine that hands threads over cuts the stack back",
         "about one engine's inside; what can be seen of it is SP-6")
UNTESTED(LX, 4, OBS, "-", "Reporting a short block is allowed, an early arrival is not",
         "a permission, and BL-4")
