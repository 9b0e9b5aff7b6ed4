/* SPDX-License-Identifier: MIT
 *
 * meanwhile.c - a call that waits, made in a worker, a scheduler and a plain thread.
 */
#include "meanwhile.h"

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

struct meanwhile {
    meanwhile_step wait, release;
    void *arg;
    HANDLE waiting;
    int released;
    int returned;
};

void expect_signalled(const char *file, int line, HANDLE event)
{
    DWORD result = WaitForSingleObject(event, MEANWHILE_MS);

    if (result != WAIT_OBJECT_0) {
        tc_fail(file, line, "not signalled after %d ms: the wait gave %lu", MEANWHILE_MS,
                (unsigned long)result);
    }
}

HANDLE new_manual_event(void)
{
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);

    EXPECT_NE(event, NULL);
    return event;
}

HANDLE new_auto_event(void)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);

    EXPECT_NE(event, NULL);
    return event;
}

static void do_wait(struct meanwhile *m)
{
    EXPECT_OK(SetEvent(m->waiting));
    m->wait(m->arg);
    EXPECT_THAT(flag_get(&m->released), "the wait returned before its release");
    flag_set(&m->returned, 1);
}

static void do_release(struct meanwhile *m)
{
    flag_set(&m->released, 1);
    m->release(m->arg);
}

static void waiting_worker(struct worker *self)
{
    do_wait(self->arg);
}

static void releasing_worker(struct worker *self)
{
    struct meanwhile *m = self->arg;

    EXPECT_EQ(WaitForSingleObject(m->waiting, 0), WAIT_OBJECT_0);
    EXPECT_EQ(flag_get(&m->returned), 0);
    do_release(m);
}

void wait_in_worker(meanwhile_step wait, meanwhile_step release, void *arg)
{
    struct meanwhile m = {.wait = wait, .release = release, .arg = arg};
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    m.waiting = new_manual_event();
    fleet_add(fleet, waiting_worker, &m);
    fleet_add(fleet, releasing_worker, &m);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(m.returned, 1);
    EXPECT_GE(fleet_worker(fleet, 0)->blocked, 2); /* the wait, the end */
    fleet_destroy(fleet);
    EXPECT_OK(CloseHandle(m.waiting));
}

static DWORD WINAPI release_from_thread(LPVOID arg)
{
    struct meanwhile *m = arg;

    EXPECT_SIGNALLED(m->waiting);
    do_release(m);
    return 0;
}

static DWORD WINAPI wait_here(LPVOID arg)
{
    do_wait(arg);
    return 0;
}

static VOID NTAPI wait_at_startup(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)payload;
    EXPECT_EQ(reason, UmsSchedulerStartup);
    do_wait(param);
}

static DWORD WINAPI wait_as_scheduler(LPVOID arg)
{
    PUMS_COMPLETION_LIST list = NULL;

    EXPECT_OK(CreateUmsCompletionList(&list));
    EXPECT_OK(bare_enter(list, wait_at_startup, arg));
    EXPECT_OK(DeleteUmsCompletionList(list));
    return 0;
}

static void run_pair(struct meanwhile *m, LPTHREAD_START_ROUTINE waiter)
{
    HANDLE threads[2];

    m->waiting = new_manual_event();
    threads[0] = CreateThread(NULL, 0, waiter, m, 0, NULL);
    threads[1] = CreateThread(NULL, 0, release_from_thread, m, 0, NULL);
    for (int i = 0; i < 2; i++) {
        EXPECT_SIGNALLED(threads[i]);
        EXPECT_OK(CloseHandle(threads[i]));
    }
    EXPECT_EQ(m->returned, 1);
    EXPECT_OK(CloseHandle(m->waiting));
}

void wait_in_scheduler(meanwhile_step wait, meanwhile_step release, void *arg)
{
    struct meanwhile m = {.wait = wait, .release = release, .arg = arg};

    run_pair(&m, wait_as_scheduler);
}

void wait_in_thread(meanwhile_step wait, meanwhile_step release, void *arg)
{
    struct meanwhile m = {.wait = wait, .release = release, .arg = arg};

    run_pair(&m, wait_here);
}
