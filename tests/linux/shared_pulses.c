/* SPDX-License-Identifier: MIT
 *
 * shared_pulses.c - PulseEvent of a shared event, and waits for all of several objects with it.
 * Such waits of the process that pulses end, if their other objects are signalled.
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
