/* SPDX-License-Identifier: MIT
 *
 * signal_in_wait.c - signals sent to a worker that waits in a Win32 call: the worker handles them
 * at once, and the wait goes on with the rest of its time and ends as without a signal.
 *
 * modes: ways
 */
#include "signal_in_wait.h"

#include <setjmp.h>

enum { LONG_MS = 600, OTHER_SIGNAL = SIGUSR2 };

/* ---- Objects --------------------------------------------------------------------------------- */

static void set_first(struct waiting *self)
{
    EXPECT_OK(SetEvent(self->handle[0]));
}

static void set_last(struct waiting *self)
{
    EXPECT_OK(SetEvent(self->handle[2]));
}

static void set_all(struct waiting *self)
{
    for (int i = 0; i < 3; i++)
        EXPECT_OK(SetEvent(self->handle[i]));
}

static DWORD for_one(struct waiting *self)
{
    return WaitForSingleObject(self->handle[0], INFINITE);
}

static DWORD for_any(struct waiting *self)
{
    return WaitForMultipleObjects(3, self->handle, FALSE, INFINITE);
}

static DWORD for_all(struct waiting *self)
{
    return WaitForMultipleObjects(3, self->handle, TRUE, 20000);
}

/* The first is signalled once, however often the wait begins again. */
static DWORD signal_one_first(struct waiting *self)
{
    DWORD result = SignalObjectAndWait(self->handle[1], self->handle[2], INFINITE, FALSE);

    EXPECT_EQ(WaitForSingleObject(self->handle[1], 0), (DWORD)WAIT_TIMEOUT);
    return result;
}

static void take_first_and_set_last(struct waiting *self)
{
    EXPECT_EQ(WaitForSingleObject(self->handle[1], 0), (DWORD)WAIT_OBJECT_0);
    set_last(self);
}

CALL_TEST(SignalInWait, for_one_object, run(for_one, set_first, WAIT_OBJECT_0))
CALL_TEST(SignalInWait, for_any_of_several, run(for_any, set_last, WAIT_OBJECT_0 + 2))
CALL_TEST(SignalInWait, for_all_of_several, run(for_all, set_all, WAIT_OBJECT_0))
CALL_TEST(SignalInWait, one_object_is_signalled_first,
          run(signal_one_first, take_first_and_set_last, WAIT_OBJECT_0))

/* ---- Procedures, packets --------------------------------------------------------------------- */

static VOID CALLBACK note_procedure(ULONG_PTR param)
{
    ((struct waiting *)param)->word++;
}

static DWORD alertably(struct waiting *self)
{
    DWORD result = SleepEx(20000, TRUE);

    EXPECT_EQ(self->word, 1);
    return result;
}

static DWORD WINAPI open_own(LPVOID param)
{
    struct waiting *self = param;

    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                              &self->handle[0], 0, FALSE, DUPLICATE_SAME_ACCESS));
    return wait_here(self);
}

TEST(SignalInWait, a_procedure_ends_it)
{
    install(SIGUSR1, on_signal);
    if (!begin(alertably, NULL))
        return;
    CloseHandle(now.handle[0]);
    if (waits(loose_add(&rig, open_own, &now, 0))) {
        signal_it();
        EXPECT_EQ(now.word, 0);
        EXPECT_OK(QueueUserAPC(note_procedure, now.handle[0], (ULONG_PTR)&now));
    }
    finish();
    EXPECT_EQ(now.result, (DWORD)WAIT_IO_COMPLETION);
}

static DWORD for_packet(struct waiting *self)
{
    DWORD bytes = 0;
    ULONG_PTR key = 0;
    OVERLAPPED *overlapped = NULL;

    EXPECT_OK(GetQueuedCompletionStatus(self->handle[0], &bytes, &key, &overlapped, INFINITE));
    return bytes;
}

static void post(struct waiting *self)
{
    EXPECT_OK(PostQueuedCompletionStatus(self->handle[0], 77, 1, NULL));
}

TEST(SignalInWait, for_a_packet)
{
    install(SIGUSR1, on_signal);
    if (!begin(for_packet, post))
        return;
    CloseHandle(now.handle[0]);
    now.handle[0] = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1);
    if (waits(loose_add(&rig, wait_here, &now, 0))) {
        signal_it();
        now.end(&now);
    }
    finish();
    EXPECT_EQ(now.result, 77);
}

/* ---- Time ------------------------------------------------------------------------------------ */

static DWORD sleep_long(struct waiting *self)
{
    ULONGLONG begun = GetTickCount64();

    Sleep(LONG_MS);
    return (DWORD)(GetTickCount64() - begun);
}

static DWORD wait_long(struct waiting *self)
{
    ULONGLONG begun = GetTickCount64();

    EXPECT_EQ(WaitForSingleObject(self->handle[0], LONG_MS), (DWORD)WAIT_TIMEOUT);
    return (DWORD)(GetTickCount64() - begun);
}

/* Signals come all the time: it neither ends early nor begins its time anew. */
static void wait_its_time(DWORD (*wait)(struct waiting *))
{
    install(SIGUSR1, on_signal);
    if (!begin(wait, NULL))
        return;
    if (waits(loose_add(&rig, wait_here, &now, 0)))
        for (int i = 0; i < 400 && !flag_get(&now.over); i++) {
            EXPECT_EQ(pthread_kill(now.thread, SIGUSR1), 0);
            Sleep(20);
        }
    finish();
    EXPECT_GT(flag_get(&handled), 0);
    EXPECT_THAT(now.result >= LONG_MS - 20 && now.result < 8000, "%lu ms",
                (unsigned long)now.result);
}

TEST(SignalInWait, a_sleep_has_its_length)
{
    wait_its_time(sleep_long);
}

TEST(SignalInWait, a_wait_ends_in_time)
{
    wait_its_time(wait_long);
}

/* ---- While the handler runs ------------------------------------------------------------------ */

/* Stands in the handler until the tester has seen it there and lets it go. The other signal is
 * blocked but in sigsuspend: it does not come between the look and the wait. */
static void stand(int number)
{
    sigset_t none, other;

    sigemptyset(&none);
    sigemptyset(&other);
    sigaddset(&other, OTHER_SIGNAL);
    EXPECT_EQ(sigprocmask(SIG_BLOCK, &other, NULL), 0);
    flag_add(&handled, 1);
    while (!flag_get(&returned))
        sigsuspend(&none);
}

static void go_on(int number)
{
    flag_set(&returned, 1);
}

/* The event is signalled and its handle closed meanwhile: the worker gets the signal. */
TEST(SignalInWait, the_handle_is_closed_in_the_handler)
{
    install(OTHER_SIGNAL, go_on);
    install(SIGUSR1, stand);
    if (!begin(for_one, NULL))
        return;
    if (waits(loose_add(&rig, wait_here, &now, 0))) {
        EXPECT_EQ(pthread_kill(now.thread, SIGUSR1), 0);
        EXPECT_OK(loose_reaches(&handled, 1));
        EXPECT_OK(SetEvent(now.handle[0]));
        EXPECT_OK(CloseHandle(now.handle[0]));
        now.handle[0] = NULL;
        EXPECT_EQ(pthread_kill(now.thread, OTHER_SIGNAL), 0);
    }
    finish();
    EXPECT_EQ(now.result, (DWORD)WAIT_OBJECT_0);
}

static sigjmp_buf way_out;

static void jump_out(int number)
{
    flag_add(&handled, 1);
    siglongjmp(way_out, 1);
}

static DWORD jump_and_wait_again(struct waiting *self)
{
    char used[8192];

    if (!sigsetjmp(way_out, 1))
        for_any(self);
    memset(used, 0xff, sizeof used); /* where the wait was */
    __asm__ volatile("" ::"r"(used) : "memory");
    return for_all(self);
}

/* Nothing of the wait that was left is on the events' lists. */
TEST(SignalInWait, a_handler_jumps_out)
{
    install(SIGUSR1, jump_out);
    if (!begin(jump_and_wait_again, NULL))
        return;
    struct loose_worker *worker = loose_add(&rig, wait_here, &now, 0);
    if (waits(worker)) {
        EXPECT_EQ(pthread_kill(now.thread, SIGUSR1), 0);
        EXPECT_OK(loose_reaches(&handled, 1));
        EXPECT_OK(loose_reaches(&worker->blocked, 2));
        set_all(&now);
    }
    finish();
    EXPECT_EQ(now.result, (DWORD)WAIT_OBJECT_0);
}
