/* SPDX-License-Identifier: MIT
 *
 * win32_names.c - objects with names: one name space for all types, which ends with the last handle.
 *
 * modes: win32
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"
#include "own_name.h"
#include "stopwatch.h"

#define NAME OWN_NAME("umsshim-test-name")

TEST(Win32Names, both_alphabets_mean_the_same)
{
    HANDLE narrow = CreateEventA(NULL, FALSE, FALSE, NAME);
    HANDLE wide = OpenEventW(EVENT_ALL_ACCESS, FALSE, OWN_NAME_W(u"umsshim-test-name"));

    ASSERT_OK(narrow && wide);
    EXPECT_NE(narrow, wide);
    EXPECT_OK(SetEvent(wide));
    EXPECT_EQ(WaitForSingleObject(narrow, 0), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(wide, 0), WAIT_TIMEOUT); /* one event */
    EXPECT_OK(CloseHandle(wide));
    EXPECT_OK(SetEvent(narrow));
    EXPECT_OK(CloseHandle(narrow));
}

TEST(Win32Names, letters_beyond_ascii)
{
    HANDLE first = CreateEventW(NULL, FALSE, TRUE, OWN_NAME_W(u"umsshim-\u00e4\u4e2d\U0001f600"));
    HANDLE second =
        OpenEventW(EVENT_ALL_ACCESS, FALSE, OWN_NAME_W(u"umsshim-\u00e4\u4e2d\U0001f600"));

    ASSERT_OK(first && second);
    EXPECT_FAILS(
        OpenEventW(EVENT_ALL_ACCESS, FALSE, OWN_NAME_W(u"umsshim-\u00e4\u4e2d\U0001f601")) != NULL,
        ERROR_FILE_NOT_FOUND);
    EXPECT_EQ(WaitForSingleObject(second, 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(first));
    EXPECT_OK(CloseHandle(second));
}

TEST(Win32Names, case_matters)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NAME);

    EXPECT_FAILS(OpenEventA(EVENT_ALL_ACCESS, FALSE, OWN_NAME("UMSSHIM-test-name")) != NULL,
                 ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(OpenEventA(EVENT_ALL_ACCESS, FALSE, OWN_NAME("umsshim-test-nam")) != NULL,
                 ERROR_FILE_NOT_FOUND);
    EXPECT_OK(CloseHandle(event));
}

TEST(Win32Names, already_there)
{
    HANDLE first;
    HANDLE second;

    SetLastError(SENTINEL);
    first = CreateEventA(NULL, TRUE, TRUE, NAME);
    EXPECT_EQ(GetLastError(), 0);
    second = CreateEventA(NULL, FALSE, FALSE, NAME);
    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    ASSERT_OK(first && second);
    EXPECT_EQ(WaitForSingleObject(second, 0), WAIT_OBJECT_0); /* as the first creator made it */
    EXPECT_EQ(WaitForSingleObject(second, 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(first));
    EXPECT_OK(CloseHandle(second));
}

/* Every type against every other. */
static HANDLE create(int type, const char *name)
{
    switch (type) {
    case 0:
        return CreateEventA(NULL, FALSE, FALSE, name);
    case 1:
        return CreateMutexA(NULL, FALSE, name);
    case 2:
        return CreateSemaphoreA(NULL, 0, 1, name);
    default:
        return CreateWaitableTimerA(NULL, FALSE, name);
    }
}

static HANDLE open(int type, const char *name)
{
    switch (type) {
    case 0:
        return OpenEventA(EVENT_ALL_ACCESS, FALSE, name);
    case 1:
        return OpenMutexA(MUTEX_ALL_ACCESS, FALSE, name);
    case 2:
        return OpenSemaphoreA(SEMAPHORE_ALL_ACCESS, FALSE, name);
    default:
        return OpenWaitableTimerA(TIMER_ALL_ACCESS, FALSE, name);
    }
}

TEST(Win32Names, one_name_space_for_all_types)
{
    for (int type = 0; type < 4; type++) {
        HANDLE there = create(type, NAME);
        HANDLE same;

        ASSERT_OK(there != NULL);
        for (int other = 0; other < 4; other++) {
            if (other == type)
                continue;
            EXPECT_FAILS(create(other, NAME) != NULL, ERROR_INVALID_HANDLE);
            EXPECT_FAILS(open(other, NAME) != NULL, ERROR_INVALID_HANDLE);
        }
        same = open(type, NAME);
        EXPECT_OK(same != NULL);
        EXPECT_OK(CloseHandle(there));
        there = create(type, NAME); /* still there: `same` keeps it */
        EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
        EXPECT_OK(CloseHandle(same));
        EXPECT_OK(CloseHandle(there));
        EXPECT_FAILS(open(type, NAME) != NULL, ERROR_FILE_NOT_FOUND);
    }
}

TEST(Win32Names, namespaces)
{
    HANDLE plain = CreateEventA(NULL, FALSE, TRUE, NAME);
    HANDLE local = OpenEventA(EVENT_ALL_ACCESS, FALSE, OWN_NAME("Local\\umsshim-test-name"));
    HANDLE global;

    /* Without a prefix a name is local. */
    ASSERT_OK(plain && local);
    EXPECT_EQ(WaitForSingleObject(local, 0), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(plain, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(local));
    EXPECT_OK(CloseHandle(plain));
    global = CreateEventA(NULL, FALSE, FALSE, OWN_NAME("Global\\umsshim-test-name"));
    local = OpenEventA(EVENT_ALL_ACCESS, FALSE, OWN_NAME("Global\\umsshim-test-name"));
    EXPECT_OK(global && local);
    EXPECT_OK(CloseHandle(global));
    EXPECT_OK(CloseHandle(local));
}

TEST(Win32Names, bad_ones)
{
    EXPECT_FAILS(OpenEventA(EVENT_ALL_ACCESS, FALSE, NULL) != NULL, ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(OpenMutexW(MUTEX_ALL_ACCESS, FALSE, NULL) != NULL, ERROR_INVALID_PARAMETER);
    /* A backslash stands between a namespace and a name, and nowhere else. */
    EXPECT_FAILS(CreateEventA(NULL, FALSE, FALSE, "no-such-space\\x") != NULL,
                 ERROR_PATH_NOT_FOUND);
}

TEST(Win32Names, an_empty_name_is_none)
{
    HANDLE first = CreateEventA(NULL, FALSE, TRUE, "");
    HANDLE second = CreateEventW(NULL, FALSE, FALSE, u"");

    ASSERT_OK(first && second);
    EXPECT_EQ(WaitForSingleObject(second, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(first));
    EXPECT_OK(CloseHandle(second));
}

TEST(Win32Names, a_waiter_keeps_no_name)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NAME);
    HANDLE twin;

    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), event, GetCurrentProcess(), &twin, 0, FALSE,
                              DUPLICATE_SAME_ACCESS));
    EXPECT_OK(CloseHandle(event));
    event = OpenEventA(EVENT_ALL_ACCESS, FALSE, NAME); /* the duplicate keeps it */
    EXPECT_OK(event != NULL);
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(twin));
    EXPECT_FAILS(OpenEventA(EVENT_ALL_ACCESS, FALSE, NAME) != NULL, ERROR_FILE_NOT_FOUND);
}

enum { ROUNDS = 300, ENOUGH_MS = 2000 }; /* a busy machine makes fewer rounds */

/* Threads of all kinds create, open and close one name at once. */
static void race(void *arg)
{
    int *winners = arg;
    ULONGLONG begun = stopwatch();

    for (int i = 0; i < ROUNDS && stopwatch() - begun < ENOUGH_MS; i++) {
        HANDLE mutex = CreateMutexA(NULL, TRUE, OWN_NAME("umsshim-test-race"));
        DWORD error = GetLastError();

        if (!mutex) {
            FAIL("no mutex: last error %u", (unsigned)error);
            return;
        }
        if (error == ERROR_ALREADY_EXISTS &&
            !EXPECT_EQ(WaitForSingleObject(mutex, 8000), WAIT_OBJECT_0))
            return;
        /* The creator owns it from the first moment. */
        if (__atomic_add_fetch(winners, 1, __ATOMIC_ACQ_REL) != 1)
            FAIL("two owners of a mutex");
        if (i % 8 == 0)
            SwitchToThread();
        __atomic_sub_fetch(winners, 1, __ATOMIC_ACQ_REL);
        if (!EXPECT_OK(ReleaseMutex(mutex)) || !EXPECT_OK(CloseHandle(mutex)))
            return;
    }
}

TEST(Win32Names, created_owned_in_a_race)
{
    enum { THREADS = 6 };
    struct kind_thread threads[THREADS] = {0};
    int winners = 0;

    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_start(&threads[i], i % KINDS, race, &winners));
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_join(&threads[i]));
}
