/* SPDX-License-Identifier: MIT
 *
 * shared_pulses.c - PulseEvent of a shared event, and waits for all of several objects with it. Such
 * waits end, if their other objects are signalled.
 *
 * modes: default, UMSSHIM_DETECT=0
 * with: shared_sync.c
 * options: LIMIT 120
 */
#include "fleet.h"
#include "shared_sync.h"

enum { SHORT_MS = 50 };

static HANDLE both[2];
static HANDLE begins;
static DWORD expected;

/* A pulse before the wait has its place is for nobody: others follow until it is over. */
static void wait_for_all(void *unused)
{
    (void)unused;
    EXPECT_OK(SetEvent(begins));
    EXPECT_EQ(WaitForMultipleObjects(2, both, TRUE, expected == WAIT_OBJECT_0 ? SOON : SHORT_MS),
              expected);
}

static DWORD WINAPI waiter(void *kind)
{
    struct kind_thread thread;

    EXPECT_OK(kind_start(&thread, *(enum kind *)kind, wait_for_all, NULL) && kind_join(&thread));
    return 0;
}

static void pulse_until_over(enum kind kind)
{
    HANDLE thread = CreateThread(NULL, 0, waiter, &kind, 0, NULL);

    EXPECT_EQ(WaitForSingleObject(begins, SOON), WAIT_OBJECT_0);
    do
        EXPECT_OK(PulseEvent(both[0]));
    while (WaitForSingleObject(thread, 1) == WAIT_TIMEOUT && !tc_failures());
    EXPECT_EQ(WaitForSingleObject(both[0], 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(thread));
}

static int pulses(void *manual)
{
    begins = CreateEventA(NULL, FALSE, FALSE, NULL);
    both[0] = CreateEventA(NULL, manual != NULL, FALSE, name_of("pulsed"));
    both[1] = CreateEventA(NULL, TRUE, FALSE, name_of("other"));
    for (int kind = 0; kind < KINDS; kind++) {
        expected = WAIT_TIMEOUT; /* the other is not signalled */
        pulse_until_over((enum kind)kind);
        EXPECT_OK(SetEvent(both[1]));
        expected = WAIT_OBJECT_0;
        pulse_until_over((enum kind)kind);
        EXPECT_OK(ResetEvent(both[1]));
    }
    return 0;
}

CALL_TEST(SharedPulses, of_a_manual_event_let_go_of_a_wait_for_all,
          EXPECT_IN_CHILD(pulses, "", LIMIT_MS))

CALL_TEST(SharedPulses, of_an_auto_event_let_go_of_a_wait_for_all,
          EXPECT_IN_CHILD(pulses, NULL, LIMIT_MS))

/* ---- From another process -------------------------------------------------------------------- */

static bool manual;

/* With an object of the process's own, and with one that is shared, too. */
static void wait_for_what_another_pulses(void *unused)
{
    HANDLE own = CreateEventA(NULL, TRUE, TRUE, NULL);
    HANDLE all[] = {OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("pulsed")), own,
                    OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("other"))};

    (void)unused;
    EXPECT_EQ(WaitForMultipleObjects(3, all, TRUE, SOON), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(all[0], 0), WAIT_TIMEOUT);
    for (int i = 0; i < 3; i++)
        EXPECT_OK(CloseHandle(all[i]));
}

static int run_wait_for_all(enum kind kind)
{
    return run_on_kind(kind, wait_for_what_another_pulses);
}

enum change { PULSE, SET_AND_RESET, CHANGES };

static void change_once(enum kind kind, enum change change)
{
    HANDLE pulsed = CreateEventA(NULL, manual, FALSE, name_of("pulsed"));
    _Atomic uint64_t *words[1];

    EXPECT_EQ(find_words(words, 1), 1);
    HANDLE other = CreateEventA(NULL, TRUE, TRUE, name_of("other"));
    struct partner partner = partner_start(run_wait_for_all, kind);
    expect_waits(&partner, words[0]);
    if (change == PULSE)
        EXPECT_OK(PulseEvent(pulsed));
    else
        EXPECT_OK(SetEvent(pulsed) && ResetEvent(pulsed));
    expect_end(&partner, 0);
    EXPECT_EQ(WaitForSingleObject(pulsed, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(pulsed) && CloseHandle(other));
}

static int change_for_another(void *arg)
{
    enum kind kind = *(enum kind *)arg;

    for (enum change change = PULSE; change < CHANGES; change++)
        change_once(kind, change);
    return 0;
}

static int pulse_for_another(void *arg)
{
    change_once(*(enum kind *)arg, PULSE);
    return 0;
}

TEST(SharedPulses, of_another_process_let_go_of_a_wait_for_all)
{
    for (int kind = 0; kind < KINDS; kind++) {
        enum kind arg = (enum kind)kind;

        manual = true;
        EXPECT_IN_CHILD(change_for_another, &arg, LIMIT_MS);
        manual = false;
        EXPECT_IN_CHILD(pulse_for_another, &arg, LIMIT_MS);
    }
}

/* ---- Too early ------------------------------------------------------------------------------- */

static DWORD WINAPI waits_for_all(void *handles)
{
    EXPECT_EQ(WaitForMultipleObjects(2, handles, TRUE, INFINITE), WAIT_OBJECT_0);
    return 0;
}

/* It says when this process has looked at all that it was rung for before. */
static DWORD WINAPI waits_for_marker(void *marker)
{
    EXPECT_EQ(WaitForSingleObject(marker, INFINITE), WAIT_OBJECT_0);
    partner_ready();
    return 0;
}

static int miss_the_first(enum kind unused)
{
    HANDLE handles[] = {OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("pulsed")),
                        OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("other"))};
    HANDLE marker = OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("marker"));
    HANDLE thread = CreateThread(NULL, 0, waits_for_all, handles, 0, NULL);

    (void)unused;
    EXPECT_OK(CloseHandle(CreateThread(NULL, 0, waits_for_marker, marker, 0, NULL)));
    partner_await();
    EXPECT_EQ(WaitForSingleObject(thread, SHORT_MS), WAIT_TIMEOUT);
    partner_ready();
    EXPECT_EQ(WaitForSingleObject(thread, SOON), WAIT_OBJECT_0);
    return tc_failures() != 0;
}

/* When the other event is set the first pulse is over. */
static int pulse_twice(void *other_first)
{
    HANDLE other = other_first ? CreateEventA(NULL, TRUE, FALSE, name_of("other")) : NULL;
    HANDLE pulsed = CreateEventA(NULL, TRUE, FALSE, name_of("pulsed"));
    if (!other_first)
        other = CreateEventA(NULL, TRUE, FALSE, name_of("other"));
    HANDLE marker = CreateEventA(NULL, FALSE, FALSE, name_of("marker"));
    _Atomic uint64_t *words[3];

    EXPECT_EQ(find_words(words, 3), 3);
    struct partner partner = partner_start(miss_the_first, KIND_PLAIN);
    for (int i = 0; i < 3; i++)
        expect_waits(&partner, words[i]);
    EXPECT_OK(PulseEvent(pulsed));
    EXPECT_OK(SetEvent(marker));
    expect_ready(&partner);
    EXPECT_OK(SetEvent(other));
    go_on(&partner);
    expect_ready(&partner);
    EXPECT_OK(PulseEvent(pulsed));
    expect_end(&partner, 0);
    return 0;
}

CALL_TEST(SharedPulses, of_another_process_are_over_once_it_has_looked,
          EXPECT_IN_CHILD(pulse_twice, NULL, LIMIT_MS);
          EXPECT_IN_CHILD(pulse_twice, "", LIMIT_MS))

/* ---- Just in time ---------------------------------------------------------------------------- */

static int wait_for_both(enum kind unused)
{
    HANDLE handles[] = {OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("pulsed")),
                        OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("other"))};

    (void)unused;
    EXPECT_EQ(WaitForMultipleObjects(2, handles, TRUE, SOON), WAIT_OBJECT_0);
    return tc_failures() != 0;
}

/* Both events ring at the waiter's process, whichever it found not signalled first. */
static int set_then_pulse(void *manual_reset)
{
    enum { ROUNDS = 20 };

    for (int round = 0; round < ROUNDS && !tc_failures(); round++) {
        bool other_first = round % 2 != 0;
        HANDLE other = other_first ? CreateEventA(NULL, TRUE, FALSE, name_of("other")) : NULL;
        HANDLE pulsed = CreateEventA(NULL, manual_reset != NULL, FALSE, name_of("pulsed"));
        if (!other_first)
            other = CreateEventA(NULL, TRUE, FALSE, name_of("other"));
        _Atomic uint64_t *words[2];
        EXPECT_EQ(find_words(words, 2), 2);
        struct partner partner = partner_start(wait_for_both, KIND_PLAIN);
        expect_waits(&partner, words[0]);
        expect_waits(&partner, words[1]);
        EXPECT_OK(SetEvent(other));
        EXPECT_OK(PulseEvent(pulsed));
        expect_end(&partner, 0);
        EXPECT_OK(CloseHandle(pulsed) && CloseHandle(other));
    }
    return 0;
}

TEST(SharedPulses, of_another_process_right_behind_a_signal_let_go_of_a_wait_for_all)
{
    EXPECT_IN_CHILD(set_then_pulse, "", LIMIT_MS);
    EXPECT_IN_CHILD(set_then_pulse, NULL, LIMIT_MS);
}
