/* SPDX-License-Identifier: MIT
 *
 * window_calls.c - in place, a worker that makes a window call stays on its own kernel thread from
 * then on, and nobody else does.
 *
 * The hazard: windows, queues and drawing belong to the kernel thread. A window that a worker made
 * on its scheduler's would be its scheduler's, and its neighbours'.
 *
 * Nothing here imports user32 or gdi32: whether they are loaded, and by whom, is part of the tests.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=all
 */
#include "gtest_c.h"
#include "moving.h"
#include "place.h"

enum { ROUNDS = 24, LIMIT_MS = 5000 };

/* ---- What is found out --------------------------------------------------------------------- */

static bool at_home(const struct worker *self)
{
    return kernel_thread() == self->id;
}

static bool in_place;

/* Makes a UMS call, the first one. */
static void find_mode(void)
{
    in_place = switches_in_place(NULL);
}

/* It has left its scheduler and come back just now. */
static void expect_place(struct worker *self, bool pinned, const char *when)
{
    bool home = at_home(self);

    EXPECT_EQ(GetCurrentThreadId(), self->id);
    EXPECT_THAT(home == (pinned || !in_place), "%s: worker %d, thread %lu, runs on %lu", when,
                self->index, self->id, kernel_thread());
}

static void expect_place_for_a_while(struct worker *self, bool pinned, const char *when)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        step_aside(self, i);
        expect_place(self, pinned, when);
    }
}

/* ---- The window calls used ------------------------------------------------------------------- */

static BOOL(WINAPI *post)(DWORD thread, UINT message, WPARAM wparam, LPARAM lparam);
static BOOL(WINAPI *peek)(MSG *message, HWND window, UINT first, UINT last, UINT remove);
static DWORD(WINAPI *queue_status)(UINT flags);

static bool load_user32(void)
{
    HMODULE user32 = LoadLibraryA("user32.dll");

    post = (void *)GetProcAddress(user32, "PostThreadMessageA");
    peek = (void *)GetProcAddress(user32, "PeekMessageA");
    queue_status = (void *)GetProcAddress(user32, "GetQueueStatus");
    return EXPECT_OK(post && peek && queue_status);
}

static uint8_t *stub(const char *name)
{
    return (uint8_t *)(void *)GetProcAddress(GetModuleHandleA("win32u.dll"), name);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* Worker 0 has a queue from the middle on; the others never. */
static void one_of_them(struct worker *self)
{
    expect_place_for_a_while(self, false, "before");
    if (self->index == 0) {
        queue_status(QS_ALLINPUT);
        EXPECT_OK(at_home(self));
        expect_place_for_a_while(self, true, "after its call");
    } else {
        expect_place_for_a_while(self, false, "no call");
    }
}

static void run_one_of_them(int schedulers)
{
    ASSERT_OK(load_user32());
    find_mode();
    ASSERT_OK(run_moving(schedulers, 3, one_of_them, NULL, NULL));
}

TEST(WindowCalls, pin_the_worker_that_makes_one_and_no_other)
{
    run_one_of_them(1);
}

TEST(WindowCalls, pin_it_on_two_schedulers)
{
    run_one_of_them(2);
}

/* Each worker posts to the one after it, and looks for what was posted to itself. */
static DWORD ids[3];
static int have_queues;

static void post_around(struct worker *self)
{
    int next = (self->index + 1) % 3;
    ULONGLONG deadline = GetTickCount64() + LIMIT_MS;
    MSG message;

    peek(&message, NULL, WM_USER, WM_USER, PM_NOREMOVE); /* makes the queue */
    ids[self->index] = self->id;
    flag_add(&have_queues, 1);
    while (flag_get(&have_queues) < 3 && GetTickCount64() < deadline)
        UmsThreadYield(NULL);
    ASSERT_EQ(flag_get(&have_queues), 3);
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        step_aside(self, i);
        ASSERT_OK(post(ids[next], WM_USER + 1, (WPARAM)next, i));
        deadline = GetTickCount64() + LIMIT_MS;
        while (!peek(&message, NULL, WM_USER, WM_USER + 9, PM_REMOVE)) {
            UmsThreadYield(NULL);
            ASSERT_OK(GetTickCount64() < deadline);
        }
        EXPECT_EQ(message.wParam, self->index);
        EXPECT_EQ(message.lParam, i);
        expect_place(self, true, "it has a queue");
    }
}

TEST(WindowCalls, messages_arrive_where_they_were_posted_to)
{
    ASSERT_OK(load_user32());
    find_mode();
    ASSERT_OK(run_moving(2, 3, post_around, NULL, NULL));
}

/* Arguments that lie on the stack: the fifth is the bitmap's contents. */
static HBITMAP(WINAPI *create_bitmap)(INT width, INT height, UINT planes, UINT bits, const void *);
static LONG(WINAPI *bitmap_bits)(HBITMAP bitmap, LONG bytes, void *to);
static BOOL(WINAPI *delete_object)(HGDIOBJ object);

static void draw(struct worker *self)
{
    uint32_t pixels[8], seen[8];

    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        HBITMAP bitmap;

        for (int j = 0; j < 8; j++)
            pixels[j] = (uint32_t)(self->index << 16 | i << 8 | j);
        SetLastError(4711);
        bitmap = create_bitmap(4, 2, 1, 32, pixels);
        EXPECT_EQ(GetLastError(), 4711);
        ASSERT_OK(bitmap != NULL);
        EXPECT_EQ(bitmap_bits(bitmap, sizeof seen, seen), sizeof seen);
        EXPECT_EQ(memcmp(seen, pixels, sizeof pixels), 0);
        step_aside(self, i);
        expect_place(self, true, "it draws");
        EXPECT_OK(delete_object(bitmap));
    }
}

TEST(WindowCalls, keep_their_arguments_and_the_last_error)
{
    HMODULE gdi32 = LoadLibraryA("gdi32.dll");

    create_bitmap = (void *)GetProcAddress(gdi32, "CreateBitmap");
    bitmap_bits = (void *)GetProcAddress(gdi32, "GetBitmapBits");
    delete_object = (void *)GetProcAddress(gdi32, "DeleteObject");
    ASSERT_OK(create_bitmap && bitmap_bits && delete_object);
    find_mode();
    ASSERT_OK(run_moving(2, 3, draw, NULL, NULL));
}

/* The second worker makes its first window call in a DLL that came when workers were there. */
static int loaded;

static void load_or_wait(struct worker *self)
{
    expect_place_for_a_while(self, false, "before it is loaded");
    if (self->index == 0) {
        EXPECT_OK(load_user32());
        EXPECT_OK(described(" hooked\n"));
        flag_set(&loaded, 1);
    }
    while (!flag_get(&loaded) && !tc_failures()) {
        UmsThreadYield(NULL);
        expect_place(self, self->index == 0, "while another loads it");
    }
    if (self->index == 1 && !tc_failures()) {
        expect_place_for_a_while(self, false, "another has loaded it");
        queue_status(QS_ALLINPUT);
        expect_place_for_a_while(self, true, "after its call");
    } else if (self->index == 2) {
        expect_place_for_a_while(self, false, "no call");
    }
}

TEST(WindowCalls, are_noticed_in_a_dll_that_a_worker_loads)
{
    if (GetModuleHandleA("win32u.dll"))
        SKIP("win32u.dll is in every process here");
    find_mode();
    EXPECT_OK(described("win32u.dll is not loaded"));
    ASSERT_OK(run_moving(2, 3, load_or_wait, NULL, NULL));
}

/* Two reasons to stay home: one may go without the other. Odd workers have no queue. */
static void act_as_another(struct worker *self)
{
    bool window = self->index % 2 == 0;

    ASSERT_OK(ImpersonateSelf(SecurityImpersonation));
    expect_place_for_a_while(self, true, "impersonating");
    if (window)
        queue_status(QS_ALLINPUT);
    ASSERT_OK(RevertToSelf());
    expect_place_for_a_while(self, window, "reverted");
    ASSERT_OK(ImpersonateSelf(SecurityImpersonation));
    ASSERT_OK(RevertToSelf());
    expect_place_for_a_while(self, window, "and once more");
}

TEST(WindowCalls, pin_for_longer_than_a_token)
{
    ASSERT_OK(load_user32());
    find_mode();
    ASSERT_OK(run_moving(2, 4, act_as_another, NULL, NULL));
}

/* ---- The hooks ------------------------------------------------------------------------------- */

static void do_nothing(struct worker *self)
{
    step_aside(self, 0);
}

TEST(WindowCalls, are_hooked_with_the_first_worker)
{
    static const char *const names[] = {"NtUserPeekMessage", "NtUserCreateWindowEx",
                                        "NtGdiCreateBitmap"};
    uint8_t before[3][8];

    ASSERT_OK(load_user32());
    for (int i = 0; i < 3; i++) {
        ASSERT_OK(stub(names[i]) != NULL);
        memcpy(before[i], stub(names[i]), 8);
    }
    find_mode();
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(memcmp(before[i], stub(names[i]), 8), 0);
    EXPECT_OK(described("window calls: no hooks yet (they come with the first worker)"));
    ASSERT_OK(run_moving(1, 1, do_nothing, NULL, NULL));
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(memcmp(before[i], stub(names[i]), 8) != 0, in_place);
    EXPECT_OK(described(" hooked\n"));
}

/* A sixth of Windows' window calls has other names. Wine has those as functions of its own, one of which is made a
 * system call here. */
TEST(WindowCalls, of_all_names_are_hooked)
{
    static const uint8_t system_call[24] = {0x4C, 0x8B, 0xD1, 0xB8, 0x34, 0x12, 0,    0,
                                            0xF6, 0x04, 0x25, 0x08, 0x03, 0xFE, 0x7F, 0x01,
                                            0x75, 0x03, 0x0F, 0x05, 0xC3, 0xCD, 0x2E, 0xC3};
    uint8_t before[8], *other;
    DWORD protection;

    ASSERT_OK(load_user32());
    other = stub("NtDCompositionBeginFrame");
    if (!other)
        SKIP("win32u.dll has no NtDCompositionBeginFrame here");
    ASSERT_OK(VirtualProtect(other, sizeof system_call, PAGE_EXECUTE_READWRITE, &protection));
    memcpy(other, system_call, sizeof system_call);
    memcpy(before, other, sizeof before);
    find_mode();
    ASSERT_OK(run_moving(1, 1, do_nothing, NULL, NULL));
    EXPECT_EQ(memcmp(before, other, sizeof before) != 0, in_place);
}

/* One that somebody else has changed is left alone, the others are not. */
TEST(WindowCalls, that_somebody_else_has_hooked)
{
    const uint8_t foreign[3] = {0x49, 0x89, 0xCA}; /* mov r10, rcx, in other words */
    uint8_t *changed, after[8];
    DWORD protection;

    ASSERT_OK(load_user32());
    changed = stub("NtUserPeekMessage");
    ASSERT_OK(changed != NULL);
    ASSERT_OK(VirtualProtect(changed, sizeof foreign, PAGE_EXECUTE_READWRITE, &protection));
    memcpy(changed, foreign, sizeof foreign);
    memcpy(after, changed, sizeof after);
    find_mode();
    ASSERT_OK(run_moving(1, 3, one_of_them, NULL, NULL));
    EXPECT_EQ(memcmp(changed, after, sizeof after), 0);
    EXPECT_OK(described(" hooked: refused: its code is not the usual\n") == in_place);
}

/* More often than there are places for the memory that hooks take. */
static void load_and_free(struct worker *self)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        HMODULE win32u = LoadLibraryA("win32u.dll");

        ASSERT_OK(win32u != NULL);
        EXPECT_EQ(stub("NtUserPeekMessage")[3] == 0xE9, in_place);
        EXPECT_OK(described(" hooked\n"));
        step_aside(self, i);
        ASSERT_OK(FreeLibrary(win32u));
        ASSERT_EQ(GetModuleHandleA("win32u.dll"), NULL);
        EXPECT_OK(described("win32u.dll is not loaded"));
        step_aside(self, i);
    }
}

TEST(WindowCalls, go_and_come_back_with_their_dll)
{
    if (GetModuleHandleA("win32u.dll"))
        SKIP("win32u.dll is in every process here");
    find_mode();
    ASSERT_OK(run_moving(1, 1, load_and_free, NULL, NULL));
}
