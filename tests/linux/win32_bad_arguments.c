/* SPDX-License-Identifier: MIT
 *
 * win32_bad_arguments.c - the documented errors of processor numbers, groups, sections and stacks,
 * where Wine's differ from Microsoft's pages.
 *
 * modes: default
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { GROUPS = 16 };

TEST_IN_EACH_KIND(Win32BadArguments, a_processor_that_does_not_exist_has_no_node)
{
    PROCESSOR_NUMBER numbers[] = {{0, 64, 0}, {0, 200, 0}, {9, 0, 0}, {0, 0, 1}};
    UCHAR small = 7;

    for (int i = 0; i < 4; i++) {
        USHORT node = 7;

        EXPECT_FAILS(GetNumaProcessorNodeEx(&numbers[i], &node), ERROR_INVALID_PARAMETER);
        EXPECT_EQ(node, 0xffff);
    }
    EXPECT_FAILS(GetNumaProcessorNode(200, &small), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(small, 0xff);
    EXPECT_FAILS(GetNumaProcessorNodeEx(&numbers[0], NULL), ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32BadArguments, ideal_processors)
{
    PROCESSOR_NUMBER number = {0, 0, 1}, seen = {9, 9, 9};

    EXPECT_FAILS(SetThreadIdealProcessorEx(GetCurrentThread(), &number, NULL),
                 ERROR_INVALID_PARAMETER);
    number = (PROCESSOR_NUMBER){1, 0, 0};
    EXPECT_FAILS(SetThreadIdealProcessorEx(GetCurrentThread(), &number, NULL),
                 ERROR_INVALID_PARAMETER);
    number = (PROCESSOR_NUMBER){0, (BYTE)(GetMaximumProcessorCount(0) - 1), 0};
    EXPECT_OK(SetThreadIdealProcessorEx(GetCurrentThread(), &number, NULL));
    EXPECT_OK(GetThreadIdealProcessorEx(GetCurrentThread(), &seen));
    EXPECT_EQ(seen.Number, number.Number);
    EXPECT_EQ(seen.Group, 0);
    EXPECT_EQ(seen.Reserved, 0);
    EXPECT_FAILS(GetThreadIdealProcessorEx(GetCurrentThread(), NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetThreadIdealProcessorEx((HANDLE)0x7777770, &seen), ERROR_INVALID_HANDLE);
}

/* One group for each 64 processors that the process may use. */
TEST_IN_EACH_KIND(Win32BadArguments, the_groups_of_the_process)
{
    USHORT count = 0, groups[GROUPS];
    GROUP_AFFINITY own = {0};
    int own_is_there = 0;

    EXPECT_FAILS(GetProcessGroupAffinity(GetCurrentProcess(), &count, NULL),
                 ERROR_INSUFFICIENT_BUFFER);
    EXPECT_GE(count, 1);
    ASSERT_GE(GetActiveProcessorGroupCount(), count);
    EXPECT_OK(GetProcessGroupAffinity(GetCurrentProcess(), &count, groups));
    ASSERT_OK(GetThreadGroupAffinity(GetCurrentThread(), &own));
    for (int i = 0; i < count; i++)
        own_is_there += groups[i] == own.Group;
    EXPECT_EQ(own_is_there, 1);
    count = GROUPS;
    EXPECT_OK(GetProcessGroupAffinity(GetCurrentProcess(), &count, groups));
    EXPECT_LE(count, GetActiveProcessorGroupCount());
    EXPECT_FAILS(GetProcessGroupAffinity(GetCurrentProcess(), NULL, groups),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetProcessGroupAffinity((HANDLE)0x7777770, &count, groups), ERROR_INVALID_HANDLE);
}

/* A section that executes wants a file that was opened to execute. */
static HANDLE section_of(const char *path, DWORD access, DWORD protect)
{
    HANDLE file =
        CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    HANDLE section;
    DWORD error;

    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    SetLastError(SENTINEL);
    section = CreateFileMappingA(file, NULL, protect, 0, 0, NULL);
    error = GetLastError();
    EXPECT_OK(CloseHandle(file));
    SetLastError(error);
    return section;
}

TEST_IN_EACH_KIND(Win32BadArguments, sections_that_execute)
{
    static const struct {
        DWORD access, protect;
        int made;
    } cases[] = {
        {GENERIC_READ, PAGE_EXECUTE_READ, 0},
        {GENERIC_READ | GENERIC_EXECUTE, PAGE_EXECUTE_READ, 1},
        {FILE_READ_DATA | FILE_EXECUTE, PAGE_EXECUTE_READ, 1},
        {GENERIC_READ, PAGE_EXECUTE_WRITECOPY, 0},
        {GENERIC_READ | GENERIC_EXECUTE, PAGE_EXECUTE_WRITECOPY, 1},
        {GENERIC_READ | GENERIC_WRITE, PAGE_EXECUTE_READWRITE, 0},
        {GENERIC_READ | GENERIC_EXECUTE, PAGE_EXECUTE_READWRITE, 0},
        {GENERIC_READ | GENERIC_WRITE | GENERIC_EXECUTE, PAGE_EXECUTE_READWRITE, 1},
        {GENERIC_ALL, PAGE_EXECUTE_READWRITE, 1},
        {GENERIC_EXECUTE, PAGE_EXECUTE_READ, 0},
    };
    char path[] = "/tmp/umsshim-section-XXXXXX";
    int fd = mkstemp(path);

    ASSERT_THAT(fd >= 0, "mkstemp");
    EXPECT_EQ(write(fd, path, sizeof path), sizeof path);
    close(fd);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        HANDLE section = section_of(path, cases[i].access, cases[i].protect);

        EXPECT_THAT((section != NULL) == cases[i].made, "case %u: %p, last error %u", i,
                    (void *)section, (unsigned)GetLastError());
        if (section)
            EXPECT_OK(CloseHandle(section));
        else
            EXPECT_EQ(GetLastError(), ERROR_ACCESS_DENIED);
    }
    unlink(path);
}

static DWORD WINAPI never(void *arg)
{
    FAIL("a thread with a stack of everything ran");
    return 0;
}

/* Sizes that wrap where the engine adds what it needs itself. */
TEST_IN_EACH_KIND(Win32BadArguments, stacks_larger_than_memory)
{
    static const SIZE_T sizes[] = {~(SIZE_T)0, ~(SIZE_T)0 - 65536, (SIZE_T)1 << 63,
                                   (SIZE_T)1 << 47};
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    SIZE_T room = 0;

    EXPECT_THAT(!InitializeProcThreadAttributeList(NULL, 1, 0, &room), "the size of a list");
    LPPROC_THREAD_ATTRIBUTE_LIST list = malloc(room);
    ASSERT_OK(CreateUmsCompletionList(&ums.UmsCompletionList));
    ASSERT_OK(CreateUmsThreadContext(&ums.UmsContext));
    ASSERT_OK(InitializeProcThreadAttributeList(list, 1, 0, &room));
    ASSERT_OK(UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums, sizeof ums,
                                        NULL, NULL));
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        EXPECT_FAILS(CreateThread(NULL, sizes[i], never, NULL, 0, NULL), ERROR_NOT_ENOUGH_MEMORY);
        EXPECT_FAILS(
            CreateRemoteThreadEx(GetCurrentProcess(), NULL, sizes[i], never, NULL, 0, list, NULL),
            ERROR_NOT_ENOUGH_MEMORY);
        EXPECT_FAILS(CreateFiberEx(0, sizes[i], 0, (LPFIBER_START_ROUTINE)(void *)never, NULL),
                     ERROR_NOT_ENOUGH_MEMORY);
    }
    DeleteProcThreadAttributeList(list);
    free(list);
    EXPECT_OK(DeleteUmsThreadContext(ums.UmsContext));
    EXPECT_OK(DeleteUmsCompletionList(ums.UmsCompletionList));
}
