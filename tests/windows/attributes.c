/* SPDX-License-Identifier: MIT
 *
 * attributes.c - the UMS attribute beside others: those are the system's, and reach it.
 *
 * modes: default, umsrun
 */
#include "bare.h"
#include "gtest_c.h"

static DWORD WINAPI tell_ideal_processor(LPVOID param)
{
    PROCESSOR_NUMBER *number = param;

    if (!GetThreadIdealProcessorEx(GetCurrentThread(), number)) {
        EXPECT_EQ(GetLastError(), ERROR_INVALID_FUNCTION); /* Wine cannot tell */
        number->Number = 1;
    }
    return 5;
}

/* What a plain thread sees that was made with the attribute: Wine 10 takes it and always tells 0. */
static BYTE as_plain_threads_see_it(PROCESSOR_NUMBER *wanted)
{
    PROCESSOR_NUMBER seen = {0};
    _Alignas(16) char buffer[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (void *)buffer;
    SIZE_T size = sizeof buffer;
    HANDLE thread;

    EXPECT_OK(InitializeProcThreadAttributeList(attributes, 1, 0, &size));
    EXPECT_OK(UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_IDEAL_PROCESSOR,
                                        wanted, sizeof *wanted, NULL, NULL));
    thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, tell_ideal_processor, &seen, 0,
                                  attributes, NULL);
    DeleteProcThreadAttributeList(attributes);
    EXPECT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    return seen.Number;
}

TEST(Attributes, beside_one_of_the_systems)
{
    PUMS_COMPLETION_LIST list;
    struct bare worker = {0};
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    PROCESSOR_NUMBER wanted = {0, 1, 0}, seen = {0};
    _Alignas(16) char buffer[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (void *)buffer;
    SIZE_T size = sizeof buffer;
    DWORD code = 0;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(CreateUmsThreadContext(&worker.context));
    ums.UmsContext = worker.context;
    ums.UmsCompletionList = list;
    ASSERT_OK(InitializeProcThreadAttributeList(attributes, 2, 0, &size));
    EXPECT_OK(UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_IDEAL_PROCESSOR,
                                        &wanted, sizeof wanted, NULL, NULL));
    EXPECT_OK(UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                        sizeof ums, NULL, NULL));
    EXPECT_FAILS(UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_PREFERRED_NODE,
                                           &wanted, sizeof(USHORT), NULL, NULL),
                 ERROR_GEN_FAILURE);
    worker.thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, tell_ideal_processor, &seen,
                                         0, attributes, &worker.id);
    DeleteProcThreadAttributeList(attributes);
    ASSERT_OK(worker.thread != NULL);
    ASSERT_EQ(bare_arrival(list), worker.context);
    ASSERT_OK(bare_drive(list, &worker.context, 1, 1));
    EXPECT_EQ(WaitForSingleObject(worker.thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(worker.thread, &code));
    EXPECT_EQ(code, 5);
    EXPECT_EQ(seen.Number, as_plain_threads_see_it(&wanted));
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* Programs that have nothing to do with UMS make and forget lists: nothing may pile up. */
TEST(Attributes, lists_that_are_never_deleted)
{
    static _Alignas(16) char buffers[3000][64];
    HANDLE thread;

    for (int i = 0; i < 3000; i++) {
        SIZE_T size = sizeof buffers[i];

        ASSERT_OK(InitializeProcThreadAttributeList((void *)buffers[i], 1, 0, &size));
    }
    thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, routine_return, (void *)9, 0,
                                  (void *)buffers[0], NULL);
    ASSERT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
}
