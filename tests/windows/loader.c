/* SPDX-License-Identifier: MIT
 *
 * loader.c - DLLs and workers: each worker is announced once and taken leave of once, as the thread
 * that it is; a DLL with thread-local variables that comes or goes while workers are parked serves
 * them all.
 *
 * The hazard: the loader allots such variables in every thread's block that it knows. The block of
 * a parked worker is not where its thread's values are, and that of a scheduler's thread holds a
 * worker's.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=all UMSSHIM_SWITCH=inplace
 */
#include "gtest_c.h"
#include "bare.h"
#include "waiters.h"
#include "moving.h"
#include "probe.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 30, WORKERS = 4, PROBES = 6, LIMIT_MS = 5000 };

struct loaded {
    HMODULE module;
    struct probe *notes;
    probe_variable_function variable;
};

static bool load(struct loaded *dll, int number)
{
    char name[32];
    probe_notes_function notes;

    snprintf(name, sizeof name, "probe%d.dll", number);
    dll->module = LoadLibraryA(name);
    if (!EXPECT_OK(dll->module != NULL))
        return false;
    notes = (probe_notes_function)(void *)GetProcAddress(dll->module, "probe_notes");
    dll->variable = (probe_variable_function)(void *)GetProcAddress(dll->module, "probe_variable");
    if (!EXPECT_OK(notes && dll->variable))
        return false;
    dll->notes = notes();
    return true;
}

static int events(const struct probe_event *all, const int *count, DWORD thread, DWORD reason)
{
    int found = 0;

    for (int i = 0; i < flag_get(count) && i < PROBE_EVENTS; i++)
        found += all[i].thread == thread && all[i].reason == reason;
    return found;
}

static void expect_events(const struct loaded *dll, DWORD thread, int attaches, int detaches)
{
    const struct probe *notes = dll->notes;

    EXPECT_EQ(events(notes->main, &notes->main_count, thread, DLL_THREAD_ATTACH), attaches);
    EXPECT_EQ(events(notes->main, &notes->main_count, thread, DLL_THREAD_DETACH), detaches);
    EXPECT_EQ(events(notes->callback, &notes->callback_count, thread, DLL_THREAD_ATTACH), attaches);
    EXPECT_EQ(events(notes->callback, &notes->callback_count, thread, DLL_THREAD_DETACH), detaches);
}

/* ---- Attach and detach --------------------------------------------------------------------- */

static struct loaded first;
static DWORD ids[MOVING_WORKERS];

static void be_announced(struct worker *self)
{
    ids[self->index] = self->id;
    expect_events(&first, self->id, 1, 0);
    EXPECT_EQ(*first.variable(), PROBE_INITIAL);
    *first.variable() = 100 + self->index;
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        step_aside(self, i);
        EXPECT_EQ(*first.variable(), 100 + self->index);
    }
    expect_events(&first, self->id, 1, 0);
}

TEST(Loader, attach_and_detach_once_each)
{
    ASSERT_OK(load(&first, 0));
    ASSERT_OK(run_moving(2, WORKERS, be_announced, NULL, NULL));
    for (int i = 0; i < WORKERS; i++) {
        expect_events(&first, ids[i], 1, 1);
        for (int j = 0; j < first.notes->main_count; j++) {
            if (first.notes->main[j].thread == ids[i]) { /* the DLL sees the worker's variable */
                EXPECT_EQ(first.notes->main[j].value,
                          first.notes->main[j].reason == DLL_THREAD_ATTACH ? PROBE_INITIAL
                                                                           : 100 + i);
            }
        }
    }
    EXPECT_OK(FreeLibrary(first.module));
}

/* When the context arrives as terminated, the DLL has been told. */
TEST(Loader, detach_comes_before_the_last_arrival)
{
    PUMS_COMPLETION_LIST list;

    ASSERT_OK(load(&first, 0));
    ASSERT_OK(CreateUmsCompletionList(&list));
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        const struct probe *notes = first.notes;
        struct bare worker;
        int attaches;

        ASSERT_OK(bare_create(&worker, list, routine_yield_once, NULL, 0));
        ASSERT_OK(bare_drive(list, NULL, 0, 1));
        /* Ids come again: as many of the one as of the other. */
        attaches = events(notes->main, &notes->main_count, worker.id, DLL_THREAD_ATTACH);
        EXPECT_GE(attaches, 1);
        expect_events(&first, worker.id, attaches, attaches);
        bare_delete(&worker);
    }
    EXPECT_OK(DeleteUmsCompletionList(list));
    EXPECT_OK(FreeLibrary(first.module));
}

/* ---- Loaded and freed while workers are parked --------------------------------------------- */

static struct loaded probes[PROBES];
static int loaded_count; /* probes that are there */
static int done;         /* workers that have used them all */

static void use_probe(struct worker *self, int number, LONG round)
{
    volatile LONG *mine = probes[number].variable();

    EXPECT_EQ(*mine, round ? 10000 * (self->index + 1) + 100 * number + round - 1 : PROBE_INITIAL);
    *mine = 10000 * (self->index + 1) + 100 * number + round;
}

/* The last worker loads one after the other while the rest is parked or runs elsewhere; with six of
 * them the loader's array of blocks has to grow, for every thread. */
static void use_or_load(struct worker *self)
{
    LONG rounds[PROBES] = {0};

    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        for (int j = 0; j < flag_get(&loaded_count); j++)
            use_probe(self, j, rounds[j]++);
        step_aside(self, i);
        if (self->index == WORKERS - 1 && i % 4 == 3 && loaded_count < PROBES) {
            ASSERT_OK(load(&probes[loaded_count], loaded_count));
            flag_add(&loaded_count, 1);
        }
    }
    flag_add(&done, 1);
    /* Until all have had them all: a worker that began late meets them now. */
    while (flag_get(&done) < WORKERS && !tc_failures())
        step_aside(self, 0);
    for (int j = 0; j < PROBES; j++)
        use_probe(self, j, rounds[j]++);
}

static void load_while_parked(int schedulers)
{
    loaded_count = done = 0;
    EXPECT_OK(run_moving(schedulers, WORKERS, use_or_load, NULL, NULL));
    for (int i = 0; i < loaded_count; i++)
        EXPECT_OK(FreeLibrary(probes[i].module));
}

TEST(Loader, thread_local_variables_of_dlls_that_come_later)
{
    load_while_parked(1);
}

TEST(Loader, thread_local_variables_of_dlls_that_come_later_on_two_schedulers)
{
    load_while_parked(2);
}

/* Freed and loaded again: what is there is new. */
static void use_and_replace(struct worker *self)
{
    for (int i = 0; i < 6 && !tc_failures(); i++) {
        while (flag_get(&loaded_count) <= i && self->index)
            UmsThreadYield(NULL);
        if (self->index == 0) {
            while (flag_get(&done) < i * WORKERS && !tc_failures())
                UmsThreadYield(NULL);
            if (i)
                ASSERT_OK(FreeLibrary(probes[0].module));
            ASSERT_OK(load(&probes[0], 0));
            flag_add(&loaded_count, 1);
        }
        use_probe(self, 0, 0);
        step_aside(self, i);
        use_probe(self, 0, 1);
        flag_add(&done, 1);
    }
}

TEST(Loader, a_dll_that_is_freed_and_loaded_again)
{
    loaded_count = done = 0;
    ASSERT_OK(run_moving(1, WORKERS, use_and_replace, NULL, NULL));
    EXPECT_OK(FreeLibrary(probes[0].module));
}

/* ---- A load that waits ----------------------------------------------------------------------- */

/* Holding the loader's lock, a worker leaves its scheduler in the middle of the load; its
 * neighbours want to load as well, and have to wait for it. */
static void load_slowly(struct worker *self)
{
    for (int i = 0; i < 8 && !tc_failures(); i++) {
        HMODULE module = LoadLibraryA("slow.dll"), other = LoadLibraryA("probe5.dll");

        ASSERT_OK(module != NULL);
        EXPECT_EQ(GetModuleHandleA("slow.dll"), module);
        EXPECT_OK(other != NULL);
        step_aside(self, i);
        EXPECT_OK(FreeLibrary(other));
        EXPECT_OK(FreeLibrary(module));
        EXPECT_EQ(GetCurrentThreadId(), self->id);
    }
}

TEST(Loader, a_load_that_waits_on_one_scheduler)
{
    ASSERT_OK(run_moving(1, WORKERS, load_slowly, NULL, NULL));
    EXPECT_EQ(GetModuleHandleA("slow.dll"), NULL);
}

TEST(Loader, a_load_that_waits_on_two_schedulers)
{
    ASSERT_OK(run_moving(2, WORKERS, load_slowly, NULL, NULL));
    EXPECT_EQ(GetModuleHandleA("slow.dll"), NULL);
}

/* ---- All the time -------------------------------------------------------------------------- */

static int stop, cycles;

static DWORD WINAPI load_all_the_time(LPVOID unused)
{
    while (!flag_get(&stop) && !tc_failures()) {
        struct loaded dll[PROBES];

        for (int i = 1; i < PROBES; i++) {
            if (!load(&dll[i], i))
                return 1;
            EXPECT_EQ(*dll[i].variable(), PROBE_INITIAL);
            *dll[i].variable() = -1;
        }
        for (int i = 1; i < PROBES; i++)
            EXPECT_OK(FreeLibrary(dll[i].module));
        flag_add(&cycles, 1);
    }
    return 0;
}

/* Until the time is over, and all were loaded once: on a busy machine that takes longer. */
static bool goes_on(LONG end)
{
    LONG late = (LONG)GetTickCount() - end;

    return late < 0 || (late < 2 * LIMIT_MS && flag_get(&cycles) == 0);
}

static void keep_mine(struct worker *self)
{
    LONG *end = self->arg;

    for (LONG i = 0; goes_on(*end) && !tc_failures(); i++) {
        *first.variable() = 1000000 * (self->index + 1) + i;
        if (i % 64)
            UmsThreadYield(NULL);
        else
            step_aside(self, i / 64);
        EXPECT_EQ(*first.variable(), 1000000 * (self->index + 1) + i);
    }
}

TEST(Loader, loads_all_the_time_beside_two_schedulers)
{
    LONG end = (LONG)GetTickCount() + 1500;
    HANDLE thread;

    ASSERT_OK(load(&first, 0));
    stop = cycles = 0;
    thread = CreateThread(NULL, 0, load_all_the_time, NULL, 0, NULL);
    EXPECT_OK(run_moving(2, WORKERS, keep_mine, &end, NULL));
    flag_set(&stop, 1);
    EXPECT_EQ(WaitForSingleObject(thread, 2 * LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_GT(cycles, 0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(FreeLibrary(first.module));
}

/* ---- A wait of a worker's while another holds the loader's lock ---------------------------------------- */

/* The pool that waits for workers has its threads before the first wait: a new one could not start, and the
 * program's are all busy. */
static HANDLE timer, released;
static int busy, loading;

static void CALLBACK be_busy(PTP_CALLBACK_INSTANCE instance, PVOID param)
{
    flag_set(&busy, 1);
    EXPECT_EQ(WaitForSingleObject(released, LIMIT_MS), WAIT_OBJECT_0);
}

static void wait_meanwhile(struct worker *self)
{
    ASSERT_OK(yield_until(&loading));
    EXPECT_EQ(WaitForSingleObject(timer, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_EQ(flag_get(&loading), 1);
    flag_set(&loading, 2);
}

static void hold_the_lock(struct worker *self)
{
    ULONG(NTAPI * lock)
    (ULONG, ULONG *, ULONG_PTR *) =
        (void *)GetProcAddress(GetModuleHandleA("ntdll.dll"), "LdrLockLoaderLock");
    ULONG(NTAPI * unlock)
    (ULONG, ULONG_PTR) =
        (void *)GetProcAddress(GetModuleHandleA("ntdll.dll"), "LdrUnlockLoaderLock");
    LARGE_INTEGER now = {.QuadPart = -1};
    ULONG_PTR cookie;
    ULONGLONG end;

    ASSERT_OK(TrySubmitThreadpoolCallback(be_busy, NULL, NULL));
    ASSERT_OK(yield_until(&busy));
    ASSERT_EQ(lock(0, NULL, &cookie), 0);
    flag_set(&loading, 1);
    end = GetTickCount64() + LIMIT_MS / 2;
    EXPECT_OK(reaches_its_wait(fleet_worker(self->fleet, 0), LIMIT_MS / 2));
    EXPECT_OK(SetWaitableTimer(timer, &now, 0, NULL, NULL, FALSE));
    while (flag_get(&loading) == 1 && GetTickCount64() < end)
        UmsThreadYield(NULL);
    EXPECT_EQ(flag_get(&loading), 2);
    EXPECT_EQ(unlock(0, cookie), 0);
}

TEST(Loader, waits_of_others_while_a_worker_has_its_lock)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    timer = CreateWaitableTimerA(NULL, TRUE, NULL);
    released = CreateEventA(NULL, TRUE, FALSE, NULL);
    ASSERT_OK(fleet && timer && released);
    fleet_add(fleet, wait_meanwhile, NULL);
    fleet_add(fleet, hold_the_lock, NULL);
    EXPECT_OK(fleet_run(fleet));
    EXPECT_OK(SetEvent(released));
    EXPECT_OK(CloseHandle(timer));
    fleet_destroy(fleet);
}
