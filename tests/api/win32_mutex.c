/* SPDX-License-Identifier: MIT
 *
 * win32_mutex.c - mutexes: the owning thread, the number of its holds, and the mutex after its
 * owner's end.
 *
 * modes: win32
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "own_name.h"
#include "stopwatch.h"

static DWORD state_of(HANDLE mutex)
{
    DWORD result = WaitForSingleObject(mutex, 0);

    if (result != WAIT_TIMEOUT && result != WAIT_FAILED)
        EXPECT_OK(ReleaseMutex(mutex));
    return result;
}

static void owner_and_recursion(void *arg)
{
    HANDLE mutex = CreateMutexA(NULL, TRUE, NULL);

    ASSERT_OK(mutex != NULL);
    EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(mutex, INFINITE), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForMultipleObjects(1, &mutex, TRUE, INFINITE), WAIT_OBJECT_0);
    for (int i = 0; i < 4; i++)
        EXPECT_OK(ReleaseMutex(mutex));
    EXPECT_FAILS(ReleaseMutex(mutex), ERROR_NOT_OWNER);
    EXPECT_OK(CloseHandle(mutex));
}

TEST(Win32Mutex, owner_and_recursion)
{
    in_each_kind(owner_and_recursion, NULL);
}

static void not_mine(void *mutex)
{
    EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_TIMEOUT);
    EXPECT_FAILS(ReleaseMutex(mutex), ERROR_NOT_OWNER);
}

TEST(Win32Mutex, somebody_elses)
{
    HANDLE mutex = CreateMutexW(NULL, TRUE, NULL);

    in_each_kind(not_mine, mutex);
    EXPECT_OK(ReleaseMutex(mutex));
    EXPECT_EQ(state_of(mutex), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(mutex));
}

TEST(Win32Mutex, created_without_owner)
{
    HANDLE mutex = CreateMutexExW(NULL, NULL, 0, MUTEX_ALL_ACCESS);
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);
    HANDLE owned;

    EXPECT_FAILS(ReleaseMutex(mutex), ERROR_NOT_OWNER);
    EXPECT_FAILS(ReleaseMutex(event), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(ReleaseMutex(NULL), ERROR_INVALID_HANDLE);
    owned = CreateMutexExA(NULL, NULL, CREATE_MUTEX_INITIAL_OWNER, MUTEX_ALL_ACCESS);
    EXPECT_OK(ReleaseMutex(owned));
    EXPECT_FAILS(ReleaseMutex(owned), ERROR_NOT_OWNER);
    EXPECT_OK(CloseHandle(owned));
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(mutex));
}

/* ---- waiting for one ---- */

struct turn {
    HANDLE mutex;
    HANDLE hold;    /* the holder keeps it until this is set */
    HANDLE holding; /* set when it has it */
};

static void hold(void *arg)
{
    struct turn *turn = arg;

    EXPECT_EQ(WaitForSingleObject(turn->mutex, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(SignalObjectAndWait(turn->holding, turn->hold, 5000, FALSE), WAIT_OBJECT_0);
    EXPECT_OK(ReleaseMutex(turn->mutex));
}

static void take_after(void *arg)
{
    struct turn *turn = arg;

    EXPECT_EQ(WaitForSingleObject(turn->mutex, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(turn->mutex, 5000), WAIT_OBJECT_0);
    EXPECT_OK(ReleaseMutex(turn->mutex));
    EXPECT_OK(ReleaseMutex(turn->mutex));
}

TEST(Win32Mutex, waiting_for_its_owner)
{
    struct turn turn = {CreateMutexA(NULL, FALSE, NULL), CreateEventA(NULL, FALSE, FALSE, NULL),
                        CreateEventA(NULL, FALSE, FALSE, NULL)};

    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct kind_thread holder = {0};
        struct kind_thread waiter = {0};

        ASSERT_OK(kind_start(&holder, kind, hold, &turn));
        ASSERT_EQ(WaitForSingleObject(turn.holding, 5000), WAIT_OBJECT_0);
        EXPECT_EQ(WaitForSingleObject(turn.mutex, 20), WAIT_TIMEOUT);
        ASSERT_OK(kind_start(&waiter, (kind + 1) % KINDS, take_after, &turn));
        EXPECT_OK(SetEvent(turn.hold));
        ASSERT_OK(kind_join(&waiter));
        ASSERT_OK(kind_join(&holder));
    }
    CloseHandle(turn.mutex);
    CloseHandle(turn.hold);
    CloseHandle(turn.holding);
}

/* A counter that only the owner touches. */
static struct {
    HANDLE mutex;
    long counter;
    int inside, rounds;
} shared;

enum { ROUNDS = 300, ENOUGH_MS = 2000 }; /* a busy machine makes fewer rounds */

static void count_up(void *arg)
{
    ULONGLONG begun = stopwatch();

    for (int i = 0; i < ROUNDS && stopwatch() - begun < ENOUGH_MS; i++) {
        if (WaitForSingleObject(shared.mutex, 8000) != WAIT_OBJECT_0) {
            FAIL("round %d: the mutex did not come", i);
            return;
        }
        if (flag_add(&shared.inside, 1) != 1)
            FAIL("two owners at once");
        shared.counter++;
        if (i % 16 == 0)
            SwitchToThread();
        flag_add(&shared.inside, -1);
        ReleaseMutex(shared.mutex);
        flag_add(&shared.rounds, 1);
    }
}

TEST(Win32Mutex, contended_by_all_kinds)
{
    enum { THREADS = 9 };
    struct kind_thread threads[THREADS] = {0};

    shared.mutex = CreateMutexA(NULL, FALSE, NULL);
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_start(&threads[i], i % KINDS, count_up, NULL));
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_join(&threads[i]));
    EXPECT_EQ(shared.counter, shared.rounds);
    EXPECT_OK(CloseHandle(shared.mutex));
}

/* ---- abandoned ---- */

static void take_and_end(void *mutex)
{
    EXPECT_EQ(WaitForSingleObject(mutex, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(mutex, 5000), WAIT_OBJECT_0);
}

static void abandon(enum kind kind, HANDLE mutex)
{
    struct kind_thread thread = {0};

    ASSERT_OK(kind_start(&thread, kind, take_and_end, mutex));
    ASSERT_OK(kind_join(&thread));
}

TEST(Win32Mutex, abandoned_and_found_free)
{
    HANDLE mutex = CreateMutexA(NULL, FALSE, NULL);

    for (enum kind kind = 0; kind < KINDS; kind++) {
        abandon(kind, mutex);
        EXPECT_EQ(WaitForSingleObject(mutex, 5000), WAIT_ABANDONED);
        EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_OBJECT_0); /* told once */
        EXPECT_OK(ReleaseMutex(mutex));
        EXPECT_OK(ReleaseMutex(mutex)); /* and its old owner's recursion is gone */
        EXPECT_FAILS(ReleaseMutex(mutex), ERROR_NOT_OWNER);
    }
    EXPECT_OK(CloseHandle(mutex));
}

TEST(Win32Mutex, abandoned_among_others)
{
    HANDLE objects[3] = {CreateEventA(NULL, FALSE, FALSE, NULL), CreateMutexA(NULL, FALSE, NULL),
                         CreateEventA(NULL, FALSE, FALSE, NULL)};
    DWORD result;

    abandon(KIND_WORKER, objects[1]);
    EXPECT_EQ(WaitForMultipleObjects(3, objects, FALSE, 5000), WAIT_ABANDONED_0 + 1);
    EXPECT_OK(ReleaseMutex(objects[1]));
    abandon(KIND_PLAIN, objects[1]);
    SetEvent(objects[0]);
    EXPECT_EQ(WaitForMultipleObjects(3, objects, TRUE, 0), WAIT_TIMEOUT);
    SetEvent(objects[2]);
    result = WaitForMultipleObjects(3, objects, TRUE, 5000);
    EXPECT_THAT(result >= WAIT_ABANDONED_0 && result < WAIT_ABANDONED_0 + 3, "%u",
                (unsigned)result);
    EXPECT_EQ(state_of(objects[1]), WAIT_OBJECT_0);
    for (int i = 0; i < 3; i++)
        EXPECT_OK(CloseHandle(objects[i]));
}

struct heir {
    HANDLE mutex;
    HANDLE has_it;
    HANDLE end;
    DWORD result;
};

static void own_until_told(void *arg)
{
    struct heir *heir = arg;

    EXPECT_EQ(WaitForSingleObject(heir->mutex, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(SignalObjectAndWait(heir->has_it, heir->end, 5000, FALSE), WAIT_OBJECT_0);
}

static void inherit(void *arg)
{
    struct heir *heir = arg;

    heir->result = WaitForSingleObject(heir->mutex, 5000);
    EXPECT_OK(ReleaseMutex(heir->mutex));
}

TEST(Win32Mutex, abandoned_while_others_wait)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct heir heir = {CreateMutexA(NULL, FALSE, NULL), CreateEventA(NULL, FALSE, FALSE, NULL),
                            CreateEventA(NULL, FALSE, FALSE, NULL), 0};
        struct kind_thread owner = {0};
        struct kind_thread waiter = {0};

        ASSERT_OK(kind_start(&owner, kind, own_until_told, &heir));
        ASSERT_EQ(WaitForSingleObject(heir.has_it, 5000), WAIT_OBJECT_0);
        ASSERT_OK(kind_start(&waiter, (kind + 1) % KINDS, inherit, &heir));
        EXPECT_OK(SetEvent(heir.end));
        ASSERT_OK(kind_join(&owner));
        ASSERT_OK(kind_join(&waiter));
        EXPECT_EQ(heir.result, WAIT_ABANDONED);
        CloseHandle(heir.mutex);
        CloseHandle(heir.has_it);
        CloseHandle(heir.end);
    }
}

/* The owner closes a mutex's last handle, so nobody can ask for the mutex any more. The owner's end
 * must not mind. */
static void close_owned(void *arg)
{
    HANDLE kept = CreateMutexA(NULL, TRUE, NULL);

    for (int i = 0; i < 50; i++) {
        HANDLE mutex = CreateMutexA(NULL, TRUE, NULL);

        EXPECT_OK(CloseHandle(mutex));
    }
    EXPECT_OK(ReleaseMutex(kept));
    EXPECT_OK(CloseHandle(kept));
}

TEST(Win32Mutex, closed_while_owned)
{
    in_each_kind(close_owned, NULL);
}

/* ---- named ---- */

static void open_and_want(void *name)
{
    HANDLE mutex = OpenMutexA(MUTEX_ALL_ACCESS, FALSE, name);
    HANDLE again = CreateMutexA(NULL, TRUE, name);

    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    ASSERT_OK(mutex != NULL);
    EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_TIMEOUT);
    EXPECT_FAILS(ReleaseMutex(again), ERROR_NOT_OWNER); /* asking to own it was in vain */
    EXPECT_OK(CloseHandle(mutex));
    EXPECT_OK(CloseHandle(again));
}

TEST(Win32Mutex, named)
{
    char *name = OWN_NAME("umsshim-test-mutex");
    HANDLE mutex = CreateMutexA(NULL, TRUE, name);

    ASSERT_OK(mutex != NULL);
    EXPECT_EQ(GetLastError(), 0);
    in_each_kind(open_and_want, name);
    EXPECT_OK(ReleaseMutex(mutex));
    EXPECT_OK(CloseHandle(mutex));
    EXPECT_FAILS(OpenMutexA(MUTEX_ALL_ACCESS, FALSE, name) != NULL, ERROR_FILE_NOT_FOUND);
}

/* ---- closed by others while it is owned ---- */

struct closed {
    HANDLE mutex;
    HANDLE has_it;
    HANDLE is_closed;
    /* The owner takes and releases it afterwards. NULL: the owner ends, and still owns the closed
     * one. */
    HANDLE other;
};

static void own_a_closed_one(void *arg)
{
    struct closed *closed = arg;

    EXPECT_EQ(WaitForSingleObject(closed->mutex, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(SignalObjectAndWait(closed->has_it, closed->is_closed, 5000, FALSE), WAIT_OBJECT_0);
    for (int i = 0; closed->other && i < 2; i++) {
        EXPECT_EQ(WaitForSingleObject(closed->other, 5000), WAIT_OBJECT_0);
        EXPECT_OK(ReleaseMutex(closed->other));
    }
}

/* The last handle of an owned mutex is closed, so the name is free. A new mutex of that name has no
 * owner. */
static void close_meanwhile(enum kind kind, HANDLE other)
{
    char *name = OWN_NAME("umsshim-test-closed-mutex");
    struct closed closed = {.has_it = CreateEventA(NULL, FALSE, FALSE, NULL),
                            .is_closed = CreateEventA(NULL, FALSE, FALSE, NULL),
                            .other = other};
    struct kind_thread owner = {0};
    HANDLE next;

    closed.mutex = CreateMutexA(NULL, FALSE, name);
    EXPECT_EQ(GetLastError(), 0);
    ASSERT_OK(kind_start(&owner, kind, own_a_closed_one, &closed));
    ASSERT_EQ(WaitForSingleObject(closed.has_it, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(closed.mutex));
    EXPECT_FAILS(OpenMutexA(MUTEX_ALL_ACCESS, FALSE, name) != NULL, ERROR_FILE_NOT_FOUND);
    next = CreateMutexA(NULL, FALSE, name);
    EXPECT_EQ(GetLastError(), 0);
    EXPECT_EQ(state_of(next), WAIT_OBJECT_0);
    EXPECT_OK(SetEvent(closed.is_closed));
    ASSERT_OK(kind_join(&owner));
    EXPECT_EQ(state_of(next), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(next));
    CloseHandle(closed.has_it);
    CloseHandle(closed.is_closed);
}

TEST(Win32Mutex, closed_by_another_while_owned)
{
    HANDLE other = CreateMutexA(NULL, FALSE, NULL);

    for (enum kind kind = 0; kind < KINDS; kind++) {
        close_meanwhile(kind, other);
        close_meanwhile(kind, NULL);
    }
    EXPECT_OK(CloseHandle(other));
}
