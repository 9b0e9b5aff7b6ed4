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

    SAME(flags_of(GetCurrentThread()), WORKER);
    SAME(flags_of(self->thread), WORKER);
    Sleep(1);
    SAME(flags_of(GetCurrentThread()), WORKER);
    return 0;
}

static void look_as_scheduler(struct stage *stage, const struct entry *entry)
{
    (void)entry;
    SAME(flags_of(GetCurrentThread()), SCHEDULER);
    if (stage->argument)
        SAME(flags_of(stage->argument), SCHEDULER);
}

CLAUSE(SY, 1, UNS, PAGE, "The flags are an output, and overwritten")
{
    UMS_SYSTEM_THREAD_INFORMATION info;

    info.UmsVersion = UMS_VERSION;
    info.ThreadUmsFlags = 0xffffffff;
    OK(GetUmsSystemThreadInformation(GetCurrentThread(), &info));
    SAME(info.ThreadUmsFlags, 0);
    SAME(info.UmsVersion, UMS_VERSION);
}

CLAUSE(SY, 2, DOC, "W:ns-winbase-ums_system_thread_information",
       "1 for a scheduler, 2 for a worker, 0 for others; no other bits")
{
    static struct stage stage;
    struct worker worker;

    SAME(flags_of(GetCurrentThread()), 0);
    stage = (struct stage){.hook = look_as_scheduler};
    REQUIRE(stage_solo(&stage, &worker, look_as_worker, &worker));
    SAME(flags_of(GetCurrentThread()), 0);
    drop_worker(&worker);
    drop_list(stage.list);
}

CLAUSE(SY, 3, DOC, PAGE, "UmsVersion must be set, or 0 and 87")
{
    UMS_SYSTEM_THREAD_INFORMATION info = {.UmsVersion = UMS_VERSION + 1};

    FAILS(GetUmsSystemThreadInformation(GetCurrentThread(), &info), ERROR_INVALID_PARAMETER);
    info.UmsVersion = 0;
    FAILS(GetUmsSystemThreadInformation(GetCurrentThread(), &info), ERROR_INVALID_PARAMETER);
}

CLAUSE(SY, 4, DOC, PAGE, "A thread's handle or pseudo-handle; 6 for no handle, 5 without the right")
{
    UMS_SYSTEM_THREAD_INFORMATION info = {.UmsVersion = UMS_VERSION};
    HANDLE self = NULL, lesser = NULL, event = make_event(false);
    BOOL result;

    FAILS(GetUmsSystemThreadInformation(NULL, &info), ERROR_INVALID_HANDLE);
    FAILS(GetUmsSystemThreadInformation((HANDLE)0x7654320, &info), ERROR_INVALID_HANDLE);
    FAILS_OR(GetUmsSystemThreadInformation(event, &info), ERROR_INVALID_HANDLE,
             ERROR_ACCESS_DENIED);
    OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &self, 0,
                       FALSE, DUPLICATE_SAME_ACCESS));
    SAME(flags_of(self), 0);
    OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &lesser,
                       SYNCHRONIZE, FALSE, 0));
    result = GetUmsSystemThreadInformation(lesser, &info);
    if (result)
        kit_note("handles carry no rights here: one without the right works, too");
    else
        SAME(GetLastError(), ERROR_ACCESS_DENIED);
    OK(CloseHandle(lesser));
    OK(CloseHandle(self));
    OK(CloseHandle(event));
}

UNTESTED(SY, 5, DOC, PAGE, "It is meant for debuggers; suspending schedulers may deadlock workers",
         "a warning to programs")

static HANDLE another_thread(void)
{
    HANDLE self = NULL;

    OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &self, 0,
                       FALSE, DUPLICATE_SAME_ACCESS));
    return self;
}

CLAUSE(SY, 6, OBS, PAGE, "A worker is one from creation to end, a scheduler within the call only")
{
    PUMS_COMPLETION_LIST list = make_list();
    HANDLE self = another_thread();
    static struct stage stage;
    struct worker worker;

    REQUIRE(make_worker(&worker, list, look_as_worker, &worker, 0));
    SAME(flags_of(worker.thread), WORKER); /* never executed */
    SAME(flags_of(self), 0);
    stage = (struct stage){.list = list, .ends = 1, .hook = look_as_scheduler, .argument = self};
    REQUIRE(stage_run(&stage));
    SAME(flags_of(self), 0);
    drop_worker(&worker);
    OK(CloseHandle(self));
    drop_list(list);
}
