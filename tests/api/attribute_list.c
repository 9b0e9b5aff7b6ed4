/* SPDX-License-Identifier: MIT
 *
 * attribute_list.c - attribute lists of threads, beside the kit's clauses AT-*.
 *
 * modes: ums
 */
#include <windows.h>

#include "bare.h"
#include "gtest_c.h"

#include <string.h>

static _Alignas(16) char buffer[256];
static LPPROC_THREAD_ATTRIBUTE_LIST const attributes = (void *)buffer;

static void fill(UMS_CREATE_THREAD_ATTRIBUTES *ums)
{
    SIZE_T size = 0;

    EXPECT_FAILS(InitializeProcThreadAttributeList(NULL, 1, 0, &size), ERROR_INSUFFICIENT_BUFFER);
    memset(buffer, 0x5a, sizeof buffer);
    EXPECT_OK(InitializeProcThreadAttributeList(attributes, 1, 0, &size));
    EXPECT_OK(UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, ums,
                                        sizeof *ums, NULL, NULL));
    for (size_t i = size; i < sizeof buffer; i++)
        ASSERT_EQ(buffer[i], 0x5a); /* nothing is written beyond its size */
}

TEST(AttributeList, writes_nothing_beyond_its_size)
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};

    fill(&ums);
    DeleteProcThreadAttributeList(attributes);
}

TEST(AttributeList, serves_a_struct_that_is_gone)
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    struct bare worker;

    ASSERT_OK(CreateUmsCompletionList(&worker.list));
    ASSERT_OK(CreateUmsThreadContext(&worker.context));
    ums.UmsContext = worker.context;
    ums.UmsCompletionList = worker.list;
    fill(&ums);
    memset(&ums, 0xcc, sizeof ums); /* as a stack frame that was used again */
    worker.thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, routine_return, NULL, 0,
                                         attributes, NULL);
    DeleteProcThreadAttributeList(attributes);
    ASSERT_OK(worker.thread != NULL);
    EXPECT_EQ(bare_arrival(worker.list), worker.context);
    ASSERT_OK(bare_drive(worker.list, &worker.context, 1, 1));
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(worker.list));
}
