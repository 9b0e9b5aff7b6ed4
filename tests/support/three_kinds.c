/* SPDX-License-Identifier: MIT
 *
 * three_kinds.c - runs checks on a plain thread, in a worker, in a scheduler.
 */
#include "three_kinds.h"

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

static void (*current_body)(void);
static int runs;

static void note_failures(const char *kind, int before)
{
    if (tc_failures() > before)
        tc_note("(the failures above happened in %s)", kind);
    runs++;
}

static void body_in_worker(struct worker *self)
{
    int before = tc_failures();

    (void)self;
    EXPECT_NE(GetCurrentUmsThread(), NULL);
    current_body();
    note_failures("a worker", before);
}

static VOID NTAPI body_in_scheduler(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    int before = tc_failures();

    (void)payload;
    (void)param;
    if (reason == UmsSchedulerStartup) {
        current_body();
        note_failures("a scheduler", before);
    }
}

static void run_in_worker(void)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, body_in_worker, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
}

static void run_in_scheduler(void)
{
    PUMS_COMPLETION_LIST list = NULL;

    ASSERT_OK(CreateUmsCompletionList(&list));
    EXPECT_OK(bare_enter(list, body_in_scheduler, NULL));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

void in_three_kinds(void (*body)(void))
{
    int before = tc_failures();

    current_body = body;
    runs = 0;
    body();
    note_failures("a plain thread", before);
    run_in_worker();
    run_in_scheduler();
    EXPECT_EQ(runs, 3);
}
