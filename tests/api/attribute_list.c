/* SPDX-License-Identifier: MIT
 *
 * attribute_list.c - Initialize-, Update- and DeleteProcThreadAttributeList (AT-*).
 */
#include <windows.h>

#include "bare.h"
#include "gtest_c.h"

#include <string.h>

enum { UNKNOWN_ATTRIBUTE = 0x0003fff0, OBJECT_NAME_EXISTS = 698 };

struct buffer {
    _Alignas(16) char bytes[256];
};

static LPPROC_THREAD_ATTRIBUTE_LIST list_in(struct buffer *buffer)
{
    return (void *)buffer->bytes;
}

TEST(AttributeList, size_query_AT_1)
{
    for (DWORD n = 1; n <= 3; n++) {
        SIZE_T size = 0;

        EXPECT_FAILS(InitializeProcThreadAttributeList(NULL, n, 0, &size),
                     ERROR_INSUFFICIENT_BUFFER);
        EXPECT_EQ(size, 24 + 24 * n);
    }
}

TEST(AttributeList, one_attribute_fits_128_bytes)
{
    struct buffer buffer;
    SIZE_T size = 128;

    EXPECT_OK(InitializeProcThreadAttributeList(list_in(&buffer), 1, 0, &size));
    DeleteProcThreadAttributeList(list_in(&buffer));
}

TEST(AttributeList, exact_size_and_too_small_AT_2)
{
    struct buffer buffer;
    SIZE_T size = 0;
    SIZE_T exact;

    EXPECT_FAILS(InitializeProcThreadAttributeList(NULL, 1, 0, &size), ERROR_INSUFFICIENT_BUFFER);
    exact = size;
    size = exact - 1;
    EXPECT_FAILS(InitializeProcThreadAttributeList(list_in(&buffer), 1, 0, &size),
                 ERROR_INSUFFICIENT_BUFFER);
    EXPECT_EQ(size, exact);
    EXPECT_OK(InitializeProcThreadAttributeList(list_in(&buffer), 1, 0, &size));
    EXPECT_EQ(size, exact);
    DeleteProcThreadAttributeList(list_in(&buffer));
}

TEST(AttributeList, writes_nothing_beyond_its_size)
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    struct buffer buffer;
    SIZE_T size = 0;

    InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    memset(&buffer, 0x5a, sizeof buffer);
    EXPECT_OK(InitializeProcThreadAttributeList(list_in(&buffer), 1, 0, &size));
    EXPECT_OK(UpdateProcThreadAttribute(list_in(&buffer), 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                        sizeof ums, NULL, NULL));
    DeleteProcThreadAttributeList(list_in(&buffer));
    for (size_t i = size; i < sizeof buffer; i++)
        ASSERT_EQ(buffer.bytes[i], 0x5a);
}

static void with_list(DWORD slots, struct buffer *buffer)
{
    SIZE_T size = sizeof *buffer;

    EXPECT_OK(InitializeProcThreadAttributeList(list_in(buffer), slots, 0, &size));
}

TEST(AttributeList, wrong_size_AT_4)
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    struct buffer buffer;

    with_list(1, &buffer);
    EXPECT_FAILS(UpdateProcThreadAttribute(list_in(&buffer), 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD,
                                           &ums, sizeof ums - 1, NULL, NULL),
                 ERROR_BAD_LENGTH);
    EXPECT_FAILS(UpdateProcThreadAttribute(list_in(&buffer), 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD,
                                           &ums, sizeof ums + 8, NULL, NULL),
                 ERROR_BAD_LENGTH);
    EXPECT_OK(UpdateProcThreadAttribute(list_in(&buffer), 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                        sizeof ums, NULL, NULL));
    DeleteProcThreadAttributeList(list_in(&buffer));
}

TEST(AttributeList, unknown_attribute_AT_4)
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    struct buffer buffer;

    with_list(1, &buffer);
    EXPECT_FAILS(UpdateProcThreadAttribute(list_in(&buffer), 0, UNKNOWN_ATTRIBUTE, &ums, sizeof ums,
                                           NULL, NULL),
                 ERROR_NOT_SUPPORTED);
    DeleteProcThreadAttributeList(list_in(&buffer));
}

TEST(AttributeList, full_list_is_checked_first_AT_4)
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    struct buffer buffer;

    with_list(1, &buffer);
    EXPECT_OK(UpdateProcThreadAttribute(list_in(&buffer), 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                        sizeof ums, NULL, NULL));
    EXPECT_FAILS(
        UpdateProcThreadAttribute(list_in(&buffer), 0, UNKNOWN_ATTRIBUTE, &ums, 1, NULL, NULL),
        ERROR_GEN_FAILURE);
    DeleteProcThreadAttributeList(list_in(&buffer));
}

TEST(AttributeList, same_attribute_twice_AT_5)
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    struct buffer buffer;

    with_list(2, &buffer);
    EXPECT_OK(UpdateProcThreadAttribute(list_in(&buffer), 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                        sizeof ums, NULL, NULL));
    EXPECT_FAILS(UpdateProcThreadAttribute(list_in(&buffer), 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD,
                                           &ums, sizeof ums, NULL, NULL),
                 OBJECT_NAME_EXISTS);
    DeleteProcThreadAttributeList(list_in(&buffer));
}

/* ---- what creation sees ---- */

struct creation {
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT contexts[2];
};

static bool set_up(struct creation *creation)
{
    return TC_OK(CreateUmsCompletionList(&creation->list)) &&
           TC_OK(CreateUmsThreadContext(&creation->contexts[0])) &&
           TC_OK(CreateUmsThreadContext(&creation->contexts[1]));
}

static HANDLE create(LPPROC_THREAD_ATTRIBUTE_LIST attributes)
{
    return CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, routine_return, NULL, 0, attributes,
                                NULL);
}

static void finish(struct creation *creation, HANDLE thread, PUMS_CONTEXT expected)
{
    PUMS_CONTEXT context;

    ASSERT_OK(thread != NULL);
    context = bare_arrival(creation->list);
    EXPECT_EQ(context, expected);
    ASSERT_OK(bare_drive(creation->list, &context, 1, 1));
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(DeleteUmsThreadContext(creation->contexts[0]));
    EXPECT_OK(DeleteUmsThreadContext(creation->contexts[1]));
    EXPECT_OK(DeleteUmsCompletionList(creation->list));
}

TEST(AttributeList, keeps_the_pointer_AT_3)
{
    struct creation creation;
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    struct buffer buffer;
    HANDLE thread;

    ASSERT_OK(set_up(&creation));
    ums.UmsContext = creation.contexts[0];
    ums.UmsCompletionList = creation.list;
    with_list(1, &buffer);
    EXPECT_OK(UpdateProcThreadAttribute(list_in(&buffer), 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                        sizeof ums, NULL, NULL));
    ums.UmsContext = creation.contexts[1];
    thread = create(list_in(&buffer));
    DeleteProcThreadAttributeList(list_in(&buffer));
    finish(&creation, thread, creation.contexts[1]);
}

TEST(AttributeList, serves_a_struct_that_is_gone)
{
    struct creation creation;
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    struct buffer buffer;
    HANDLE thread;

    ASSERT_OK(set_up(&creation));
    ums.UmsContext = creation.contexts[0];
    ums.UmsCompletionList = creation.list;
    with_list(1, &buffer);
    EXPECT_OK(UpdateProcThreadAttribute(list_in(&buffer), 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                        sizeof ums, NULL, NULL));
    memset(&ums, 0xcc, sizeof ums); /* as a stack frame that was used again */
    thread = create(list_in(&buffer));
    DeleteProcThreadAttributeList(list_in(&buffer));
    finish(&creation, thread, creation.contexts[0]);
}

TEST(AttributeList, deleted_right_after_creation_AT_6)
{
    struct creation creation;
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    struct buffer buffer;
    HANDLE thread;

    ASSERT_OK(set_up(&creation));
    ums.UmsContext = creation.contexts[0];
    ums.UmsCompletionList = creation.list;
    with_list(1, &buffer);
    EXPECT_OK(UpdateProcThreadAttribute(list_in(&buffer), 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                        sizeof ums, NULL, NULL));
    thread = create(list_in(&buffer));
    DeleteProcThreadAttributeList(list_in(&buffer));
    memset(&buffer, 0xcc, sizeof buffer);
    memset(&ums, 0xcc, sizeof ums);
    finish(&creation, thread, creation.contexts[0]);
}

/* Without the attribute it is CreateThread: the thread runs on its own. */
TEST(AttributeList, empty_list_makes_a_plain_thread)
{
    struct buffer buffer;
    HANDLE thread;

    with_list(1, &buffer);
    thread = create(list_in(&buffer));
    DeleteProcThreadAttributeList(list_in(&buffer));
    ASSERT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
}
