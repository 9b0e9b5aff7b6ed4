/* SPDX-License-Identifier: MIT
 *
 * attributes.c - section 6: the attribute list that names context and completion list.
 */
#include "rig.h"

#include <string.h>

#define INIT_PAGE "P:initializeprocthreadattributelist"
#define UPDATE_PAGE "P:updateprocthreadattribute"

enum { ROOM = 256 };

struct attributes {
    _Alignas(16) char room[ROOM];
    LPPROC_THREAD_ATTRIBUTE_LIST list;
};

static bool set_up(struct attributes *attributes, DWORD count)
{
    SIZE_T size = ROOM;

    attributes->list = (void *)attributes->room;
    return EXPECT_OK(InitializeProcThreadAttributeList(attributes->list, count, 0, &size));
}

static BOOL update(struct attributes *attributes, DWORD_PTR which, void *value, SIZE_T size)
{
    return UpdateProcThreadAttribute(attributes->list, 0, which, value, size, NULL, NULL);
}

static BOOL update_ums(struct attributes *attributes, UMS_CREATE_THREAD_ATTRIBUTES *ums)
{
    return update(attributes, PROC_THREAD_ATTRIBUTE_UMS_THREAD, ums, sizeof *ums);
}

static HANDLE create(struct attributes *attributes)
{
    return CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, routine_return, NULL, 0,
                                attributes->list, NULL);
}

CLAUSE(AT, 1, DOC, INIT_PAGE, "Asked for the size it fails with 122 and says 24 + 24 n")
{
    for (DWORD count = 1; count <= 3; count++) {
        SIZE_T size = 0;

        EXPECT_FAILS(InitializeProcThreadAttributeList(NULL, count, 0, &size),
                     ERROR_INSUFFICIENT_BUFFER);
        EXPECT_EQ(size, 24 + 24 * count);
    }
}

CLAUSE(AT, 2, OBS, INIT_PAGE, "It fills a buffer that is large enough; 122 and the size if not")
{
    _Alignas(16) char room[ROOM];
    SIZE_T size = 48;

    EXPECT_OK(InitializeProcThreadAttributeList((void *)room, 1, 0, &size));
    EXPECT_EQ(size, 48);
    DeleteProcThreadAttributeList((void *)room);
    size = 47;
    EXPECT_FAILS(InitializeProcThreadAttributeList((void *)room, 1, 0, &size),
                 ERROR_INSUFFICIENT_BUFFER);
    EXPECT_EQ(size, 48);
}

/* What counts is what the structure says at creation. */
CLAUSE(AT, 3, DOC, UPDATE_PAGE, "Update stores the pointer, not what is there")
{
    PUMS_COMPLETION_LIST first = make_list(), second = make_list();
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, make_context(), first};
    struct attributes attributes;
    struct worker worker = {.list = second, .context = ums.UmsContext};

    REQUIRE(set_up(&attributes, 1));
    EXPECT_OK(update_ums(&attributes, &ums));
    ums.UmsCompletionList = second;
    worker.thread = create(&attributes);
    DeleteProcThreadAttributeList(attributes.list);
    ASSERT_OK(worker.thread != NULL);
    EXPECT_EQ(arrival(second), worker.context);
    EXPECT(is_empty(first, 0));
    REQUIRE(drive(second, &worker.context, 1, 1));
    drop_worker(&worker);
    drop_list(first);
    drop_list(second);
}

CLAUSE(AT, 4, OBS, UPDATE_PAGE, "A wrong size is 24, a full list 31, an unknown attribute 50")
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    struct attributes attributes;

    REQUIRE(set_up(&attributes, 1));
    EXPECT_FAILS(update(&attributes, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums, sizeof ums - 1),
                 ERROR_BAD_LENGTH);
    EXPECT_FAILS(update(&attributes, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums, 0), ERROR_BAD_LENGTH);
    EXPECT_FAILS(update(&attributes, 0x000300ff, &ums, sizeof ums), ERROR_NOT_SUPPORTED);
    EXPECT_OK(update_ums(&attributes, &ums));
    EXPECT_FAILS(update(&attributes, 0x000300ff, &ums, sizeof ums), ERROR_GEN_FAILURE);
    DeleteProcThreadAttributeList(attributes.list);
}

CLAUSE(AT, 5, UNS, UPDATE_PAGE, "The same attribute twice: 0 and 698")
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    struct attributes attributes;

    REQUIRE(set_up(&attributes, 2));
    EXPECT_OK(update_ums(&attributes, &ums));
    EXPECT_FAILS(update_ums(&attributes, &ums), ERROR_OBJECT_NAME_EXISTS);
    DeleteProcThreadAttributeList(attributes.list);
}

CLAUSE(AT, 6, DOC, "P:deleteprocthreadattributelist",
       "Deleting leaves the buffer and the new thread alone")
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, make_context(), make_list()};
    struct attributes attributes;
    struct worker worker = {.list = ums.UmsCompletionList, .context = ums.UmsContext};

    REQUIRE(set_up(&attributes, 1));
    EXPECT_OK(update_ums(&attributes, &ums));
    worker.thread = create(&attributes);
    ASSERT_OK(worker.thread != NULL);
    DeleteProcThreadAttributeList(attributes.list);
    memset(&attributes, 0xcc, sizeof attributes);
    memset(&ums, 0xcc, sizeof ums);
    REQUIRE(drive(worker.list, NULL, 0, 1));
    drop_worker(&worker);
    drop_list(worker.list);
}

CLAUSE(AT, 7, UNS, UPDATE_PAGE, "Other attributes may stand beside it")
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, make_context(), make_list()};
    PROCESSOR_NUMBER ideal = {0, 0, 0};
    struct attributes attributes;
    struct worker worker = {.list = ums.UmsCompletionList, .context = ums.UmsContext};

    REQUIRE(set_up(&attributes, 2));
    EXPECT_OK(update(&attributes, PROC_THREAD_ATTRIBUTE_IDEAL_PROCESSOR, &ideal, sizeof ideal));
    EXPECT_OK(update_ums(&attributes, &ums));
    worker.thread = create(&attributes);
    DeleteProcThreadAttributeList(attributes.list);
    ASSERT_OK(worker.thread != NULL);
    REQUIRE(drive(worker.list, NULL, 0, 1));
    drop_worker(&worker);
    drop_list(worker.list);
}

static atomic_int plain_ran;

static DWORD WINAPI run_plainly(LPVOID param)
{
    atomic_store(&plain_ran, 1);
    return (DWORD)(ULONG_PTR)param;
}

CLAUSE(AT, 8, UNS, UPDATE_PAGE, "A thread made without the attribute is an ordinary one")
{
    struct attributes attributes;
    HANDLE thread;
    DWORD code = 0;

    atomic_store(&plain_ran, 0);
    REQUIRE(set_up(&attributes, 1));
    thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, run_plainly, (void *)7, 0,
                                  attributes.list, NULL);
    DeleteProcThreadAttributeList(attributes.list);
    ASSERT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, 7);
    EXPECT_EQ(atomic_load(&plain_ran), 1);
    EXPECT_OK(CloseHandle(thread));
}

CLAUSE(AT, 9, DOC, UPDATE_PAGE,
       "Reserved parameters: flags that are not 0, or a place for what was there, fail with 87")
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    _Alignas(16) char room[128];
    SIZE_T size = sizeof room, returned = 0;
    struct attributes attributes;
    PVOID previous[3] = {NULL};

    EXPECT_FAILS(InitializeProcThreadAttributeList((void *)room, 1, 1, &size),
                 ERROR_INVALID_PARAMETER);
    REQUIRE(set_up(&attributes, 1));
    EXPECT_FAILS(UpdateProcThreadAttribute(attributes.list, 0x80, PROC_THREAD_ATTRIBUTE_UMS_THREAD,
                                           &ums, sizeof ums, NULL, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(UpdateProcThreadAttribute(attributes.list, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD,
                                           &ums, sizeof ums, previous, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(UpdateProcThreadAttribute(attributes.list, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD,
                                           &ums, sizeof ums, NULL, &returned),
                 ERROR_INVALID_PARAMETER);
    EXPECT_OK(update_ums(&attributes, &ums)); /* there is room still */
    DeleteProcThreadAttributeList(attributes.list);
}
