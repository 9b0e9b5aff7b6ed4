/* SPDX-License-Identifier: MIT
 *
 * completion_sleepers.c - threads that sleep in DequeueUmsCompletionListItems: each arrival wakes
 * one, however many sleep, whatever happens to the list's event meanwhile, and whichever of them
 * ends.
 *
 * No thread can see from outside whether another sleeps already. So the test plays each case many
 * times, and lets another number of turns pass before the next step each time. A turn lasts as long
 * as the turns of all threads that want the processor. So turns and rounds have a limit in time. It
 * decides how much is tried; no check depends on it.
 *
 * modes: ums
 */
#include <windows.h>

#include "bare.h"
#include "gtest_c.h"

enum { MOST = 3, ROUNDS = 24, LIMIT_MS = 10000, TURNS_MS = 20, ROUNDS_MS = 4000 };
enum { SLEEP_MS = 10 * 60 * 1000 }; /* no sleeper gives up while the test goes on */

struct sleeper {
    struct scene *scene;
    HANDLE thread;
    PUMS_CONTEXT found;
    BOOL result;
};

struct scene {
    PUMS_COMPLETION_LIST list;
    struct sleeper sleepers[MOST];
    struct bare workers[MOST];
    LONG begun, back;
};

static DWORD WINAPI dequeue(LPVOID param)
{
    struct sleeper *self = param;
    InterlockedIncrement(&self->scene->begun);
    self->result = DequeueUmsCompletionListItems(self->scene->list, SLEEP_MS, &self->found);
    InterlockedIncrement(&self->scene->back);
    return 0;
}

static void turns(int count)
{
    ULONGLONG end = GetTickCount64() + TURNS_MS;
    for (int i = 0; i < count && GetTickCount64() < end; i++)
        SwitchToThread();
}

/* Whether this round is played: the first one always. */
static bool plays(int round, int rounds)
{
    static ULONGLONG end;
    if (round == 0)
        end = GetTickCount64() + ROUNDS_MS;
    return round == 0 || (round < rounds && GetTickCount64() < end);
}

static bool reaches(const LONG *count, LONG wanted)
{
    ULONGLONG end = GetTickCount64() + LIMIT_MS;
    while (*(volatile const LONG *)count < wanted && GetTickCount64() < end)
        Sleep(0);
    return EXPECT_EQ(*(volatile const LONG *)count, wanted);
}

static bool begin(struct scene *scene, int sleepers, int round)
{
    *scene = (struct scene){0};
    if (!EXPECT_OK(CreateUmsCompletionList(&scene->list)))
        return false;
    for (int i = 0; i < sleepers; i++) {
        struct sleeper *sleeper = &scene->sleepers[i];
        sleeper->scene = scene;
        sleeper->thread = CreateThread(NULL, 0, dequeue, sleeper, 0, NULL);
        if (!EXPECT_NE(sleeper->thread, NULL))
            return false;
    }
    if (!reaches(&scene->begun, sleepers))
        return false;
    turns(round * round);
    return true;
}

/* Joins the threads, and runs what they have found, and what is on the list, to the end. */
static void end(struct scene *scene, int sleepers, int workers)
{
    PUMS_CONTEXT held[MOST];
    int held_count = 0;
    for (int i = 0; i < sleepers; i++) {
        EXPECT_EQ(WaitForSingleObject(scene->sleepers[i].thread, LIMIT_MS), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(scene->sleepers[i].thread));
        if (!scene->sleepers[i].found)
            continue;
        EXPECT_OK(scene->sleepers[i].result);
        held[held_count++] = scene->sleepers[i].found;
    }
    if (!bare_drive(scene->list, held, held_count, workers))
        return;
    for (int i = 0; i < workers; i++)
        bare_delete(&scene->workers[i]);
    EXPECT_OK(DeleteUmsCompletionList(scene->list));
}

static bool arrive(struct scene *scene, int number)
{
    return bare_create(&scene->workers[number], scene->list, routine_return, NULL, 0);
}

TEST(CompletionSleepers, each_arrival_wakes_one)
{
    for (int round = 0; plays(round, ROUNDS); round++) {
        struct scene scene;
        ASSERT_OK(begin(&scene, MOST, round));
        for (int i = 0; i < MOST; i++) {
            ASSERT_OK(arrive(&scene, i));
            ASSERT_OK(reaches(&scene.back, i + 1));
        }
        for (int i = 0; i < MOST; i++)
            EXPECT_NE(scene.sleepers[i].found, NULL);
        end(&scene, MOST, MOST);
    }
}

TEST(CompletionSleepers, a_handle_of_the_event_is_made_meanwhile)
{
    for (int round = 0; plays(round, ROUNDS); round++) {
        struct scene scene;
        HANDLE event = NULL;
        ASSERT_OK(begin(&scene, 2, round));
        ASSERT_OK(GetUmsCompletionListEvent(scene.list, &event));
        turns(round % 3);
        for (int i = 0; i < 2; i++) {
            ASSERT_OK(arrive(&scene, i));
            ASSERT_OK(reaches(&scene.back, i + 1));
        }
        EXPECT_OK(CloseHandle(event));
        end(&scene, 2, 2);
    }
}

/* A signal by the program wakes a sleeper without reason, who sleeps on. */
TEST(CompletionSleepers, the_program_sets_the_event)
{
    struct scene scene;
    HANDLE event = NULL;
    ASSERT_OK(begin(&scene, 1, ROUNDS));
    ASSERT_OK(GetUmsCompletionListEvent(scene.list, &event));
    for (int i = 0; i < 10; i++) {
        EXPECT_OK(SetEvent(event));
        turns(i);
    }
    EXPECT_EQ(WaitForSingleObject(scene.sleepers[0].thread, 50), WAIT_TIMEOUT);
    ASSERT_OK(arrive(&scene, 0));
    ASSERT_OK(reaches(&scene.back, 1));
    EXPECT_EQ(scene.sleepers[0].found, scene.workers[0].context);
    EXPECT_OK(CloseHandle(event));
    end(&scene, 1, 1);
}

TEST(CompletionSleepers, one_of_them_was_ended_by_force)
{
    for (int round = 0; plays(round, ROUNDS); round++) {
        struct scene scene;
        ASSERT_OK(begin(&scene, 2, round));
        ASSERT_OK(TerminateThread(scene.sleepers[round % 2].thread, 3));
        ASSERT_EQ(WaitForSingleObject(scene.sleepers[round % 2].thread, LIMIT_MS), WAIT_OBJECT_0);
        ASSERT_OK(arrive(&scene, 0));
        ASSERT_OK(reaches(&scene.back, 1));
        EXPECT_EQ(scene.sleepers[!(round % 2)].found, scene.workers[0].context);
        end(&scene, 2, 1);
    }
}

TEST(CompletionSleepers, the_only_one_was_ended_by_force)
{
    for (int round = 0; plays(round, ROUNDS); round++) {
        struct scene scene;
        ASSERT_OK(begin(&scene, 1, round));
        ASSERT_OK(TerminateThread(scene.sleepers[0].thread, 3));
        ASSERT_EQ(WaitForSingleObject(scene.sleepers[0].thread, LIMIT_MS), WAIT_OBJECT_0);
        ASSERT_OK(arrive(&scene, 0));
        end(&scene, 1, 1);
    }
}

/* The next list has the event of the one that was deleted last. What comes late for that does not
 * set it. */
TEST(CompletionSleepers, the_event_of_the_next_list_is_not_set)
{
    for (int round = 0; plays(round, 2 * ROUNDS); round++) {
        struct scene scene;
        PUMS_COMPLETION_LIST next;
        HANDLE event = NULL;
        ASSERT_OK(begin(&scene, 2, round % ROUNDS));
        for (int i = 0; i < 2; i++) {
            ASSERT_OK(arrive(&scene, i));
            ASSERT_OK(reaches(&scene.back, i + 1));
        }
        end(&scene, 2, 2);
        ASSERT_OK(CreateUmsCompletionList(&next));
        ASSERT_OK(GetUmsCompletionListEvent(next, &event));
        EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
        turns(round);
        EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
        EXPECT_OK(CloseHandle(event));
        ASSERT_OK(DeleteUmsCompletionList(next));
    }
}
