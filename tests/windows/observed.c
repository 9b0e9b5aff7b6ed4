/* SPDX-License-Identifier: MIT
 *
 * observed.c - what a plain thread sees of a worker through its handle and its id: parked, running,
 * blocked, and on another thread's processor.
 *
 * The hazard: the handle is that of the worker's own kernel thread, and its registers may be
 * elsewhere. Debuggers, profilers and garbage collectors stop threads and read them: what they get
 * must be a place in the worker.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=all
 */
#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"

enum { ROUNDS = 40, LIMIT_MS = 5000 };

static int stage; /* what the worker is to do: the next of these */
enum { YIELD, SPIN, BLOCK, END };
static int ticks;           /* it runs */
static ULONG_PTR low, high; /* its stack */
static HANDLE release;      /* ends its wait */

static DWORD WINAPI be_observed(LPVOID param)
{
    GetCurrentThreadStackLimits(&low, &high);
    for (;;) {
        flag_add(&ticks, 1);
        switch (flag_get(&stage)) {
        case YIELD:
            UmsThreadYield(NULL);
            break;
        case BLOCK:
            WaitForSingleObject(release, INFINITE);
            break;
        case END:
            return 17;
        default:
            break;
        }
    }
}

/* In a module, or where umsshim.dll keeps the stubs that it has hooked. */
static bool is_code(DWORD64 address)
{
    MEMORY_BASIC_INFORMATION region;

    return VirtualQuery((void *)(uintptr_t)address, &region, sizeof region) &&
           region.State == MEM_COMMIT && (region.Protect & 0xF0); /* the executable ones */
}

static void look_at_registers(HANDLE thread)
{
    CONTEXT context = {.ContextFlags = CONTEXT_FULL};

    ASSERT_OK(GetThreadContext(thread, &context));
    EXPECT_THAT(context.Rsp >= low && context.Rsp < high, "rsp %p, the stack is %p to %p",
                (void *)(uintptr_t)context.Rsp, (void *)low, (void *)high);
    EXPECT_THAT(is_code(context.Rip), "rip %p", (void *)(uintptr_t)context.Rip);
}

static void suspend_and_look(struct loose_worker *worker)
{
    HANDLE thread = worker->bare.thread;
    int before;

    ASSERT_EQ(SuspendThread(thread), 0);
    ASSERT_OK(loose_suspended(worker));
    look_at_registers(thread);
    before = flag_get(&ticks);
    EXPECT_EQ(SuspendThread(thread), 1);
    look_at_registers(thread);
    EXPECT_EQ(ResumeThread(thread), 2);
    EXPECT_EQ(flag_get(&ticks), before);
    EXPECT_EQ(ResumeThread(thread), 1);
}

/* ---- Registers ----------------------------------------------------------------------------- */

static void observe(int what)
{
    struct loose scheduler = {0};
    struct loose_worker *worker;

    release = CreateEventA(NULL, FALSE, FALSE, NULL);
    ticks = 0;
    flag_set(&stage, what);
    ASSERT_OK(loose_start(&scheduler, NULL));
    worker = loose_add(&scheduler, be_observed, NULL, 0);
    ASSERT_OK(worker != NULL);
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        ASSERT_REACHES(ticks, i + 1);
        if (what == YIELD) { /* it has been given back, and nobody executes it */
            int yields;

            ASSERT_OK(loose_hold(&scheduler));
            yields = flag_get(&worker->yields);
            suspend_and_look(worker);
            flag_set(&scheduler.hold, 0);
            ASSERT_REACHES(worker->yields, yields + 1);
        } else if (what == BLOCK) {
            ASSERT_REACHES(worker->blocked, i + 1);
            suspend_and_look(worker);
            EXPECT_OK(SetEvent(release));
        } else {
            suspend_and_look(worker);
            ASSERT_REACHES(ticks, flag_get(&ticks) + 1);
        }
    }
    flag_set(&stage, END);
    SetEvent(release);
    EXPECT_OK(loose_finish(&scheduler));
    EXPECT_OK(CloseHandle(release));
}

CALL_TEST(Observed, registers_of_a_parked_worker, observe(YIELD))
CALL_TEST(Observed, registers_of_a_running_worker, observe(SPIN))
CALL_TEST(Observed, registers_of_a_blocked_worker, observe(BLOCK))

/* ---- What needs no suspension -------------------------------------------------------------- */

static void look_at_handle(const struct loose_worker *worker, const FILETIME *born, PVOID block)
{
    HANDLE process = GetCurrentProcess(), duplicate = NULL, opened;
    FILETIME creation, end, kernel, user;
    PVOID now = NULL;
    DWORD code = 0;

    ASSERT_OK(DuplicateHandle(process, worker->bare.thread, process, &duplicate, 0, FALSE,
                              DUPLICATE_SAME_ACCESS));
    opened = OpenThread(THREAD_ALL_ACCESS, FALSE, worker->bare.id);
    ASSERT_OK(opened != NULL);
    for (int i = 0; i < 3; i++) {
        HANDLE handle = i == 0 ? worker->bare.thread : i == 1 ? duplicate : opened;

        EXPECT_EQ(GetThreadId(handle), worker->bare.id);
        EXPECT_EQ(GetProcessIdOfThread(handle), GetCurrentProcessId());
        EXPECT_OK(GetExitCodeThread(handle, &code));
        EXPECT_EQ(code, STILL_ACTIVE);
        EXPECT_EQ(WaitForSingleObject(handle, 0), WAIT_TIMEOUT);
        EXPECT_OK(GetThreadTimes(handle, &creation, &end, &kernel, &user));
        EXPECT_EQ(CompareFileTime(&creation, born), 0);
    }
    EXPECT_OK(
        QueryUmsThreadInformation(worker->bare.context, UmsThreadTeb, &now, sizeof now, NULL));
    EXPECT_EQ(now, block);
    EXPECT_EQ(((NT_TIB *)now)->Self, now);
    EXPECT_OK(CloseHandle(duplicate));
    EXPECT_OK(CloseHandle(opened));
}

TEST(Observed, handles_ids_times_and_block)
{
    struct loose scheduler = {0};
    FILETIME born, end, kernel, user;
    struct loose_worker *worker;
    HANDLE duplicate = NULL;
    PVOID block = NULL;
    DWORD code = 0;

    release = CreateEventA(NULL, FALSE, FALSE, NULL);
    ticks = 0;
    flag_set(&stage, YIELD);
    ASSERT_OK(loose_start(&scheduler, NULL));
    worker = loose_add(&scheduler, be_observed, NULL, 0);
    ASSERT_OK(worker != NULL);
    ASSERT_REACHES(ticks, 1);
    ASSERT_OK(GetThreadTimes(worker->bare.thread, &born, &end, &kernel, &user));
    ASSERT_OK(
        QueryUmsThreadInformation(worker->bare.context, UmsThreadTeb, &block, sizeof block, NULL));
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        int seen = flag_get(&ticks);

        flag_set(&stage, i % 3); /* YIELD, SPIN, BLOCK */
        if (i % 3 == BLOCK)
            ASSERT_REACHES(worker->blocked, i / 3 + 1);
        else
            ASSERT_REACHES(ticks, seen + 1);
        look_at_handle(worker, &born, block);
        flag_set(&stage, (i + 1) % 3);
        SetEvent(release);
    }
    ASSERT_OK(DuplicateHandle(GetCurrentProcess(), worker->bare.thread, GetCurrentProcess(),
                              &duplicate, 0, FALSE, DUPLICATE_SAME_ACCESS));
    flag_set(&stage, END);
    SetEvent(release);
    EXPECT_OK(loose_finish(&scheduler));
    EXPECT_EQ(WaitForSingleObject(duplicate, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(duplicate, &code));
    EXPECT_EQ(code, 17);
    EXPECT_OK(CloseHandle(duplicate));
    EXPECT_OK(CloseHandle(release));
}
