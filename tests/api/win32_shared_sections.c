/* SPDX-License-Identifier: MIT
 *
 * win32_shared_sections.c - sections that processes share by their names. The other processes are
 * this program started once more.
 *
 * It starts processes, which takes a busy machine some seconds each under Wine.
 *
 * modes: win32
 * with: mapped_file.c
 * options: LIMIT 120
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"
#include "mapped_file.h"
#include "own_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_MS = 20000, PART_ROOM = 32, WRONG = 90 };

static const char variable_of_part[] = "UMSSHIM_TEST_PART";
static const char variable_of_name[] = "UMSSHIM_TEST_NAME";

struct part {
    PROCESS_INFORMATION process;
    HANDLE says; /* what it writes */
};

/* Starts this program as a child that does its part with that name. */
static bool start(struct part *part, const char *what, const char *name)
{
    char program[MAX_PATH];
    char line[MAX_PATH + 100];
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    STARTUPINFOA startup = {.cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES};
    HANDLE out;
    BOOL started;

    if (!EXPECT_OK(CreatePipe(&part->says, &out, &inherited, 0)) ||
        !EXPECT_OK(SetHandleInformation(part->says, HANDLE_FLAG_INHERIT, 0)))
        return false;
    startup.hStdOutput = startup.hStdError = out;
    startup.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    GetModuleFileNameA(NULL, program, sizeof program);
    snprintf(line, sizeof line, "\"%s\" --gtest_filter=Win32SharedSections.a_part", program);
    SetEnvironmentVariableA(variable_of_part, what);
    SetEnvironmentVariableA(variable_of_name, name);
    started =
        CreateProcessA(program, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &part->process);
    SetEnvironmentVariableA(variable_of_part, NULL);
    SetEnvironmentVariableA(variable_of_name, NULL);
    EXPECT_OK(started);
    EXPECT_OK(CloseHandle(out));
    return started;
}

/* Waits until it has written that it is there: a '!', behind what the test's kit may write. */
static bool hear(const struct part *part)
{
    char said = 0;
    DWORD count = 0;

    while (said != '!' && ReadFile(part->says, &said, 1, &count, NULL) && count == 1)
        continue;
    return EXPECT_EQ(said, '!');
}

static DWORD end(struct part *part)
{
    DWORD code = 77;

    EXPECT_EQ(WaitForSingleObject(part->process.hProcess, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeProcess(part->process.hProcess, &code));
    EXPECT_OK(CloseHandle(part->process.hThread));
    EXPECT_OK(CloseHandle(part->process.hProcess));
    EXPECT_OK(CloseHandle(part->says));
    return code;
}

/* Ends the child from outside while it holds the section. */
static void kill_it(struct part *part)
{
    EXPECT_OK(TerminateProcess(part->process.hProcess, 5));
    EXPECT_EQ(end(part), 5);
}

static void say(void)
{
    DWORD count;

    WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), "!", 1, &count, NULL);
}

/* ---- Parts: they do not return --------------------------------------------------------------- */

/* Opens another process's section and adds one to its first number. */
static DWORD add(const char *name)
{
    HANDLE section = OpenFileMappingA(FILE_MAP_ALL_ACCESS, FALSE, name);
    volatile LONG *view = section ? MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, 0) : NULL;

    if (!view)
        return WRONG + 1;
    if (!CloseHandle(section))
        return WRONG + 2;
    return (DWORD)InterlockedIncrement(view); /* a view lives longer than the handles */
}

static DWORD make_and_hold(const char *name)
{
    HANDLE section = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, GRAIN, name);
    bool fresh = GetLastError() == ERROR_SUCCESS;
    volatile LONG *view = section ? MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, 0) : NULL;

    if (!view || !fresh)
        return WRONG;
    *view = 41;
    say();
    Sleep(5 * LIMIT_MS); /* it is ended long before */
    return WRONG;
}

/* Another process has reserved the section. This one commits the second page for both. */
static DWORD commit(const char *name)
{
    HANDLE section = OpenFileMappingA(FILE_MAP_ALL_ACCESS, FALSE, name);
    char *view = section ? MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, 0) : NULL;
    MEMORY_BASIC_INFORMATION first;
    MEMORY_BASIC_INFORMATION second;

    if (!view || !VirtualQuery(view, &first, sizeof first) ||
        !VirtualQuery(view + PAGE, &second, sizeof second))
        return WRONG;
    if (first.State != MEM_COMMIT || second.State != MEM_RESERVE || view[1] != 7)
        return WRONG + 1;
    if (!VirtualAlloc(view + PAGE, PAGE, MEM_COMMIT, PAGE_READWRITE))
        return WRONG + 2;
    view[PAGE] = 8;
    return 0;
}

/* Another process's, which no one may write to. */
static DWORD write_to(const char *name)
{
    HANDLE section = OpenFileMappingA(FILE_MAP_READ, FALSE, name);
    const char *view = section ? MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0) : NULL;

    if (!view || MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, 0))
        return WRONG;
    return GetLastError();
}

TEST(Win32SharedSections, a_part)
{
    char part[PART_ROOM] = "none";
    char name[OWN_NAME_LENGTH] = "";
    DWORD code = WRONG;

    GetEnvironmentVariableA(variable_of_part, part, sizeof part);
    GetEnvironmentVariableA(variable_of_name, name, sizeof name);
    if (!strcmp(part, "add"))
        code = add(name);
    else if (!strcmp(part, "make"))
        code = make_and_hold(name);
    else if (!strcmp(part, "commit"))
        code = commit(name);
    else if (!strcmp(part, "write"))
        code = write_to(name);
    else
        return;
    ExitProcess(code);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32SharedSections, two_processes_have_the_same_memory)
{
    char *name = OWN_NAME("umsshim shared memory");
    struct part part;
    HANDLE section = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, GRAIN, name);
    LONG *view;

    ASSERT_OK(section != NULL);
    view = MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, 0);
    ASSERT_OK(view != NULL);
    *view = 6;
    for (int i = 0; i < 2; i++)
        if (start(&part, "add", name))
            EXPECT_EQ(end(&part), 7 + i);
    EXPECT_EQ(*view, 8);
    EXPECT_OK(CloseHandle(section));
    /* The name is gone, and the view is not. */
    EXPECT_FAILS(OpenFileMappingA(FILE_MAP_READ, FALSE, name), ERROR_FILE_NOT_FOUND);
    EXPECT_EQ(*view, 8);
    EXPECT_OK(UnmapViewOfFile(view));
}

TEST(Win32SharedSections, a_name_lives_as_long_as_any_process_has_it)
{
    char *name = OWN_NAME("umsshim held section");
    struct part part;
    HANDLE section, again;
    LONG *view;

    EXPECT_FAILS(OpenFileMappingA(FILE_MAP_READ, FALSE, name), ERROR_FILE_NOT_FOUND);
    ASSERT_OK(start(&part, "make", name));
    ASSERT_OK(hear(&part));
    section = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, GRAIN, name);
    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    ASSERT_OK(section != NULL);
    kill_it(&part);
    again = OpenFileMappingA(FILE_MAP_ALL_ACCESS, FALSE, name);
    ASSERT_OK(again != NULL);
    EXPECT_OK(CloseHandle(section));
    view = MapViewOfFile(again, FILE_MAP_ALL_ACCESS, 0, 0, 0);
    ASSERT_OK(view != NULL);
    EXPECT_EQ(*view, 41);
    if (start(&part, "add", name))
        EXPECT_EQ(end(&part), 42);
    EXPECT_OK(CloseHandle(again));
    EXPECT_OK(UnmapViewOfFile(view));
    EXPECT_FAILS(OpenFileMappingA(FILE_MAP_READ, FALSE, name), ERROR_FILE_NOT_FOUND);
}

TEST(Win32SharedSections, a_process_that_died_leaves_no_name)
{
    char *name = OWN_NAME("umsshim dead section");
    struct part part;
    HANDLE section;
    LONG *view;

    for (int i = 0; i < 2; i++) {
        ASSERT_OK(start(&part, "make", name));
        ASSERT_OK(hear(&part));
        kill_it(&part);
        if (i == 0)
            EXPECT_FAILS(OpenFileMappingA(FILE_MAP_READ, FALSE, name), ERROR_FILE_NOT_FOUND);
    }
    section = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, PAGE, name);
    EXPECT_EQ(GetLastError(), ERROR_SUCCESS);
    ASSERT_OK(section != NULL);
    view = MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, 0);
    ASSERT_OK(view != NULL);
    EXPECT_EQ(*view, 0); /* nothing of the dead one's */
    EXPECT_OK(UnmapViewOfFile(view));
    EXPECT_OK(CloseHandle(section));
}

TEST(Win32SharedSections, the_first_one_says_how_large_it_is)
{
    char *name = OWN_NAME("Local\\umsshim first section");
    struct part part;
    HANDLE section;

    ASSERT_OK(start(&part, "make", name));
    ASSERT_OK(hear(&part));
    section = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 4 * GRAIN, name);
    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    ASSERT_OK(section != NULL);
    EXPECT_FAILS(MapViewOfFile(section, FILE_MAP_READ, 0, 0, 2 * GRAIN), ERROR_ACCESS_DENIED);
    kill_it(&part);
    EXPECT_OK(CloseHandle(section));
}

TEST(Win32SharedSections, the_first_one_says_what_views_may_do)
{
    char *name = OWN_NAME("umsshim section to read");
    struct part part;
    HANDLE section = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READONLY, 0, GRAIN, name);

    ASSERT_OK(section != NULL);
    if (start(&part, "write", name))
        EXPECT_EQ(end(&part), ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(section));
}

TEST(Win32SharedSections, of_a_file)
{
    char *name = OWN_NAME("umsshim section of a file");
    struct part part;
    HANDLE file = fresh_file(2 * PAGE);
    HANDLE section = CreateFileMappingA(file, NULL, PAGE_READWRITE, 0, 0, name);

    ASSERT_OK(section != NULL);
    if (start(&part, "add", name))
        EXPECT_EQ(end(&part) & 0xff, 2); /* each byte of the file's first page is 1 */
    EXPECT_EQ(byte_of_file(file, 0), 2);
    EXPECT_OK(CloseHandle(section));
    drop_file(file);
}

enum { NAMES = 40, THREADS = 6 };

struct race {
    int makers[NAMES];
    HANDLE sections[NAMES * THREADS];
    int count;
};

/* Each name has one maker, whichever thread that is. */
static void make_all(void *arg)
{
    struct race *race = arg;
    char name[OWN_NAME_LENGTH];

    for (int i = 0; i < NAMES; i++) {
        HANDLE section;

        snprintf(name, sizeof name, "umsshim %u race %d", (unsigned)GetCurrentProcessId(), i);
        section = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, PAGE, name);
        if (GetLastError() == ERROR_SUCCESS)
            __atomic_add_fetch(&race->makers[i], 1, __ATOMIC_RELAXED);
        race->sections[__atomic_fetch_add(&race->count, 1, __ATOMIC_RELAXED)] = section;
    }
}

TEST(Win32SharedSections, each_has_one_maker_in_a_race)
{
    static struct race race;
    struct kind_thread threads[THREADS] = {0};

    memset(&race, 0, sizeof race);
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_start(&threads[i], i % KINDS, make_all, &race));
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_join(&threads[i]));
    for (int i = 0; i < NAMES; i++)
        EXPECT_EQ(race.makers[i], 1);
    for (int i = 0; i < race.count; i++)
        EXPECT_OK(CloseHandle(race.sections[i]));
}

TEST(Win32SharedSections, reserved_pages)
{
    char *name = OWN_NAME("umsshim reserved section");
    struct part part;
    HANDLE section = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE | SEC_RESERVE, 0,
                                        4 * PAGE, name);
    MEMORY_BASIC_INFORMATION third;
    char *view, *again;

    ASSERT_OK(section != NULL);
    view = MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, 0);
    ASSERT_OK(view != NULL);
    ASSERT_OK(VirtualAlloc(view, PAGE, MEM_COMMIT, PAGE_READWRITE) != NULL);
    view[1] = 7;
    ASSERT_OK(start(&part, "commit", name));
    ASSERT_EQ(end(&part), 0);
    again = MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, 0);
    ASSERT_OK(again != NULL);
    EXPECT_EQ(again[PAGE], 8);
    ASSERT_OK(VirtualQuery(again + 2 * PAGE, &third, sizeof third) != 0);
    EXPECT_EQ(third.State, MEM_RESERVE);
    EXPECT_OK(UnmapViewOfFile(again));
    EXPECT_OK(UnmapViewOfFile(view));
    EXPECT_OK(CloseHandle(section));
}
