/* SPDX-License-Identifier: MIT
 *
 * calls_on_top.c - a signal's handler on top of a wait: it makes calls of the same kind, or its
 * thread is suspended there. Another thread can end the wait as before. And GetThreadContext of a
 * thread that is suspended in a call that was cancelled.
 *
 * modes: default, UMSSHIM_DETECT=notify, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "calls_in_threads.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>

enum { CODE = 7 };

static HANDLE outer[2], inner[2], never; /* pipes: to read, to write */
static pthread_t waiter;
static int begun, over, handling, handled, go;
static void (*in_handler)(void);

static void on_signal(int number)
{
    flag_add(&handling, 1);
    in_handler();
    flag_add(&handled, 1);
}

static void prepare(void (*handler)(void))
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    in_handler = handler;
    ASSERT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    ASSERT_OK(CreatePipe(&outer[0], &outer[1], NULL, 0));
    ASSERT_OK(CreatePipe(&inner[0], &inner[1], NULL, 0));
    ASSERT_NE(never = CreateEventA(NULL, TRUE, FALSE, NULL), NULL);
    begun = over = handling = handled = go = 0;
}

static DWORD WINAPI reads(LPVOID unused)
{
    char byte;
    DWORD count;

    (void)unused;
    waiter = pthread_self();
    flag_set(&begun, 1);
    EXPECT_FAILS(ReadFile(outer[0], &byte, 1, &count, NULL), ERROR_OPERATION_ABORTED);
    flag_set(&over, 1);
    return 0;
}

/* ---- Calls in the handler -------------------------------------------------------------------- */

static void moves_a_byte(void)
{
    char byte = 0;
    DWORD count;

    EXPECT_OK(WriteFile(inner[1], &byte, 1, &count, NULL));
    EXPECT_OK(ReadFile(inner[0], &byte, 1, &count, NULL));
}

static void moves_a_byte_late(void)
{
    while (!flag_get(&go))
        continue;
    moves_a_byte();
}

static void waits_too(void)
{
    char byte;
    DWORD count;

    EXPECT_FAILS(ReadFile(inner[0], &byte, 1, &count, NULL), ERROR_OPERATION_ABORTED);
}

/* Cancels the read after each handler that came on top of it. Again, as the first signal may have
 * come before the read. */
static void cancels_after_handlers(HANDLE thread)
{
    long long started = now_ms();

    for (int i = 1; !flag_get(&over) && within_limit(started); i++) {
        pthread_kill(waiter, SIGUSR1);
        if (!await_flag(&handled, i))
            return;
        if (CancelSynchronousIo(thread) && !await_flag(&over, 1))
            return;
    }
    EXPECT_EQ(flag_get(&over), 1);
}

/* Cancels while the handler runs, before it makes its calls. */
static void cancels_under_handlers(HANDLE thread)
{
    long long started = now_ms();

    for (int i = 1; !flag_get(&over) && within_limit(started); i++) {
        flag_set(&go, 0);
        pthread_kill(waiter, SIGUSR1);
        if (!await_flag(&handling, i))
            return;
        BOOL asked = CancelSynchronousIo(thread);
        flag_set(&go, 1);
        if (!await_flag(&handled, i) || (asked && !await_flag(&over, 1)))
            return;
    }
    EXPECT_EQ(flag_get(&over), 1);
}

/* The handler's own call first. */
static void cancels_both(HANDLE thread)
{
    long long started = now_ms();

    pthread_kill(waiter, SIGUSR1);
    while (!flag_get(&over) && within_limit(started))
        CancelSynchronousIo(thread);
    EXPECT_EQ(flag_get(&over), 1);
    EXPECT_EQ(flag_get(&handled), 1);
}

static const struct way {
    void (*handler)(void);
    void (*cancels)(HANDLE thread);
} ways[] = {{moves_a_byte, cancels_after_handlers},
            {moves_a_byte_late, cancels_under_handlers},
            {waits_too, cancels_both}};

static int with_calls(void *as_worker)
{
    for (unsigned i = 0; i < sizeof ways / sizeof *ways && !tc_failures(); i++) {
        HANDLE scheduler, thread;

        prepare(ways[i].handler);
        thread = start(as_worker, reads, &scheduler);
        EXPECT_NE(thread, NULL);
        if (await_flag(&begun, 1))
            ways[i].cancels(thread);
        if (flag_get(&over))
            join(thread, scheduler);
    }
    return 0;
}

CALL_TEST(CallsOnTop, a_threads_handler_reads, EXPECT_IN_CHILD(with_calls, NULL, CHILD_LIMIT_MS))
CALL_TEST(CallsOnTop, a_workers_handler_reads,
          EXPECT_IN_CHILD(with_calls, (void *)"", CHILD_LIMIT_MS))

/* ---- Ended there ----------------------------------------------------------------------------- */

static void reads_inner(void)
{
    char byte;
    DWORD count;

    ReadFile(inner[0], &byte, 1, &count, NULL);
}

/* A pipe with no reader left refuses a write. */
static void expect_closed(HANDLE pipe[2])
{
    DWORD count;

    EXPECT_OK(CloseHandle(pipe[0]));
    EXPECT_FAILS(WriteFile(pipe[1], "", 1, &count, NULL), ERROR_NO_DATA);
    EXPECT_OK(CloseHandle(pipe[1]));
}

static int ended_on_top(void *as_worker)
{
    HANDLE scheduler, thread;

    prepare(reads_inner);
    thread = start(as_worker, reads, &scheduler);
    EXPECT_NE(thread, NULL);
    await_flag(&begun, 1);
    Sleep(20); /* a signal that comes before the read changes no result */
    pthread_kill(waiter, SIGUSR1);
    await_flag(&handling, 1);
    Sleep(20);
    EXPECT_OK(TerminateThread(thread, CODE));
    join(thread, scheduler);
    expect_closed(inner);
    expect_closed(outer);
    return 0;
}

CALL_TEST(CallsOnTop, a_thread_that_ends_in_two_calls_leaves_no_file_open,
          EXPECT_IN_CHILD(ended_on_top, NULL, CHILD_LIMIT_MS))
CALL_TEST(CallsOnTop, a_worker_that_ends_in_two_calls_leaves_no_file_open,
          EXPECT_IN_CHILD(ended_on_top, (void *)"", CHILD_LIMIT_MS))

/* ---- A handler that jumps -------------------------------------------------------------------- */

static sigjmp_buf out;

static void jumps(void)
{
    siglongjmp(out, 1);
}

/* Reads from a deeper stack than that of the call that the thread has jumped out of. */
static __attribute__((noinline)) BOOL read_from_afar(unsigned frames)
{
    volatile char room[512];
    DWORD count;

    room[frames] = 0;
    return frames ? read_from_afar(frames - 1) && !room[frames]
                  : ReadFile(outer[0], (void *)room, 1, &count, NULL);
}

static DWORD WINAPI is_jumped_out_of(LPVOID unused)
{
    char byte;
    DWORD count;

    (void)unused;
    waiter = pthread_self();
    if (!sigsetjmp(out, 1)) {
        flag_set(&begun, 1);
        ReadFile(outer[0], &byte, 1, &count, NULL);
        FAIL("nothing came, and no handler jumped");
    }
    EXPECT_OK(WriteFile(outer[1], "", 1, &count, NULL));
    EXPECT_OK(read_from_afar(20));
    flag_set(&over, 1);
    await_flag(&go, 1);
    return 0;
}

/* The signal may come before the read: then nothing is jumped over, and nothing is asked. */
static int left_by_a_jump(void *as_worker)
{
    HANDLE scheduler, thread;

    prepare(jumps);
    thread = start(as_worker, is_jumped_out_of, &scheduler);
    EXPECT_NE(thread, NULL);
    if (await_flag(&begun, 1)) {
        Sleep(20);
        pthread_kill(waiter, SIGUSR1);
        if (await_flag(&over, 1))
            EXPECT_FAILS(CancelSynchronousIo(thread), ERROR_NOT_FOUND);
    }
    flag_set(&go, 1);
    join(thread, scheduler);
    return 0;
}

CALL_TEST(CallsOnTop, a_threads_call_that_is_left_by_a_jump_is_over,
          EXPECT_IN_CHILD(left_by_a_jump, NULL, CHILD_LIMIT_MS))
CALL_TEST(CallsOnTop, a_workers_call_that_is_left_by_a_jump_is_over,
          EXPECT_IN_CHILD(left_by_a_jump, (void *)"", CHILD_LIMIT_MS))

/* ---- Suspended there ------------------------------------------------------------------------- */

static void spins(void)
{
    while (!flag_get(&go))
        continue;
}

/* The thread blocks signals most of the time, so a stop signal reaches it late. */
static void spins_behind_mask(void)
{
    sigset_t all, before;

    sigfillset(&all);
    while (!flag_get(&go)) {
        pthread_sigmask(SIG_BLOCK, &all, &before);
        for (volatile int i = 0; i < 30000; i++)
            continue;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
}

static DWORD WINAPI waits(LPVOID unused)
{
    (void)unused;
    waiter = pthread_self();
    flag_set(&begun, 1);
    WaitForSingleObject(never, INFINITE);
    return 0;
}

static void suspend(HANDLE thread)
{
    CONTEXT registers;

    registers.ContextFlags = CONTEXT_FULL;
    EXPECT_EQ(SuspendThread(thread), 0);
    EXPECT_OK(GetThreadContext(thread, &registers));
}

static int suspended_in_handler(void *unused)
{
    DWORD code = 0;

    (void)unused;
    prepare(spins);
    HANDLE thread = CreateThread(NULL, 0, waits, NULL, 0, NULL);
    await_flag(&begun, 1);
    await_sleep(thread, SYS_futex);
    pthread_kill(waiter, SIGUSR1);
    await_flag(&handling, 1);
    suspend(thread);
    await_sleep(thread, SYS_futex);
    EXPECT_EQ(ResumeThread(thread), 1);
    flag_set(&go, 1);
    await_flag(&handled, 1);
    await_sleep(thread, SYS_futex);
    EXPECT_OK(TerminateThread(thread, CODE));
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, CODE);
    return 0;
}

CALL_TEST(CallsOnTop, a_wait_under_a_suspended_handler_ends,
          EXPECT_IN_CHILD(suspended_in_handler, NULL, CHILD_LIMIT_MS))

/* The call cannot end before the handler has. */
static int suspended_and_cancelled(void *unused)
{
    (void)unused;
    prepare(spins_behind_mask);
    HANDLE thread = CreateThread(NULL, 0, reads, NULL, 0, NULL);
    await_flag(&begun, 1);
    await_sleep(thread, SYS_read);
    pthread_kill(waiter, SIGUSR1);
    await_flag(&handling, 1);
    EXPECT_OK(CancelSynchronousIo(thread));
    for (int i = 0; i < 50; i++) {
        suspend(thread);
        EXPECT_EQ(ResumeThread(thread), 1);
    }
    EXPECT_EQ(flag_get(&over), 0);
    flag_set(&go, 1);
    join(thread, NULL);
    EXPECT_EQ(flag_get(&over), 1);
    return 0;
}

CALL_TEST(CallsOnTop, registers_of_a_thread_whose_call_is_to_end,
          EXPECT_IN_CHILD(suspended_and_cancelled, NULL, CHILD_LIMIT_MS))
