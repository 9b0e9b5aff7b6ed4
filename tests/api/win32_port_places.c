/* SPDX-License-Identifier: MIT
 *
 * win32_port_places.c - a completion port's thread that blocks gives its place to another, in every
 * kind of thread.
 *
 * modes: win32
 * where: UNIX
 */
#include <windows.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "limited_port.h"

struct scene {
    HANDLE port, start, go, ends[2]; /* ends: of a pipe, to read from and to write to */
    int taken;                       /* the second thread has its packet */
    const char *how;
    void (*block)(struct scene *);
    LONG word;
};

static DWORD WINAPI second_thread(LPVOID arg)
{
    struct scene *scene = arg;
    DWORD written, was = 0;

    EXPECT_SIGNALLED(scene->start);
    EXPECT_EQ(taken_from(scene->port, MEANWHILE_MS), 2);
    flag_set(&scene->taken, 1);
    InterlockedExchange(&scene->word, 1);
    WakeByAddressAll(&scene->word);
    EXPECT_OK(WriteFile(scene->ends[1], &was, 1, &written, NULL));
    EXPECT_OK(SetEvent(scene->go));
    return 0;
}

static void takes_spins_and_blocks(void *arg)
{
    struct scene *scene = arg;

    EXPECT_EQ(taken_from(scene->port, MEANWHILE_MS), 1);
    post(scene->port, 2);
    EXPECT_OK(SetEvent(scene->start));
    spin(SHORT_MS);
    EXPECT_THAT(!flag_get(&scene->taken), "two threads run, where one may");
    scene->block(scene);
    EXPECT_THAT(flag_get(&scene->taken), "it blocks and keeps its place: %s", scene->how);
}

static void on_kinds(enum kind last, const char *how, void (*block)(struct scene *))
{
    for (enum kind kind = 0; kind <= last; kind++) {
        struct scene scene = {.port = new_port(1),
                              .start = new_manual_event(),
                              .go = new_manual_event(),
                              .how = how,
                              .block = block};
        struct kind_thread thread = {0};
        HANDLE second;

        ASSERT_OK(CreatePipe(&scene.ends[0], &scene.ends[1], NULL, 0));
        second = CreateThread(NULL, 0, second_thread, &scene, 0, NULL);
        ASSERT_NE(second, NULL);
        post(scene.port, 1);
        ASSERT_OK(kind_start(&thread, kind, takes_spins_and_blocks, &scene));
        ASSERT_OK(kind_join(&thread));
        EXPECT_SIGNALLED(second);
        EXPECT_OK(CloseHandle(second));
        EXPECT_OK(CloseHandle(scene.ends[0]));
        EXPECT_OK(CloseHandle(scene.ends[1]));
        EXPECT_OK(CloseHandle(scene.start));
        EXPECT_OK(CloseHandle(scene.go));
        EXPECT_OK(CloseHandle(scene.port));
    }
}

static void waits_for_one(struct scene *scene)
{
    EXPECT_SIGNALLED(scene->go);
}

CALL_TEST(Win32PortPlaces, a_thread_that_waits_for_an_object_gives_its_place,
          on_kinds(KIND_SCHEDULER, "for one object", waits_for_one))

static void waits_for_any(struct scene *scene)
{
    HANDLE never = new_auto_event(), both[] = {never, scene->go};

    EXPECT_EQ(WaitForMultipleObjects(2, both, FALSE, MEANWHILE_MS), WAIT_OBJECT_0 + 1);
    EXPECT_OK(CloseHandle(never));
}

static void waits_for_all(struct scene *scene)
{
    HANDLE both[] = {scene->start, scene->go};

    EXPECT_EQ(WaitForMultipleObjects(2, both, TRUE, MEANWHILE_MS), WAIT_OBJECT_0);
}

TEST(Win32PortPlaces, a_thread_that_waits_for_several_gives_its_place)
{
    on_kinds(KIND_SCHEDULER, "for any of two", waits_for_any);
    on_kinds(KIND_SCHEDULER, "for all of two", waits_for_all);
}

static void sleeps(struct scene *scene)
{
    for (int i = 0; i < MEANWHILE_MS && !flag_get(&scene->taken); i++)
        Sleep(1);
}

static void waits_at_an_address(struct scene *scene)
{
    LONG none = 0;

    EXPECT_OK(WaitOnAddress(&scene->word, &none, sizeof none, MEANWHILE_MS));
}

TEST(Win32PortPlaces, a_thread_that_sleeps_gives_its_place)
{
    on_kinds(KIND_SCHEDULER, "sleeping", sleeps);
    on_kinds(KIND_SCHEDULER, "at an address", waits_at_an_address);
}

static void waits_for_another_port(struct scene *scene)
{
    HANDLE other = new_port(1);

    while (!flag_get(&scene->taken) && !taken_from(other, SHORT_MS))
        ;
    EXPECT_OK(CloseHandle(other));
}

CALL_TEST(Win32PortPlaces, a_thread_that_asks_another_port_gives_its_place,
          on_kinds(KIND_SCHEDULER, "at another port", waits_for_another_port))

static void reads(struct scene *scene)
{
    DWORD got, bytes = 0;

    EXPECT_OK(ReadFile(scene->ends[0], &bytes, 1, &got, NULL));
}

/* The dispatcher does not see a plain thread's system call, nor a scheduler's. */
CALL_TEST(Win32PortPlaces, a_thread_that_reads_from_a_pipe_gives_its_place,
          on_kinds(KIND_SCHEDULER, "reading", reads))

static DWORD WINAPI polls(LPVOID arg)
{
    struct scene *scene = arg;
    DWORD written, number = 0, was = 0;

    for (ULONGLONG started = stopwatch(); !number && stopwatch() - started < MEANWHILE_MS;)
        number = taken_from(scene->port, 0);
    EXPECT_EQ(number, 2);
    EXPECT_OK(WriteFile(scene->ends[1], &was, 1, &written, NULL));
    return 0;
}

TEST(Win32PortPlaces, a_thread_that_does_not_wait_gets_the_place_of_one_that_sleeps)
{
    struct scene scene = {.port = new_port(1)};
    HANDLE second;

    ASSERT_OK(CreatePipe(&scene.ends[0], &scene.ends[1], NULL, 0));
    post(scene.port, 1);
    post(scene.port, 2);
    EXPECT_EQ(taken_from(scene.port, 0), 1);
    second = CreateThread(NULL, 0, polls, &scene, 0, NULL);
    ASSERT_NE(second, NULL);
    reads(&scene);
    EXPECT_SIGNALLED(second);
    EXPECT_OK(CloseHandle(second));
    EXPECT_OK(CloseHandle(scene.ends[0]));
    EXPECT_OK(CloseHandle(scene.ends[1]));
    EXPECT_OK(CloseHandle(scene.port));
}
