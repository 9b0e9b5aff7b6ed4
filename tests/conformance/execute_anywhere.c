/* SPDX-License-Identifier: MIT
 *
 * execute_anywhere.c - section 9: a worker on one scheduler after the other, and what it keeps (EX-13, EX-14).
 */
#include "host.h"
#include "rig.h"

#include <xmmintrin.h>

#define PAGE "W:executeumsthread"

static struct stage stage;
static struct worker worker;

static DWORD WINAPI many_yields(LPVOID count)
{
    atomic_fetch_add((atomic_int *)count, 1);
    for (int i = 0; i < 20; i++) {
        EXPECT_OK(UmsThreadYield(NULL));
        atomic_fetch_add((atomic_int *)count, 1);
    }
    return 0;
}

static void home_only(struct stage *inside, const struct entry *entry)
{
    (void)inside;
    EXPECT_EQ(entry->thread_id, GetCurrentThreadId());
}

static void far_away(void)
{
    PUMS_COMPLETION_LIST far_list = make_list();
    atomic_int count;
    struct worker guest;

    atomic_init(&count, 0);
    REQUIRE(make_worker(&guest, far_list, many_yields, &count, 0));
    stage = (struct stage){.list = make_list(), .other = far_list, .ends = 1, .hook = home_only};
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(atomic_load(&count), 21);
    EXPECT_EQ(stage.yields, 20);
    drop_worker(&guest);
    drop_list(stage.list);
    drop_list(far_list);
}

/* Blocks, blocks, yields, blocks, ends. */
static DWORD WINAPI block_and_yield(LPVOID event)
{
    EXPECT_EQ(WaitForSingleObject(event, patience_ms()), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(event, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(UmsThreadYield(NULL));
    EXPECT_EQ(WaitForSingleObject(event, patience_ms()), WAIT_OBJECT_0);
    return 0;
}

static void leave_after_entry(struct stage *inside, const struct entry *entry)
{
    inside->leave = entry->reason != UmsSchedulerStartup;
}

static void execute_on(PUMS_COMPLETION_LIST list, PUMS_CONTEXT context, int yields)
{
    stage = (struct stage){.list = list, .blind = true, .hook = leave_after_entry};
    stage_ready(&stage, context);
    EXPECT_OK(stage_run(&stage));
    EXPECT_EQ(stage.yields, yields);
}

/* Two schedulers with lists of their own, and the worker was created with a third one. */
static void follows_its_scheduler(void)
{
    PUMS_COMPLETION_LIST creation = make_list(), near_list = make_list(), far_list = make_list();
    HANDLE event = make_event(false);
    struct worker guest;
    struct {
        PUMS_COMPLETION_LIST list;
        int yields;
    } turns[] = {{near_list, 0}, {far_list, 0}, {near_list, 1}, {far_list, 0}, {near_list, 0}};

    REQUIRE(make_arrived(&guest, creation, block_and_yield, event));
    for (int i = 0; i < 5; i++) {
        PUMS_COMPLETION_LIST other = turns[i].list == near_list ? far_list : near_list;

        execute_on(turns[i].list, guest.context, turns[i].yields);
        if (turns[i].yields) {
            EXPECT(is_empty(turns[i].list, 0));
            continue;
        }
        EXPECT_OK(SetEvent(event));
        REQUIRE(arrives(guest.context, turns[i].list, creation));
        EXPECT(is_empty(other, 0));
        EXPECT_EQ(is_terminated(guest.context), i == 4);
    }
    drop_worker(&guest);
    drop_list(creation);
    drop_list(near_list);
    drop_list(far_list);
    EXPECT_OK(CloseHandle(event));
}

CLAUSE(EX, 13, DOC, PAGE, "Any scheduler may execute any worker; it arrives on that one's list")
{
    far_away();
    follows_its_scheduler();
}

static void yield_now(void)
{
    UmsThreadYield(NULL);
}

static void sleep_now(void)
{
    Sleep(2);
}

struct keeper {
    void (*call)(void);
    unsigned base;
};

static DWORD WINAPI keep_registers(LPVOID param)
{
    struct keeper *keeper = param;
    volatile double sum = 0;

    for (int i = 1; i <= 5; i++) {
        EXPECT_EQ(host_registers_changed(keeper->call, keeper->base), 0);
        sum = sum + 1.0 / i;
    }
    EXPECT(sum > 2.28 && sum < 2.29);
    _mm_setcsr(_mm_getcsr() | 0x6000); /* truncate */
    keeper->call();
    EXPECT_EQ(_mm_getcsr() & 0x6000, 0x6000);
    return 0;
}

/* Two workers in turn, with different values in the same registers. */
CLAUSE(EX, 14, OBS, PAGE, "Registers that calls preserve, and MXCSR, are as the worker left them")
{
    void (*const calls_to_make[])(void) = {yield_now, sleep_now};

    for (int i = 0; i < 2; i++) {
        struct keeper keepers[2] = {{calls_to_make[i], 0}, {calls_to_make[i], 0x70000}};
        struct worker second;

        stage = (struct stage){.list = make_list(), .ends = 2, .in_turn = true};
        REQUIRE(make_worker(&worker, stage.list, keep_registers, &keepers[0], 0));
        REQUIRE(make_worker(&second, stage.list, keep_registers, &keepers[1], 0));
        REQUIRE(stage_run(&stage));
        drop_worker(&worker);
        drop_worker(&second);
        drop_list(stage.list);
    }
}
