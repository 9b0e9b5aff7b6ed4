/* SPDX-License-Identifier: MIT
 *
 * gui.c - a worker that becomes a GUI thread: messages for its id arrive in it, wherever it has
 * been.
 *
 * The hazard: the message queue belongs to a kernel thread. A worker that asked for messages on its
 * scheduler's would read another's, and never see its own.
 *
 * Under Wine the first window takes its time.
 *
 * modes: default
 * options: LIMIT 120
 */
#include "gtest_c.h"
#include "moving.h"

enum { ROUNDS = 30, WORKERS = 3, LIMIT_MS = 5000 };

static DWORD ids[MOVING_WORKERS];
static int ready; /* workers that have a queue */
static int ended;

/* A message of ours, or false after a recorded failure. GetMessage alone would wait without limit.
 */
static bool receive(struct worker *self, MSG *message)
{
    ULONGLONG deadline = GetTickCount64() + LIMIT_MS;

    while (!PeekMessageA(message, NULL, 0, 0, PM_NOREMOVE)) {
        UmsThreadYield(NULL);
        if (GetTickCount64() > deadline) {
            FAIL("worker %d: no message", self->index);
            return false;
        }
    }
    return EXPECT_OK(GetMessageA(message, NULL, 0, 0) > 0);
}

/* Each worker sends a message to itself and one to the next; it gets two, and they are its own. */
static void exchange_messages(struct worker *self)
{
    int from_itself = 0;
    MSG message;

    PeekMessageA(&message, NULL, WM_USER, WM_USER, PM_NOREMOVE); /* makes the queue */
    ids[self->index] = self->id;
    flag_add(&ready, 1);
    while (flag_get(&ready) < WORKERS && !tc_failures())
        move_on(self);
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        ASSERT_OK(PostThreadMessageA(GetCurrentThreadId(), WM_USER + 1, (WPARAM)self->index, i));
        step_aside(self, i);
        ASSERT_OK(PostThreadMessageA(ids[(self->index + 1) % WORKERS], WM_USER + 2,
                                     (WPARAM)(self->index + 1) % WORKERS, i));
        for (int j = 0; j < 2; j++) {
            step_aside(self, i + j);
            if (!receive(self, &message))
                return;
            EXPECT_EQ(message.wParam, self->index); /* whom it was for */
            EXPECT_EQ(message.hwnd, NULL);
            from_itself += message.message == WM_USER + 1;
        }
    }
    EXPECT_OK(tc_failures() || from_itself == ROUNDS);
    flag_add(&ended, 1);
    while (flag_get(&ended) < WORKERS && !tc_failures())
        move_on(self);
    EXPECT_EQ(PeekMessageA(&message, NULL, WM_USER, WM_USER + 9, PM_REMOVE), FALSE);
}

static void run(int schedulers)
{
    ready = ended = 0;
    ASSERT_OK(run_moving(schedulers, WORKERS, exchange_messages, NULL, NULL));
}

TEST(Gui, thread_messages_on_one_scheduler)
{
    run(1);
}

TEST(Gui, thread_messages_on_two_schedulers)
{
    run(2);
}

/* A worker with no queue of its own sees none of its neighbours' messages. */
static void post_or_look_on(struct worker *self)
{
    MSG message;

    if (self->index == 0) {
        PeekMessageA(&message, NULL, WM_USER, WM_USER, PM_NOREMOVE);
        for (int i = 0; i < ROUNDS && !tc_failures(); i++)
            ASSERT_OK(PostThreadMessageA(self->id, WM_USER + 1, 0, i));
        flag_set(&ready, 1);
        while (flag_get(&ended) < WORKERS - 1 && !tc_failures())
            move_on(self);
        for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
            ASSERT_OK(receive(self, &message));
            EXPECT_EQ(message.lParam, i);
        }
        return;
    }
    ASSERT_OK(yield_until(&ready));
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT_EQ(PeekMessageA(&message, NULL, WM_USER, WM_USER + 9, PM_REMOVE), FALSE);
        step_aside(self, i);
    }
    flag_add(&ended, 1);
}

TEST(Gui, messages_are_nobody_elses)
{
    ready = ended = 0;
    ASSERT_OK(run_moving(1, WORKERS, post_or_look_on, NULL, NULL));
}

/* ---- Windows ------------------------------------------------------------------------------- */

static int received[MOVING_WORKERS];

static LRESULT CALLBACK note_message(HWND window, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message == WM_USER + 3) {
        EXPECT_EQ(GetCurrentThreadId(), ids[wparam]);
        flag_add(&received[wparam], 1);
        return lparam + 1;
    }
    return DefWindowProcA(window, message, wparam, lparam);
}

static void have_a_window(struct worker *self)
{
    HWND window =
        CreateWindowExA(0, "umsshim test", "", 0, 0, 0, 0, 0, HWND_MESSAGE, NULL, NULL, NULL);
    DWORD process = 0;

    ASSERT_OK(window != NULL);
    ids[self->index] = self->id;
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        MSG message;

        EXPECT_EQ(GetWindowThreadProcessId(window, &process), self->id);
        EXPECT_EQ(process, GetCurrentProcessId());
        ASSERT_OK(PostMessageA(window, WM_USER + 3, (WPARAM)self->index, i));
        step_aside(self, i);
        if (!receive(self, &message))
            return;
        EXPECT_EQ(message.hwnd, window);
        EXPECT_EQ(DispatchMessageA(&message), i + 1);
        EXPECT_EQ(SendMessageA(window, WM_USER + 3, (WPARAM)self->index, 100 + i), 101 + i);
        EXPECT_EQ(flag_get(&received[self->index]), 2 * (i + 1));
    }
    EXPECT_OK(DestroyWindow(window));
}

TEST(Gui, window_of_a_worker)
{
    WNDCLASSA class = {.lpfnWndProc = note_message, .lpszClassName = "umsshim test"};
    HWND window;

    ASSERT_OK(RegisterClassA(&class));
    /* The first one of all may take ten seconds under Wine, which no worker need spend. */
    window = CreateWindowExA(0, "umsshim test", "", 0, 0, 0, 0, 0, HWND_MESSAGE, NULL, NULL, NULL);
    ASSERT_OK(window != NULL);
    EXPECT_OK(run_moving(2, WORKERS, have_a_window, NULL, NULL));
    EXPECT_OK(DestroyWindow(window));
    EXPECT_OK(UnregisterClassA("umsshim test", NULL));
}
