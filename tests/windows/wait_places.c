/* SPDX-License-Identifier: MIT
 *
 * wait_places.c - where the wait for an object is made that the pool could wait for: by the pool for a worker that is
 * hosted, on the worker's own thread if that carries it anyway, and there for one that loads a module: the pool may
 * have to start a thread, which would wait for the load.
 *
 * The pool waits with a handle of its own. So the number of handles tells, as soon as the worker has blocked.
 *
 * modes: default
 * libraries: synchronization
 */
#include "fleet.h"
#include "gtest_c.h"
#include "waiters.h"

#include <winternl.h>

enum { LOADS = 0x1000, LIMIT_MS = 10000 };

typedef NTSTATUS(NTAPI *query_object)(HANDLE object, int class, void *told, ULONG bytes,
                                      ULONG *length);

static HANDLE timer;
static LONG handles; /* while it is waited for */

static LONG count_handles(void)
{
    struct {
        ULONG attributes;
        ACCESS_MASK access;
        ULONG handles, pointers, rest[10];
    } told = {0};
    query_object query =
        (query_object)(void *)GetProcAddress(GetModuleHandleA("ntdll"), "NtQueryObject");

    return query && query(timer, 0, &told, sizeof told, NULL) >= 0 ? (LONG)told.handles : -1;
}

static void wait_for_timer(void)
{
    EXPECT_EQ(WaitForSingleObject(timer, LIMIT_MS), WAIT_OBJECT_0);
}

static void hosted(struct worker *self)
{
    UmsThreadYield(NULL);
    wait_for_timer();
}

static void at_home(struct worker *self)
{
    UmsThreadYield(NULL);
    GetThreadPriority(GetCurrentThread()); /* it asks for the calling thread, so it is made there */
    wait_for_timer();
}

static void loading(struct worker *self)
{
    UmsThreadYield(NULL);
    __asm__ volatile("orw %0, %%gs:0x17ee" : : "i"(LOADS) : "memory", "cc");
    wait_for_timer();
    __asm__ volatile("andw %0, %%gs:0x17ee" : : "i"((short)~LOADS) : "memory", "cc");
}

static void look_and_let_go(struct worker *self)
{
    LARGE_INTEGER now = {.QuadPart = -1};

    EXPECT_OK(reaches_its_wait(fleet_worker(self->fleet, 0), LIMIT_MS));
    handles = count_handles();
    EXPECT_OK(SetWaitableTimer(timer, &now, 0, NULL, NULL, FALSE));
}

static void expect_handles(worker_body body, LONG expected)
{
    timer = CreateWaitableTimerA(NULL, TRUE, NULL);
    ASSERT_NE(timer, NULL);
    ASSERT_OK(FLEET_RUN(1, 0, {1, body, NULL}, {1, look_and_let_go, NULL}));
    EXPECT_EQ(handles, expected);
    EXPECT_OK(CloseHandle(timer));
}

CALL_TEST(WaitPlaces, of_a_hosted_worker, expect_handles(hosted, in_place() ? 2 : 1))
CALL_TEST(WaitPlaces, of_one_that_is_on_its_own_thread, expect_handles(at_home, 1))
CALL_TEST(WaitPlaces, of_one_that_loads_a_module, expect_handles(loading, 1))
