/* SPDX-License-Identifier: MIT
 *
 * types.c - section 1: types, constants, layout.
 */
#include "rig.h"

#include <stddef.h>

CLAUSE(TY, 1, DOC, "W:ns-winbase-ums_scheduler_startup_info", "UMS_VERSION is 0x0100")
{
    EXPECT_EQ(UMS_VERSION, 0x0100);
    EXPECT_EQ(RTL_UMS_VERSION, 0x0100);
}

CLAUSE(TY, 2, DOC, "W:createumsthreadcontext", "Contexts and lists are opaque pointers")
{
    PUMS_CONTEXT context = make_context();
    PUMS_COMPLETION_LIST list = make_list();
    void **as_pointer[2] = {&context, &list};

    EXPECT_EQ(sizeof context, sizeof(void *));
    EXPECT_EQ(sizeof list, sizeof(void *));
    EXPECT_NE(*as_pointer[0], *as_pointer[1]);
    EXPECT_OK(DeleteUmsThreadContext(context));
    drop_list(list);
}

CLAUSE(TY, 3, DOC, "N:ne-winnt-rtl_ums_scheduler_reason",
       "The reasons are Startup 0, Blocked 1, Yield 2")
{
    EXPECT_EQ(UmsSchedulerStartup, 0);
    EXPECT_EQ(UmsSchedulerThreadBlocked, 1);
    EXPECT_EQ(UmsSchedulerThreadYield, 2);
}

CLAUSE(TY, 4, DOC, "N:ne-winnt-rtl_ums_thread_info_class",
       "The information classes have the values 0 to 7")
{
    EXPECT_EQ(UmsThreadInvalidInfoClass, 0);
    EXPECT_EQ(UmsThreadUserContext, 1);
    EXPECT_EQ(UmsThreadPriority, 2);
    EXPECT_EQ(UmsThreadAffinity, 3);
    EXPECT_EQ(UmsThreadTeb, 4);
    EXPECT_EQ(UmsThreadIsSuspended, 5);
    EXPECT_EQ(UmsThreadIsTerminated, 6);
    EXPECT_EQ(UmsThreadMaxInfoClass, 7);
}

static VOID NTAPI typed_proc(RTL_UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    EXPECT_EQ(reason, UmsSchedulerStartup);
    EXPECT_EQ(payload, 0);
    *(int *)param = 1;
}

CLAUSE(TY, 5, DOC, "N:nc-winnt-rtl_ums_scheduler_entry_point",
       "The entry point takes reason, payload and parameter, and returns nothing")
{
    PRTL_UMS_SCHEDULER_ENTRY_POINT as_runtime = typed_proc;
    PUMS_SCHEDULER_ENTRY_POINT as_program = as_runtime;
    PUMS_COMPLETION_LIST list = make_list();
    int called = 0;

    EXPECT_OK(ums_enter(list, as_program, &called));
    EXPECT_EQ(called, 1);
    drop_list(list);
}

CLAUSE(TY, 6, DOC, "W:ns-winbase-ums_scheduler_startup_info",
       "UMS_SCHEDULER_STARTUP_INFO: 32 bytes, members at 0, 8, 16, 24")
{
    EXPECT_EQ(sizeof(UMS_SCHEDULER_STARTUP_INFO), 32);
    EXPECT_EQ(offsetof(UMS_SCHEDULER_STARTUP_INFO, UmsVersion), 0);
    EXPECT_EQ(offsetof(UMS_SCHEDULER_STARTUP_INFO, CompletionList), 8);
    EXPECT_EQ(offsetof(UMS_SCHEDULER_STARTUP_INFO, SchedulerProc), 16);
    EXPECT_EQ(offsetof(UMS_SCHEDULER_STARTUP_INFO, SchedulerParam), 24);
}

CLAUSE(TY, 7, DOC, "N:ns-winnt-ums_create_thread_attributes",
       "UMS_CREATE_THREAD_ATTRIBUTES: 24 bytes, members at 0, 8, 16")
{
    EXPECT_EQ(sizeof(UMS_CREATE_THREAD_ATTRIBUTES), 24);
    EXPECT_EQ(offsetof(UMS_CREATE_THREAD_ATTRIBUTES, UmsVersion), 0);
    EXPECT_EQ(offsetof(UMS_CREATE_THREAD_ATTRIBUTES, UmsContext), 8);
    EXPECT_EQ(offsetof(UMS_CREATE_THREAD_ATTRIBUTES, UmsCompletionList), 16);
}

CLAUSE(TY, 8, DOC, "W:ns-winbase-ums_system_thread_information",
       "UMS_SYSTEM_THREAD_INFORMATION: 8 bytes, scheduler is bit 0, worker bit 1")
{
    UMS_SYSTEM_THREAD_INFORMATION info;

    EXPECT_EQ(sizeof info, 8);
    EXPECT_EQ(offsetof(UMS_SYSTEM_THREAD_INFORMATION, ThreadUmsFlags), 4);
    info.ThreadUmsFlags = 0;
    info.IsUmsSchedulerThread = 1;
    EXPECT_EQ(info.ThreadUmsFlags, 1);
    info.ThreadUmsFlags = 2;
    EXPECT_EQ(info.IsUmsWorkerThread, 1);
    EXPECT_EQ(info.IsUmsSchedulerThread, 0);
}

CLAUSE(TY, 9, DOC, "P:updateprocthreadattribute", "PROC_THREAD_ATTRIBUTE_UMS_THREAD is 0x30006")
{
    EXPECT_EQ(PROC_THREAD_ATTRIBUTE_UMS_THREAD, 0x00030006);
}

CLAUSE(TY, 10, DOC, "W:queryumsthreadinformation", "The yes-or-no classes use one byte")
{
    PUMS_CONTEXT context = make_context();
    BOOLEAN around[3] = {0xa5, 0xa5, 0xa5};

    EXPECT_EQ(sizeof(BOOLEAN), 1);
    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadIsTerminated, &around[1], 1, NULL));
    EXPECT_EQ(around[0], 0xa5);
    EXPECT_EQ(around[1], 1);
    EXPECT_EQ(around[2], 0xa5);
    EXPECT_OK(DeleteUmsThreadContext(context));
}

UNTESTED(TY, 11, OBS, "-", "There are no error codes of UMS's own",
         "says what headers lack; which codes come instead is asserted wherever a call fails")
UNTESTED(TY, 12, UNS, "W:queryumsthreadinformation", "Some names on the pages exist in no header",
         "about documents; the codes that come instead are QI-4 and QI-5")

CLAUSE(TY, 13, OBS, "-", "The last errors used have their values of old")
{
    EXPECT_EQ(ERROR_INVALID_HANDLE, 6);
    EXPECT_EQ(ERROR_NOT_ENOUGH_MEMORY, 8);
    EXPECT_EQ(ERROR_BAD_LENGTH, 24);
    EXPECT_EQ(ERROR_GEN_FAILURE, 31);
    EXPECT_EQ(ERROR_NOT_SUPPORTED, 50);
    EXPECT_EQ(ERROR_INVALID_PARAMETER, 87);
    EXPECT_EQ(ERROR_CALL_NOT_IMPLEMENTED, 120);
    EXPECT_EQ(ERROR_INSUFFICIENT_BUFFER, 122);
    EXPECT_EQ(WAIT_TIMEOUT, 258);
    EXPECT_EQ(ERROR_OBJECT_NAME_EXISTS, 698);
    EXPECT_EQ(ERROR_RETRY, 1237);
    EXPECT_EQ(ERROR_INTERNAL_ERROR, 1359);
    EXPECT_EQ(ERROR_TIMEOUT, 1460);
}

UNTESTED(TY, 14, OBS, "-", "Which status of ntdll becomes which last error",
         "statuses are not visible through these calls; the last errors are asserted call by call")
UNTESTED(TY, 15, OBS, "-", "Which versions of MinGW-w64 declare UMS",
         "history of headers; that every source here compiles with ours is the build")
