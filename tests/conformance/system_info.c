/* SPDX-License-Identifier: MIT
 *
 * system_info.c - section 13: GetUmsSystemThreadInformation.
 */
#include "rig.h"

#define PAGE "W:getumssystemthreadinformation"

enum { SCHEDULER = 1, WORKER = 2 };

static DWORD WINAPI look_as_worker(LPVOID param)
{
    struct worker *self = param;

    EXPECT_EQ(flags_of(GetCurrentThread()), WORKER);
    EXPECT_EQ(flags_of(self->thread), WORKER);
    Sleep(1);
    EXPECT_EQ(flags_of(GetCurrentThread()), WORKER);
    return 0;
}

static void look_as_scheduler(struct stage *stage, const struct entry *entry)
{
    (void)entry;
    EXPECT_EQ(flags_of(GetCurrentThread()), SCHEDULER);
    if (stage->argument)
        EXPECT_EQ(flags_of(stage->argument), SCHEDULER);
}

CLAUSE(SY, 1, UNS, PAGE, "The flags are an output, and overwritten")
{
    UMS_SYSTEM_THREAD_INFORMATION info;

    info.UmsVersion = UMS_VERSION;
    info.ThreadUmsFlags = 0xffffffff;
    EXPECT_OK(GetUmsSystemThreadInformation(GetCurrentThread(), &info));
    EXPECT_EQ(info.ThreadUmsFlags, 0);
    EXPECT_EQ(info.UmsVersion, UMS_VERSION);
}

CLAUSE(SY, 2, DOC, "W:ns-winbase-ums_system_thread_information",
       "1 for a scheduler, 2 for a worker, 0 for others; no other bits")
{
    static struct stage stage;
    struct worker worker;

    EXPECT_EQ(flags_of(GetCurrentThread()), 0);
    stage = (struct stage){.hook = look_as_scheduler};
    REQUIRE(stage_solo(&stage, &worker, look_as_worker, &worker));
    EXPECT_EQ(flags_of(GetCurrentThread()), 0);
    drop_worker(&worker);
    drop_list(stage.list);
}

CLAUSE(SY, 3, DOC, PAGE, "UmsVersion must be set, or 0 and 87")
{
    UMS_SYSTEM_THREAD_INFORMATION info = {.UmsVersion = UMS_VERSION + 1};

    EXPECT_FAILS(GetUmsSystemThreadInformation(GetCurrentThread(), &info), ERROR_INVALID_PARAMETER);
    info.UmsVersion = 0;
    EXPECT_FAILS(GetUmsSystemThreadInformation(GetCurrentThread(), &info), ERROR_INVALID_PARAMETER);
}

CLAUSE(SY, 4, DOC, PAGE, "A thread's handle or pseudo-handle; 6 for no handle, 5 without the right")
{
    UMS_SYSTEM_THREAD_INFORMATION info = {.UmsVersion = UMS_VERSION};
    HANDLE self = NULL, lesser = NULL, event = make_event(false);
    BOOL result;

    EXPECT_FAILS(GetUmsSystemThreadInformation(NULL, &info), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(GetUmsSystemThreadInformation((HANDLE)0x7654320, &info), ERROR_INVALID_HANDLE);
    EXPECT_FAILS_OPEN(GetUmsSystemThreadInformation(event, &info), ERROR_INVALID_HANDLE,
                      ERROR_ACCESS_DENIED);
    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &self,
                              0, FALSE, DUPLICATE_SAME_ACCESS));
    EXPECT_EQ(flags_of(self), 0);
    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &lesser,
                              SYNCHRONIZE, FALSE, 0));
    result = GetUmsSystemThreadInformation(lesser, &info);
    if (result)
        kit_note("handles carry no rights here: one without the right works, too");
    else
        EXPECT_EQ(GetLastError(), ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(lesser));
    EXPECT_OK(CloseHandle(self));
    EXPECT_OK(CloseHandle(event));
}

UNTESTED(SY, 5, DOC, PAGE, "It is meant for debuggers; suspending schedulers may deadlock workers",
         "a warning to programs")

static HANDLE another_thread(void)
{
    HANDLE self = NULL;

    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &self,
                              0, FALSE, DUPLICATE_SAME_ACCESS));
    return self;
}

CLAUSE(SY, 6, OBS, PAGE, "A worker is one from creation to end, a scheduler within the call only")
{
    PUMS_COMPLETION_LIST list = make_list();
    HANDLE self = another_thread();
    static struct stage stage;
    struct worker worker;

    REQUIRE(make_worker(&worker, list, look_as_worker, &worker, 0));
    EXPECT_EQ(flags_of(worker.thread), WORKER); /* never executed */
    EXPECT_EQ(flags_of(self), 0);
    stage = (struct stage){.list = list, .ends = 1, .hook = look_as_scheduler, .argument = self};
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(flags_of(self), 0);
    drop_worker(&worker);
    EXPECT_OK(CloseHandle(self));
    drop_list(list);
}
