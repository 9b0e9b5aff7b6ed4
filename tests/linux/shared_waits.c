/* SPDX-License-Identifier: MIT
 *
 * shared_waits.c - waits for objects that processes share, which end in another way than by a
 * signal and its ring: a time-out, a procedure call, and the end of a process in the middle of a
 * signal. None of them takes a signal away from another wait.
 *
 * modes: default, UMSSHIM_DETECT=0
 * with: shared_sync.c
 * options: LIMIT 120
 */
#include "fleet.h"
#include "shared_sync.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

static struct partner partner;
static HANDLE event;
static HANDLE mutex;

/* ---- Partners -------------------------------------------------------------------------------- */

static void set_when_told(void *unused)
{
    HANDLE found = OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("event"));

    (void)unused;
    EXPECT_OK(found != NULL);
    partner_ready();
    partner_await();
    EXPECT_OK(SetEvent(found));
    partner_ready();
    partner_await();
}

static int run_set_when_told(enum kind kind)
{
    return run_on_kind(kind, set_when_told);
}

static void start(enum kind kind)
{
    event = CreateEventA(NULL, FALSE, FALSE, name_of("event"));
    mutex = CreateMutexA(NULL, FALSE, name_of("mutex"));
    EXPECT_OK(event != NULL && mutex != NULL);
    partner = partner_start(run_set_when_told, kind);
    expect_ready(&partner);
}

static void end(void)
{
    go_on(&partner);
    expect_end(&partner, 0);
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(mutex));
}

static void expect_one_signal(void)
{
    HANDLE both[] = {event, mutex};

    go_on(&partner);
    EXPECT_EQ(WaitForMultipleObjects(2, both, TRUE, SOON), WAIT_OBJECT_0);
    EXPECT_OK(ReleaseMutex(mutex));
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
    expect_ready(&partner);
}

/* ---- Time-outs ------------------------------------------------------------------------------- */

static void time_out(void *unused)
{
    HANDLE both[] = {mutex, event};

    (void)unused;
    EXPECT_EQ(WaitForSingleObject(event, 20), WAIT_TIMEOUT);
    EXPECT_EQ(WaitForMultipleObjects(2, both, TRUE, 20), WAIT_TIMEOUT);
    EXPECT_EQ(SignalObjectAndWait(event, mutex, SOON, FALSE), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForMultipleObjects(2, both, FALSE, 20), WAIT_OBJECT_0); /* and owns it twice */
    EXPECT_OK(ReleaseMutex(mutex) && ReleaseMutex(mutex));
    EXPECT_FAILS(ReleaseMutex(mutex), ERROR_NOT_OWNER);
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForMultipleObjects(1, &event, FALSE, 20), WAIT_TIMEOUT);
    expect_one_signal();
}

static int time_outs(void *unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++) {
        struct kind_thread thread;

        start((enum kind)kind);
        EXPECT_OK(kind_start(&thread, (enum kind)kind, time_out, NULL) && kind_join(&thread));
        end();
    }
    return 0;
}

CALL_TEST(SharedWaits, take_nothing_when_their_time_is_over,
          EXPECT_IN_CHILD(time_outs, NULL, LIMIT_MS))

/* ---- Procedure calls ------------------------------------------------------------------------- */

static HANDLE waiter;
static int called;
static int waits;

static void CALLBACK procedure(ULONG_PTR by)
{
    called += (int)by;
}

static void wait_alertable(void *unused)
{
    HANDLE both[] = {event, mutex};

    (void)unused;
    called = waits = 0;
    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &waiter,
                              0, FALSE, DUPLICATE_SAME_ACCESS));
    EXPECT_OK(QueueUserAPC(procedure, waiter, 1));
    EXPECT_EQ(WaitForMultipleObjectsEx(2, both, TRUE, SOON, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(called, 1);
    EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_OBJECT_0); /* nothing was taken */
    EXPECT_OK(ReleaseMutex(mutex));
    flag_set(&waits, 1);
    EXPECT_EQ(WaitForSingleObjectEx(event, SOON, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(called, 11);
    EXPECT_OK(CloseHandle(waiter));
    expect_one_signal();
}

static void call_it(void *unused)
{
    (void)unused;
    EXPECT_OK(wait_until(&waits, LIMIT_MS));
    EXPECT_OK(QueueUserAPC(procedure, waiter, 10));
}

static int calls(void *unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++) {
        start((enum kind)kind);
        on_kind((enum kind)kind, wait_alertable, call_it, NULL);
        end();
    }
    return 0;
}

CALL_TEST(SharedWaits, take_nothing_when_a_procedure_is_called,
          EXPECT_IN_CHILD(calls, NULL, LIMIT_MS))

/* ---- An object that was closed, and found again by its name ------------------------------------ */

static int seen;

static void CALLBACK see(PVOID unused, BOOLEAN timed_out)
{
    (void)unused;
    flag_set(&seen, timed_out ? 2 : 1);
}

/* A wait keeps the object, and the partner the name. */
static int opened_anew(void *unused)
{
    HANDLE wait;

    (void)unused;
    start(KIND_PLAIN);
    EXPECT_OK(RegisterWaitForSingleObject(&wait, event, see, NULL, SOON, WT_EXECUTEONLYONCE));
    EXPECT_OK(CloseHandle(event));
    event = OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("event"));
    EXPECT_OK(SetEvent(event));
    EXPECT_OK(wait_until(&seen, SOON));
    EXPECT_EQ(seen, 1);
    EXPECT_OK(UnregisterWaitEx(wait, INVALID_HANDLE_VALUE));
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
    expect_one_signal();
    end();
    return 0;
}

CALL_TEST(SharedWaits, are_let_go_by_a_handle_that_was_opened_meanwhile,
          EXPECT_IN_CHILD(opened_anew, NULL, LIMIT_MS))

/* ---- A process that is killed in the middle of a change --------------------------------------- */

/* The process learns its own number from a mutex that it owns. With that number it holds the
 * event's word, as in the middle of SetEvent. */
static int hold_when_told(enum kind unused)
{
    HANDLE owned = CreateMutexA(NULL, TRUE, name_of("number"));
    HANDLE found = OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("event"));
    _Atomic uint64_t *words[2];
    uint64_t number;
    int which;

    (void)unused;
    if (!owned || !found || find_words(words, 2) != 2)
        return 1;
    which = (uint32_t)atomic_load(words[0]) != 0;
    number = (uint32_t)atomic_load(words[!which]);
    partner_ready();
    partner_await();
    atomic_fetch_or(words[which], number << 32);
    partner_ready();
    partner_await();
    return 0;
}

/* Writes over the event's word, as a program might that does not know it: a holder and waiters of
 * processes that never were. The bit for signalled stays as it is. */
static int damage(enum kind unused)
{
    HANDLE found = OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("event"));
    _Atomic uint64_t *words[1];

    (void)unused;
    if (!found || find_words(words, 1) != 1)
        return 1;
    for (int i = 8; i < 512; i++)
        atomic_store(&words[0][i], UINT64_C(0x3fedcba93fedcba9));
    atomic_store(words[0], UINT64_C(0x3fedcba9) << 32);
    return 0;
}

static int damaged(void *unused)
{
    (void)unused;
    event = CreateEventA(NULL, FALSE, FALSE, name_of("event"));
    partner = partner_start(damage, KIND_PLAIN);
    expect_end(&partner, 0);
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
    EXPECT_OK(SetEvent(event));
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(event, 1), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(event));
    return 0;
}

CALL_TEST(SharedWaits, go_on_though_another_program_wrote_to_the_file,
          EXPECT_IN_CHILD(damaged, NULL, LIMIT_MS))

static void wait_for_event(void *unused)
{
    (void)unused;
    EXPECT_EQ(WaitForSingleObject(event, SOON), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
}

static void hold_and_die(void *unused)
{
    (void)unused;
    go_on(&partner);
    expect_ready(&partner);
    kill_partner(&partner);
    EXPECT_OK(SetEvent(event));
}

static int killed_in_a_change(void *unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++) {
        event = CreateEventA(NULL, FALSE, FALSE, name_of("event"));
        partner = partner_start(hold_when_told, KIND_PLAIN);
        expect_ready(&partner);
        on_kind((enum kind)kind, wait_for_event, hold_and_die, NULL);
        EXPECT_OK(CloseHandle(event));
    }
    return 0;
}

CALL_TEST(SharedWaits, go_on_though_a_process_was_killed_in_the_middle_of_a_change,
          EXPECT_IN_CHILD(killed_in_a_change, NULL, LIMIT_MS))

/* ---- A process that is killed between its ring and its change, or behind both ------------------ */

static void set_and_die(void *unused)
{
    (void)unused;
    go_on(&partner);
    EXPECT_EQ(kill(partner.process, SIGKILL), 0);
}

/* Takes the event, or sets it. If the process was killed before its SetEvent or in it, this
 * SetEvent ends the wait. */
static void wait_or_set(void *unused)
{
    DWORD result = WaitForSingleObject(event, 0);

    (void)unused;
    for (int looks = 0; result == WAIT_TIMEOUT && looks < 2; looks++) {
        EXPECT_OK(SetEvent(event));
        result = WaitForSingleObject(event, SOON);
    }
    EXPECT_EQ(result, WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
}

static int killed_while_it_sets(void *unused)
{
    enum { KILLS = 12 };

    (void)unused;
    event = CreateEventA(NULL, FALSE, FALSE, name_of("event"));
    for (int i = 0; i < KILLS; i++) {
        partner = partner_start(run_set_when_told, KIND_PLAIN);
        expect_ready(&partner);
        set_and_die(NULL);
        expect_end(&partner, -SIGKILL);
        wait_or_set(NULL);
    }
    return 0;
}

CALL_TEST(SharedWaits, find_a_signal_whole_or_not_at_all,
          EXPECT_IN_CHILD(killed_while_it_sets, NULL, LIMIT_MS))

/* ---- A process that is killed before it has seen a pulse --------------------------------------- */

static int wait_for_ever(enum kind unused)
{
    HANDLE found = OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("event"));

    (void)unused;
    return WaitForSingleObject(found, INFINITE) != WAIT_OBJECT_0;
}

/* The pulse was for that process alone. Nobody who comes later has it, whether that process goes on
 * or not. */
static int killed_before_its_pulse(void *unused)
{
    HANDLE other = CreateEventA(NULL, FALSE, FALSE, NULL);
    _Atomic uint64_t *words[1];
    int status = 0;

    (void)unused;
    event = CreateEventA(NULL, FALSE, FALSE, name_of("event"));
    EXPECT_EQ(find_words(words, 1), 1);
    partner = partner_start(wait_for_ever, KIND_PLAIN);
    expect_waits(&partner, words[0]);
    EXPECT_EQ(kill(partner.process, SIGSTOP), 0);
    EXPECT_EQ(waitpid(partner.process, &status, WUNTRACED), partner.process);
    EXPECT_OK(WIFSTOPPED(status));
    EXPECT_OK(PulseEvent(event));
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
    EXPECT_EQ(SignalObjectAndWait(other, event, 0, FALSE), WAIT_TIMEOUT);
    kill_partner(&partner);
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
    EXPECT_EQ(SignalObjectAndWait(other, event, 0, FALSE), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(event) && CloseHandle(other));
    return 0;
}

CALL_TEST(SharedWaits, do_not_end_by_a_pulse_for_a_process_that_was_killed,
          EXPECT_IN_CHILD(killed_before_its_pulse, NULL, LIMIT_MS))
