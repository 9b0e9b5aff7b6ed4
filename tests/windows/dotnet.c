/* SPDX-License-Identifier: MIT
 *
 * dotnet.c - in place, all workers of a process stay on their own kernel threads from the moment on
 * that a .NET runtime is loaded, and one line says so.
 *
 * The hazard: the runtime takes a worker for the kernel thread that runs it, keeps that thread's
 * block, and suspends it.
 *
 * The runtimes here are stand-ins by name. One that was there stays for good, so each test is the
 * only one of its process (CTest), or passes itself over.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=all UMSSHIM_SWITCH=inplace
 */
#include "gtest_c.h"
#include "moving.h"
#include "place.h"

enum { ROUNDS = 12, WORKERS = 3 };

static bool in_place;

/* False: this process has had a runtime. */
static bool find_mode(void)
{
    in_place = switches_in_place(" is here, for .NET)\n");
    return !described(" is here, for .NET)\n");
}

/* It has left its scheduler and come back just now. */
static void expect_place_for_a_while(struct worker *self, bool pinned, const char *when)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        step_aside(self, i);
        EXPECT_EQ(GetCurrentThreadId(), self->id);
        EXPECT_THAT((kernel_thread() == self->id) == (pinned || !in_place),
                    "%s: worker %d, thread %lu, runs on %lu", when, self->index, self->id,
                    kernel_thread());
    }
}

static HMODULE load(const char *name)
{
    HMODULE module = LoadLibraryA(name);

    EXPECT_THAT(module != NULL, "%s: error %lu", name, GetLastError());
    return module;
}

/* ---- What is written meanwhile --------------------------------------------------------------- */

static HANDLE usual_errors, reads, writes;

static void listen(void)
{
    usual_errors = GetStdHandle(STD_ERROR_HANDLE);
    ASSERT_OK(CreatePipe(&reads, &writes, NULL, 65536));
    ASSERT_OK(SetStdHandle(STD_ERROR_HANDLE, writes));
}

static void expect_lines(const char *line, int wanted)
{
    static char text[65536];
    int found = 0;
    DWORD got = 0;

    SetStdHandle(STD_ERROR_HANDLE, usual_errors);
    CloseHandle(writes);
    for (DWORD n; ReadFile(reads, text + got, sizeof text - 1 - got, &n, NULL) && n;)
        got += n;
    text[got] = 0;
    CloseHandle(reads);
    for (const char *at = text; (at = strstr(at, line)) != NULL; at++)
        found++;
    EXPECT_THAT(found == wanted, "found %d times, not %d: \"%s\" in \"%s\"", found, wanted, line,
                text);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static int ready, loaded;

/* The runtime comes when all of them have seen that nobody is pinned. */
static void be_hosted_before(struct worker *self)
{
    expect_place_for_a_while(self, false, "before it is loaded");
    flag_add(&ready, 1);
    while (flag_get(&ready) < WORKERS && !tc_failures())
        UmsThreadYield(NULL);
}

static void load_or_wait(struct worker *self)
{
    be_hosted_before(self);
    if (self->index == 0) {
        HMODULE module = load("CoreCLR.dll");
        DWORD (*loaded_on)(void) = (void *)GetProcAddress(module, "loaded_on");

        EXPECT_EQ(kernel_thread(), self->id);
        ASSERT_OK(loaded_on != NULL);
        EXPECT_EQ(loaded_on(), self->id);
        flag_set(&loaded, 1);
    }
    while (!flag_get(&loaded) && !tc_failures())
        UmsThreadYield(NULL);
    expect_place_for_a_while(self, true, "it is loaded");
}

static void stay(struct worker *self)
{
    expect_place_for_a_while(self, true, "it was loaded before");
}

TEST(DotNet, a_worker_that_loads_it_and_all_others_stay_home)
{
    if (!find_mode())
        SKIP("a runtime was loaded before");
    listen();
    EXPECT_OK(run_moving(2, WORKERS, load_or_wait, NULL, NULL));
    EXPECT_OK(run_moving(2, WORKERS, stay, NULL, NULL));
    load("clr.dll"); /* a second one is no news */
    expect_lines("umsshim: coreclr.dll is in this process: workers are switched pinned", in_place);
    EXPECT_EQ(described("switching: pinned (coreclr.dll is here, for .NET)\n"), in_place);
}

TEST(DotNet, a_runtime_that_is_there_before_the_first_worker)
{
    if (!find_mode())
        SKIP("a runtime was loaded before");
    load("clr.dll");
    EXPECT_EQ(described("switching: in place\n"), in_place);
    listen();
    EXPECT_OK(run_moving(1, WORKERS, stay, NULL, NULL));
    expect_lines("umsshim: clr.dll is in this process: workers are switched pinned", in_place);
}

/* By another thread, which is no worker; the runtime goes again. */
static DWORD WINAPI load_for_a_moment(LPVOID unused)
{
    EXPECT_OK(FreeLibrary(load("hostfxr.dll")));
    return 0;
}

static void have_it_loaded(struct worker *self)
{
    be_hosted_before(self);
    if (self->index == 0) {
        HANDLE thread = CreateThread(NULL, 0, load_for_a_moment, NULL, 0, NULL);

        EXPECT_EQ(WaitForSingleObject(thread, 20000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(thread));
        flag_set(&loaded, 1);
    }
    while (!flag_get(&loaded) && !tc_failures())
        UmsThreadYield(NULL);
    expect_place_for_a_while(self, true, "it was there");
}

TEST(DotNet, a_runtime_that_another_thread_loads)
{
    if (!find_mode())
        SKIP("a runtime was loaded before");
    EXPECT_OK(run_moving(2, WORKERS, have_it_loaded, NULL, NULL));
}
