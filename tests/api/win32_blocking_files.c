/* SPDX-License-Identifier: MIT
 *
 * win32_blocking_files.c - a worker that waits in ReadFile or WriteFile leaves its processor to its
 * scheduler's other workers. Only these can end the wait. Needs the detection of blocking calls.
 *
 * modes: ways
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"

enum { ROUNDS = 50, CHUNK = 100000 };

struct link {
    HANDLE in, out; /* of one pipe */
};

static struct link there, back;

static void ask(struct worker *self)
{
    for (char i = 0; i < ROUNDS; i++) {
        char answer = 0;
        DWORD count = 0;

        ASSERT_OK(WriteFile(there.out, &i, 1, &count, NULL));
        ASSERT_OK(ReadFile(back.in, &answer, 1, &count, NULL));
        ASSERT_EQ(answer, i + 1);
    }
}

static void answer(struct worker *self)
{
    for (int i = 0; i < ROUNDS; i++) {
        char byte = 0;
        DWORD count = 0;

        ASSERT_OK(ReadFile(there.in, &byte, 1, &count, NULL));
        byte++;
        ASSERT_OK(WriteFile(back.out, &byte, 1, &count, NULL));
    }
}

static void make_links(void)
{
    ASSERT_OK(CreatePipe(&there.in, &there.out, NULL, 0));
    ASSERT_OK(CreatePipe(&back.in, &back.out, NULL, 0));
}

static void drop_links(void)
{
    EXPECT_OK(CloseHandle(there.in));
    EXPECT_OK(CloseHandle(there.out));
    EXPECT_OK(CloseHandle(back.in));
    EXPECT_OK(CloseHandle(back.out));
}

TEST(Win32BlockingFiles, question_and_answer_on_one_scheduler)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    make_links();
    fleet_add(fleet, ask, NULL);
    fleet_add(fleet, answer, NULL);
    fleet_run(fleet);
    EXPECT_GE(fleet_counts(fleet).blocked, ROUNDS / 2);
    fleet_destroy(fleet);
    drop_links();
}

static char block[CHUNK];

static void write_much(struct worker *self)
{
    DWORD count = 0;

    EXPECT_OK(WriteFile(there.out, block, CHUNK, &count, NULL));
    EXPECT_EQ(count, CHUNK);
}

static void read_much(struct worker *self)
{
    DWORD total = 0;
    DWORD count = 0;

    while (total < CHUNK) {
        ASSERT_OK(ReadFile(there.in, block, 1000, &count, NULL));
        total += count;
    }
}

TEST(Win32BlockingFiles, a_full_pipe_on_one_scheduler)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    make_links();
    fleet_add(fleet, write_much, NULL);
    fleet_add(fleet, read_much, NULL);
    fleet_run(fleet);
    EXPECT_GE(fleet_counts(fleet).blocked, 1);
    fleet_destroy(fleet);
    drop_links();
}

static void wait_for_the_end(struct worker *self)
{
    char byte;
    DWORD count = 77;

    EXPECT_FAILS(ReadFile(there.in, &byte, 1, &count, NULL), ERROR_BROKEN_PIPE);
    EXPECT_EQ(count, 0);
}

static void close_the_end(struct worker *self)
{
    EXPECT_OK(CloseHandle(there.out));
}

TEST(Win32BlockingFiles, the_last_writer_closes)
{
    make_links();
    FLEET_RUN(1, 0, {1, wait_for_the_end, NULL}, {1, close_the_end, NULL});
    there.out = CreateEventA(NULL, FALSE, FALSE, NULL); /* something to close */
    drop_links();
}
