/* SPDX-License-Identifier: MIT
 *
 * program_calls.c - what the actors of a random program do when they are told to (program.h). None
 * uses the heap or a stream: a worker that is suspended there keeps others from it, as on Windows.
 */
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"
#include "is_set.h"
#include "native.h"
#include "program.h"

#include <stdlib.h>

/* ---- Waits that last until the test's thread ends them --------------------------------------- */

enum {
    WAIT_EVENT,
    WAIT_ONE_OF_TWO,
    WAIT_ALL,
    WAIT_SECTION,
    WAIT_CHANNEL,
    WAIT_OTHER_CHANNEL,
    WAIT_WORD,
    WAITS
};

struct waits {
    HANDLE event, gate, never;
    CRITICAL_SECTION section;
    bool locked; /* by the test's thread */
    struct native_channel channels[2];
    int word;
};

static void waits_open(struct waits *self)
{
    self->event = CreateEventA(NULL, FALSE, FALSE, NULL);
    self->gate = CreateEventA(NULL, TRUE, TRUE, NULL);
    self->never = CreateEventA(NULL, TRUE, FALSE, NULL);
    self->locked = false;
    InitializeCriticalSection(&self->section);
    EXPECT_OK(native_open(&self->channels[0], false));
    EXPECT_OK(native_open(&self->channels[1], true));
}

static void waits_close(struct waits *self)
{
    CloseHandle(self->event);
    CloseHandle(self->gate);
    CloseHandle(self->never);
    if (self->locked)
        LeaveCriticalSection(&self->section);
    DeleteCriticalSection(&self->section);
    native_close(&self->channels[0]);
    native_close(&self->channels[1]);
}

struct waits *waits_create(void)
{
    struct waits *self = calloc(1, sizeof *self);

    waits_open(self);
    return self;
}

void waits_destroy(struct waits *self)
{
    waits_close(self);
    free(self);
}

void waits_reset(struct waits *self)
{
    waits_close(self);
    waits_open(self);
}

/* Without the detection of foreign waits, Win32's alone are seen. */
unsigned waits_kinds(void)
{
    return is_set("UMSSHIM_DETECT", "0") ? WAIT_CHANNEL : WAITS;
}

bool waits_have_owner(unsigned kind)
{
    return kind == WAIT_SECTION;
}

bool waits_are_held(const struct waits *self)
{
    return self->locked;
}

bool waits_are_of_system(unsigned kind)
{
    return kind >= WAIT_CHANNEL;
}

bool waits_are_over(const struct waits *self)
{
    return WaitForSingleObject(self->event, 0) == WAIT_TIMEOUT;
}

void waits_prepare(struct waits *self, unsigned kind)
{
    if (kind == WAIT_WORD)
        flag_set(&self->word, 0);
    if (kind == WAIT_SECTION && !self->locked) {
        EnterCriticalSection(&self->section);
        self->locked = true;
    }
}

void waits_release(struct waits *self, unsigned kind)
{
    switch (kind) {
    case WAIT_SECTION:
        self->locked = false;
        LeaveCriticalSection(&self->section);
        break;
    case WAIT_CHANNEL:
    case WAIT_OTHER_CHANNEL:
        EXPECT_OK(native_send(&self->channels[kind == WAIT_OTHER_CHANNEL], 4711));
        break;
    case WAIT_WORD:
        flag_set(&self->word, 1);
        native_wake(&self->word);
        break;
    default:
        EXPECT_OK(SetEvent(self->event));
    }
}

void call_wait(struct order *order)
{
    struct wait_call *call = order->pointer;
    struct waits *self = call->waits;
    HANDLE two[2] = {self->never, self->event}, both[2] = {self->gate, self->event};
    DWORD limit = order->number ? INFINITE : 600000;
    int value = 0;

    flag_set(&actor_of(order)->begun, 1);
    switch (call->kind) {
    case WAIT_EVENT:
        order->result = WaitForSingleObject(self->event, limit) == WAIT_OBJECT_0;
        break;
    case WAIT_ONE_OF_TWO:
        order->result = WaitForMultipleObjects(2, two, FALSE, limit) == WAIT_OBJECT_0 + 1;
        break;
    case WAIT_ALL:
        order->result = WaitForMultipleObjects(2, both, TRUE, limit) == WAIT_OBJECT_0;
        break;
    case WAIT_SECTION:
        EnterCriticalSection(&self->section);
        LeaveCriticalSection(&self->section);
        order->result = 1;
        break;
    case WAIT_WORD:
        native_await(&self->word);
        order->result = flag_get(&self->word) == 1;
        break;
    default:
        order->result = native_receive(&self->channels[call->kind == WAIT_OTHER_CHANNEL], &value) &&
                        value == 4711;
    }
}

/* ---- Waits that are over by themselves, and calls that do not wait ----------------------------
 * */

void call_nap(struct order *order)
{
    struct waits *self = order->pointer;
    HANDLE two[2] = {self->never, self->never};

    SetLastError(order->number + 7000);
    switch (order->number) {
    case 0:
        Sleep(1);
        order->result = GetLastError() == 7000;
        break;
    case 1:
        order->result = WaitForSingleObject(self->never, 1) == WAIT_TIMEOUT;
        break;
    case 2:
        order->result = WaitForMultipleObjects(1, two, FALSE, 2) == WAIT_TIMEOUT;
        break;
    case NAP_ADDRESS:
        order->result = native_sleep(200000);
        break;
    case 4:
        order->result = native_touch_page();
        break;
    default:
        order->result = SleepEx(1, TRUE) == 0;
    }
}

bool call_is_of_system(DWORD nap)
{
    return nap == NAP_ADDRESS || nap == 4;
}

/* A thread that is ended meanwhile stays in a list of waiters that is linked through its stack, or
 * takes with it a lock of the system's own: one that a thread holds while it ends, or while its
 * read of a channel is called off or takes over what came. */
bool call_bars_termination(int op, DWORD number, unsigned kind)
{
    bool is_left_behind = kind == WAIT_SECTION || kind == WAIT_WORD || kind == WAIT_CHANNEL;

    return !native_forgets_waiters() && (op == op_end || (op == op_wait && is_left_behind) ||
                                         (op == op_nap && number == NAP_ADDRESS));
}

void call_work(struct order *order)
{
    struct waits *self = order->pointer;

    order->result = 1;
    SetLastError(order->number + 8000);
    switch (order->number) {
    case 0:
        order->result = SetEvent(self->never) && ResetEvent(self->never);
        break;
    case 1:
        for (int i = 0; i < 1000; i++)
            YieldProcessor();
        order->result = GetLastError() == 8001;
        break;
    case 2:
        order->result = GetTickCount64() > 0 && GetLastError() == 8002;
        break;
    case 3:
        order->result = WaitForSingleObject(self->gate, INFINITE) == WAIT_OBJECT_0;
        break;
    default:
        order->result = GetCurrentUmsThread() != NULL && GetCurrentThreadId() == native_thread_id();
    }
}

/* ---- The calls of UMS ------------------------------------------------------------------------ */

void call_dequeue(struct order *order)
{
    PUMS_CONTEXT context = NULL;

    order->result = bare_dequeue(order->pointer, order->number, &context);
    order->error = GetLastError();
    while (context && order->length <= SLOTS) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);

        order->chain[order->length++] = context;
        EXPECT_EQ(GetNextUmsListItem(context), NULL); /* NX-2 */
        context = next;
    }
}

void call_execute(struct order *order)
{
    order->error = bare_execute(order->pointer);
}

void call_yield(struct order *order)
{
    order->result = UmsThreadYield(order->pointer);
}

void call_end(struct order *order)
{
    flag_set(&actor_of(order)->begun, 1);
    flag_set(&actor_of(order)->leaves, 1);
    if (order->number)
        ExitThread((DWORD)(ULONG_PTR)order->pointer);
}

void call_leave(struct order *order)
{
    flag_set(&actor_of(order)->leaves, 1);
}

void call_fork(struct order *order)
{
    order->result = native_fork_works();
}
