/* SPDX-License-Identifier: MIT
 *
 * identity.c - who a worker is, to itself, to the kernel and to others, wherever it runs.
 *
 * The hazard: the kernel knows threads, not workers. In place a worker runs on its scheduler's
 * kernel thread; whatever the kernel then files under "the current thread" (the owner of a mutex, a
 * priority, a token, an APC) must still be the worker's own.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=all
 */
#include "gtest_c.h"
#include "moving.h"

#include <string.h>

enum { ROUNDS = 30, LIMIT_MS = 5000 };

/* ---- Ids and handles ----------------------------------------------------------------------- */

static void tell_ids(struct worker *self)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        HANDLE opened = OpenThread(THREAD_QUERY_INFORMATION, FALSE, self->id);

        EXPECT_EQ(GetCurrentThreadId(), self->id);
        EXPECT_EQ(GetThreadId(GetCurrentThread()), self->id);
        EXPECT_EQ(GetThreadId(self->thread), self->id);
        EXPECT_EQ(GetThreadId(opened), self->id);
        EXPECT_OK(CloseHandle(opened));
        step_aside(self, i);
    }
}

TEST(Identity, thread_id_on_one_scheduler)
{
    ASSERT_OK(run_moving(1, 4, tell_ids, NULL, NULL));
}

TEST(Identity, thread_id_on_two_schedulers)
{
    ASSERT_OK(run_moving(2, 4, tell_ids, NULL, NULL));
}

static HANDLE duplicates[MOVING_WORKERS];

static void duplicate_myself(struct worker *self)
{
    HANDLE process = GetCurrentProcess();

    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        HANDLE handle = NULL;

        ASSERT_OK(DuplicateHandle(process, GetCurrentThread(), process, &handle, 0, FALSE,
                                  DUPLICATE_SAME_ACCESS));
        EXPECT_EQ(GetThreadId(handle), self->id);
        EXPECT_EQ(WaitForSingleObject(handle, 0), WAIT_TIMEOUT);
        if (i == 0)
            duplicates[self->index] = handle;
        else
            EXPECT_OK(CloseHandle(handle));
        step_aside(self, i);
    }
    self->exit_code = 100 + (DWORD)self->index;
}

/* The handle is the worker's: it tells its end and its exit code. */
TEST(Identity, duplicate_of_the_pseudo_handle)
{
    ASSERT_OK(run_moving(2, 3, duplicate_myself, NULL, NULL));
    for (int i = 0; i < 3; i++) {
        DWORD code = 0;

        EXPECT_EQ(WaitForSingleObject(duplicates[i], LIMIT_MS), WAIT_OBJECT_0);
        EXPECT_OK(GetExitCodeThread(duplicates[i], &code));
        EXPECT_EQ(code, 100 + i);
        EXPECT_OK(CloseHandle(duplicates[i]));
    }
}

static void tell_times(struct worker *self)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        FILETIME mine, other, end, kernel, user;

        ASSERT_OK(GetThreadTimes(GetCurrentThread(), &mine, &end, &kernel, &user));
        ASSERT_OK(GetThreadTimes(self->thread, &other, &end, &kernel, &user));
        EXPECT_EQ(mine.dwLowDateTime, other.dwLowDateTime);
        EXPECT_EQ(mine.dwHighDateTime, other.dwHighDateTime);
        step_aside(self, i);
    }
}

TEST(Identity, times_of_the_current_thread)
{
    ASSERT_OK(run_moving(2, 3, tell_times, NULL, NULL));
}

/* ---- Properties ---------------------------------------------------------------------------- */

static void have_a_priority(struct worker *self)
{
    static const int wanted[] = {THREAD_PRIORITY_BELOW_NORMAL, THREAD_PRIORITY_ABOVE_NORMAL,
                                 THREAD_PRIORITY_NORMAL};
    int mine = wanted[self->index % 3];

    ASSERT_OK(SetThreadPriority(GetCurrentThread(), mine));
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        step_aside(self, i);
        EXPECT_EQ(GetThreadPriority(GetCurrentThread()), mine);
        EXPECT_EQ(GetThreadPriority(self->thread), mine);
    }
}

static void priority_is_normal(const struct activation *activation, void *arg)
{
    EXPECT_EQ(GetThreadPriority(GetCurrentThread()), THREAD_PRIORITY_NORMAL);
}

TEST(Identity, priority)
{
    ASSERT_OK(run_moving(2, 3, have_a_priority, NULL, priority_is_normal));
}

/* SetThreadAffinityMask tells the mask before. */
static DWORD_PTR all_processors;

static void have_an_affinity(struct worker *self)
{
    DWORD_PTR mine = self->index % 2 ? all_processors : all_processors & (~all_processors + 1);

    EXPECT_EQ(SetThreadAffinityMask(GetCurrentThread(), mine), all_processors);
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        step_aside(self, i);
        EXPECT_EQ(SetThreadAffinityMask(i % 2 ? GetCurrentThread() : self->thread, mine), mine);
    }
}

static void affinity_is_whole(const struct activation *activation, void *arg)
{
    EXPECT_EQ(SetThreadAffinityMask(GetCurrentThread(), all_processors), all_processors);
}

TEST(Identity, affinity)
{
    DWORD_PTR system;

    ASSERT_OK(GetProcessAffinityMask(GetCurrentProcess(), &all_processors, &system));
    ASSERT_OK(run_moving(2, 4, have_an_affinity, NULL, affinity_is_whole));
}

typedef HRESULT(WINAPI *set_description)(HANDLE, PCWSTR);
typedef HRESULT(WINAPI *get_description)(HANDLE, PWSTR *);
static set_description describe_thread;
static get_description read_description;

static void have_a_description(struct worker *self)
{
    WCHAR mine[] = L"worker 0";

    mine[7] = (WCHAR)(L'0' + self->index);
    EXPECT_GE(describe_thread(GetCurrentThread(), mine), 0);
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        HANDLE handles[] = {GetCurrentThread(), self->thread};

        step_aside(self, i);
        for (int j = 0; j < 2; j++) {
            PWSTR seen = NULL;

            ASSERT_GE(read_description(handles[j], &seen), 0);
            EXPECT_EQ(wcscmp(seen, mine), 0);
            LocalFree(seen);
        }
    }
}

TEST(Identity, description)
{
    HMODULE module = GetModuleHandleA("kernelbase.dll");

    describe_thread = (set_description)(void *)GetProcAddress(module, "SetThreadDescription");
    read_description = (get_description)(void *)GetProcAddress(module, "GetThreadDescription");
    if (!describe_thread || !read_description)
        SKIP("this system has no thread descriptions");
    ASSERT_OK(run_moving(2, 3, have_a_description, NULL, NULL));
}

/* ---- APCs ---------------------------------------------------------------------------------- */

static int apcs[MOVING_WORKERS];

static void CALLBACK apc(ULONG_PTR param)
{
    struct worker *self = (struct worker *)param;

    EXPECT_EQ(GetCurrentThreadId(), self->id);
    flag_add(&apcs[self->index], 1);
}

static void queue_apcs(struct worker *self)
{
    for (int i = 1; i <= ROUNDS && !tc_failures(); i++) {
        ASSERT_OK(QueueUserAPC(apc, i % 2 ? GetCurrentThread() : self->thread, (ULONG_PTR)self));
        step_aside(self, i);
        EXPECT_EQ(flag_get(&apcs[self->index]), i - 1); /* no wait was alertable */
        EXPECT_EQ(SleepEx(i % 4, TRUE), WAIT_IO_COMPLETION);
        EXPECT_EQ(flag_get(&apcs[self->index]), i);
    }
    EXPECT_EQ(SleepEx(0, TRUE), 0);
}

TEST(Identity, apcs_to_itself)
{
    memset(apcs, 0, sizeof apcs);
    ASSERT_OK(run_moving(2, 3, queue_apcs, NULL, NULL));
}

/* ---- Power --------------------------------------------------------------------------------- */

static void keep_the_system_on(struct worker *self)
{
    EXPECT_NE(SetThreadExecutionState(ES_CONTINUOUS | ES_SYSTEM_REQUIRED), 0);
    for (int i = 0; i < 6; i++) {
        step_aside(self, i);
        EXPECT_NE(SetThreadExecutionState(ES_CONTINUOUS | ES_SYSTEM_REQUIRED), 0);
    }
    EXPECT_NE(SetThreadExecutionState(ES_CONTINUOUS), 0);
}

TEST(Identity, execution_state)
{
    ASSERT_OK(run_moving(2, 2, keep_the_system_on, NULL, NULL));
}
