/* SPDX-License-Identifier: MIT
 *
 * entry_point.c - section 8: what the scheduler's entry point gets, and where it runs.
 */
#include "rig.h"

#include <xmmintrin.h>

#define PAGE "N:nc-winnt-rtl_ums_scheduler_entry_point"

enum { MXCSR_DEFAULT = 0x1F80, MXCSR_ROUND_UP = 0x5F80, MXCSR_FLAGS = 0x3f };

static struct stage stage;
static struct worker worker;

static bool solo(LPTHREAD_START_ROUTINE routine, void *argument)
{
    stage = (struct stage){0};
    return stage_solo(&stage, &worker, routine, argument) && EXPECT_LE(stage.entries, MAX_ENTRIES);
}

static void done(void)
{
    drop_worker(&worker);
    drop_list(stage.list);
}

CLAUSE(SP, 1, DOC, PAGE, "Startup: payload 0, the parameter of the startup information")
{
    REQUIRE(solo(routine_return, NULL));
    EXPECT_EQ(stage.log[0].reason, UmsSchedulerStartup);
    EXPECT_EQ(stage.log[0].payload, 0);
    EXPECT_EQ(stage.log[0].param, &stage);
    done();
}

/* So long that it is under way when the scheduler runs, also beside busy programs. */
static DWORD WINAPI sleep_long(LPVOID param)
{
    (void)param;
    Sleep(150);
    return 0;
}

CLAUSE(SP, 2, DOC, PAGE, "Blocked: payload bit 0 set for a system call, parameter NULL")
{
    int real = 0;

    REQUIRE(solo(sleep_long, NULL));
    for (int i = 1; i < stage.entries; i++) {
        EXPECT_EQ(stage.log[i].reason, UmsSchedulerThreadBlocked);
        EXPECT_EQ(stage.log[i].param, NULL);
        real += stage.log[i].payload & 1;
    }
    EXPECT_GE(real, 1);
    done();
}

CLAUSE(SP, 3, DOC, PAGE, "Yield: payload is the worker's context, parameter what it gave")
{
    REQUIRE(solo(routine_yield, (void *)0xfeedfacecafebeef));
    EXPECT_EQ(stage.log[1].reason, UmsSchedulerThreadYield);
    EXPECT_EQ(stage.log[1].payload, worker.context);
    EXPECT_EQ(stage.log[1].param, 0xfeedfacecafebeef);
    done();
}

CLAUSE(SP, 4, UNS, PAGE, "Blocked does not tell who: other payload bits are not a context")
{
    REQUIRE(solo(sleep_long, NULL));
    for (int i = 1; i < stage.entries; i++) {
        EXPECT_NE(stage.log[i].payload & ~(ULONG_PTR)1, worker.context);
        EXPECT_EQ(stage.log[i].executed, worker.context); /* it has to remember that itself */
    }
    done();
}

static DWORD WINAPI mixed(LPVOID param)
{
    for (int i = 0; i < 30; i++)
        if (i % 6 == 5)
            Sleep(1);
        else
            EXPECT_OK(UmsThreadYield(param));
    return 0;
}

CLAUSE(SP, 5, OBS, PAGE, "It runs as the scheduler's thread: id, TLS and context, each time")
{
    REQUIRE(solo(mixed, NULL));
    EXPECT_GE(stage.entries, 27); /* the start, 25 yields, the end; also longer sleeps */
    EXPECT_NE(stage.log[0].self, NULL);
    EXPECT_NE(stage.log[0].self, worker.context);
    for (int i = 0; i < stage.entries; i++) {
        EXPECT_EQ(stage.log[i].thread_id, GetCurrentThreadId());
        EXPECT_EQ(stage.log[i].self, stage.log[0].self);
    } /* TLS is how the stage finds itself */
    done();
}

CLAUSE(SP, 6, OBS, PAGE, "Each activation starts at the same stack position")
{
    REQUIRE(solo(mixed, NULL));
    for (int i = 2; i < stage.entries; i++)
        EXPECT_EQ(stage.log[i].frame, stage.log[1].frame);
    done();
}

static DWORD WINAPI round_up(LPVOID block)
{
    for (int i = 0; i < 3; i++) {
        _mm_setcsr(MXCSR_ROUND_UP);
        if (block)
            Sleep(3);
        else
            UmsThreadYield(NULL);
        EXPECT_EQ(_mm_getcsr() & ~MXCSR_FLAGS, MXCSR_ROUND_UP);
    }
    return 0;
}

CLAUSE(SP, 7, OBS, PAGE, "Blocked activations start with MXCSR 0x1F80")
{
    REQUIRE(solo(round_up, &stage));
    for (int i = 1; i < stage.entries; i++)
        if (stage.log[i].reason == UmsSchedulerThreadBlocked)
            EXPECT_EQ(stage.log[i].mxcsr & ~MXCSR_FLAGS, MXCSR_DEFAULT);
    EXPECT_EQ(_mm_getcsr() & ~MXCSR_FLAGS, MXCSR_DEFAULT);
    done();
}

CLAUSE(SP, 8, OBS, PAGE, "Activations of a scheduler are never nested")
{
    REQUIRE(solo(mixed, NULL));
    for (int i = 0; i < stage.entries; i++)
        EXPECT_EQ(stage.log[i].alive, 0);
    done();
}

UNTESTED(SP, 9, OBS, PAGE, "A worker may arrive, and run, before its scheduler hears of the block",
         "a permission; CX-2 and the matrix allow for it")

CLAUSE(SP, 10, OBS, PAGE, "The end of a worker is one more Blocked")
{
    REQUIRE(solo(routine_return, NULL));
    EXPECT_EQ(stage.blocked, 1);
    EXPECT_EQ(stage.yields, 0);
    EXPECT_EQ(stage.log[stage.entries - 1].reason, UmsSchedulerThreadBlocked);
    EXPECT_EQ(stage.log[stage.entries - 1].param, NULL);
    EXPECT_EQ(stage.log[stage.entries - 1].payload & ~(ULONG_PTR)1, 0);
    done();
}

UNTESTED(SP, 11, OBS, PAGE, "Blocked with payload 0 may come at any time",
         "a permission; the kit's schedulers allow for it, SU-3 sees one that must come")

static HANDLE outside;

static void wait_outside(struct stage *inside, const struct entry *entry)
{
    (void)inside;
    if (entry->reason == UmsSchedulerStartup) {
        EXPECT_EQ(WaitForSingleObject(outside, patience_ms()), WAIT_OBJECT_0);
        Sleep(1);
    }
}

static DWORD WINAPI set_outside(LPVOID param)
{
    (void)param;
    EXPECT_OK(SetEvent(outside));
    return 0;
}

CLAUSE(SP, 12, DOC, "U", "The entry point may wait: the thread just sleeps")
{
    HANDLE thread;

    outside = make_event(false);
    thread = CreateThread(NULL, 0, set_outside, NULL, 0, NULL);
    stage = (struct stage){.hook = wait_outside};
    REQUIRE(stage_solo(&stage, &worker, routine_yield, NULL));
    EXPECT_EQ(WaitForSingleObject(thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_EQ(stage.startups, 1);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(outside));
    done();
}

UNTESTED(SP, 13, DOC, "U", "It should share no locks with workers",
         "a duty of the program, and of the library, whose own tests hold the heap's locks")

CLAUSE(SP, 14, OBS, PAGE, "An activation ends by returning or by a successful execute only")
{
    REQUIRE(solo(mixed, NULL));
    /* As many activations as executes that went through, and Startup. */
    EXPECT_EQ(stage.entries, 1 + stage.blocked + stage.yields);
    EXPECT_EQ(stage.yields, 25);
    done();
}

UNTESTED(SP, 15, UNS, PAGE, "An exception that leaves the entry point ends the process",
         "unspecified, and C has no exceptions")

static int plain_calls;

/* No calling convention is named. */
static void plain_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    EXPECT_EQ(reason, UmsSchedulerStartup);
    EXPECT_EQ(payload, 0);
    EXPECT_EQ(param, &plain_calls);
    plain_calls++;
}

CLAUSE(SP, 16, UNS, PAGE, "An entry point that names no calling convention works")
{
    PUMS_COMPLETION_LIST list = make_list();

    plain_calls = 0;
    EXPECT_OK(ums_enter(list, plain_proc, &plain_calls));
    EXPECT_EQ(plain_calls, 1);
    drop_list(list);
}
