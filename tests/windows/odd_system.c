/* SPDX-License-Identifier: MIT
 *
 * odd_system.c - systems that are not as the engine expects them: workers must not be switched in
 * place there, never half of them, and one line says why.
 *
 * A system is made odd before the first UMS call, by changing what one of its functions does. The
 * engine's lines on standard error go to a pipe.
 *
 * modes: default
 */
#include "bare.h"
#include "gtest_c.h"
#include "own_thread.h"

#include <stdlib.h>
#include <string.h>

enum { YIELDS = 50 };

static struct bare worker;
static HANDLE said, to_said;
static int at_home;

static DWORD WINAPI yield_often(LPVOID param)
{
    for (int i = 0; i < YIELDS; i++) {
        UmsThreadYield(NULL);
        at_home += is_on_its_own_thread();
    }
    return 0;
}

static void run_a_worker(void)
{
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT held;

    if (!EXPECT_OK(CreateUmsCompletionList(&list)) ||
        !bare_create_arrived(&worker, list, yield_often, NULL))
        return;
    held = worker.context;
    EXPECT_NE(bare_drive(list, &held, 1, 1), 0);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static bool listen(void)
{
    return EXPECT_OK(CreatePipe(&said, &to_said, NULL, 1 << 16)) &&
           EXPECT_OK(SetStdHandle(STD_ERROR_HANDLE, to_said));
}

/* What was said, and in how many lines. */
static int lines_said(char *text, DWORD size)
{
    DWORD there = 0, got = 0;
    int lines = 0;

    EXPECT_OK(PeekNamedPipe(said, NULL, 0, NULL, &there, NULL));
    if (there)
        EXPECT_OK(ReadFile(said, text, size - 1, &got, NULL));
    text[got] = 0;
    for (DWORD i = 0; i < got; i++)
        lines += text[i] == '\n';
    return lines;
}

static bool wanted_in_place(void)
{
    const char *wish = getenv("UMSSHIM_SWITCH");

    return wish && strcmp(wish, "inplace") == 0;
}

static bool change(const char *module, const char *name, const void *code, size_t bytes)
{
    void *function = (void *)GetProcAddress(GetModuleHandleA(module), name);
    DWORD before;

    if (!EXPECT_OK(VirtualProtect(function, bytes, PAGE_EXECUTE_READWRITE, &before)))
        return false;
    memcpy(function, code, bytes);
    return EXPECT_OK(VirtualProtect(function, bytes, before, &before));
}

static void expect_pinned_and_said(const char *word)
{
    char text[4096];
    int lines;

    run_a_worker();
    EXPECT_EQ(at_home, YIELDS);
    lines = lines_said(text, sizeof text);
    if (!wanted_in_place())
        EXPECT_EQ(lines, 0);
    else if (lines != 1 || !strstr(text, word))
        FAIL("wanted one line with \"%s\"; there were %d: %s", word, lines, text);
}

TEST(OddSystem, thread_block_is_not_as_the_table_says)
{
    static const unsigned char answer_1[] = {0xB8, 1, 0, 0, 0, 0xC3}; /* mov eax, 1; ret */

    if (listen() && change("kernel32.dll", "GetThreadLocale", answer_1, sizeof answer_1))
        expect_pinned_and_said("TEB");
}

TEST(OddSystem, last_status_lies_elsewhere)
{
    static const unsigned char answer_1[] = {0xB8, 1, 0, 0, 0, 0xC3};

    if (listen() && change("ntdll.dll", "RtlNtStatusToDosError", answer_1, sizeof answer_1))
        expect_pinned_and_said("TEB");
}

/* The control: nothing is odd. */
TEST(OddSystem, nothing_is_said_of_one_that_is_not)
{
    char text[4096];

    if (!listen())
        return;
    run_a_worker();
    EXPECT_EQ(at_home, wanted_in_place() ? 0 : YIELDS);
    if (lines_said(text, sizeof text))
        FAIL("it says: %s", text);
}
