/* SPDX-License-Identifier: MIT
 *
 * random_stops.c - workers are suspended, resumed, ended and created at random while they run, yield
 * and wait. Checked: each ends once and arrives once, or was held; suspend counts add up; none runs
 * while it reads suspended.
 *
 * No worker uses the heap or a stream: a worker that is suspended there keeps others from it, as on Windows.
 */
#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"
#include "native.h"
#include "tally.h"

#include <stdlib.h>

enum { RIGS = 2, START = 20, OPERATIONS = 600 };

struct subject {
    struct loose_worker *worker;
    unsigned seed;
    int progress;
    DWORD suspended; /* how often we did */
    bool ended;      /* we ended it */
    bool born;       /* it was not suspended for once */
};

static struct loose rigs[RIGS];
static struct subject subjects[RIGS * LOOSE_WORKERS];
static int subject_count;
static HANDLE events[4];
static int leave;

static unsigned draw(unsigned *state, unsigned limit)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 12) % limit;
}

static DWORD WINAPI live(LPVOID param)
{
    struct subject *self = param;
    unsigned state = self->seed;

    while (!flag_get(&leave)) {
        flag_add(&self->progress, 1);
        switch (draw(&state, 6)) {
        case 0:
            UmsThreadYield(NULL);
            break;
        case 1:
            Sleep(draw(&state, 2));
            break;
        case 2:
            WaitForSingleObject(events[draw(&state, 4)], draw(&state, 3));
            break;
        case 3:
            SetEvent(events[draw(&state, 4)]);
            break;
        case 4:
            WaitForMultipleObjects(4, events, draw(&state, 2) != 0, draw(&state, 2));
            break;
        default:
            for (unsigned i = draw(&state, 20000); i > 0 && !flag_get(&leave); i--)
                flag_add(&self->progress, 1);
        }
    }
    return 0;
}

static void create(unsigned *state)
{
    struct loose *rig = &rigs[draw(state, RIGS)];
    struct subject *subject = &subjects[subject_count];

    if (rig->count == LOOSE_WORKERS)
        return;
    *subject = (struct subject){.seed = draw(state, 1 << 20)};
    subject->suspended = draw(state, 4) == 0;
    subject->born = !subject->suspended;
    subject->worker = loose_add(rig, live, subject, subject->suspended ? CREATE_SUSPENDED : 0);
    if (subject->worker) {
        subject_count++;
        tally_add(TALLY_CREATIONS, 2); /* a context and a thread */
    }
}

static void check_still(struct subject *subject)
{
    int before;

    if (!is_suspended(subject->worker->bare.context))
        return; /* not yet */
    before = flag_get(&subject->progress);
    for (int i = 0; i < 100; i++)
        YieldProcessor();
    SwitchToThread();
    EXPECT_THAT(flag_get(&subject->progress) == before, "a suspended worker runs");
    tally_add(TALLY_QUERIES, 1);
}

static void end(struct subject *subject)
{
    subject->worker->unborn = !subject->born;
    EXPECT_OK(TerminateThread(subject->worker->bare.thread, 9));
    subject->ended = true;
    tally_add(TALLY_ENDS, 1);
}

static void operate(unsigned *state)
{
    struct subject *subject = &subjects[draw(state, (unsigned)subject_count)];
    HANDLE thread = subject->worker->bare.thread;

    if (subject->ended) {
        SuspendThread(thread); /* too late or not: it does no harm */
        ResumeThread(thread);
        return;
    }
    switch (draw(state, 8)) {
    case 0:
    case 1:
    case 2:
        EXPECT_EQ(SuspendThread(thread), subject->suspended);
        tally_add(TALLY_STOPS, 1);
        subject->suspended++;
        break;
    case 3:
    case 4:
    case 5:
        EXPECT_EQ(ResumeThread(thread), subject->suspended);
        tally_add(TALLY_STOPS, 1);
        subject->suspended -= subject->suspended > 0;
        subject->born = subject->born || subject->suspended == 0;
        break;
    case 6:
        if (draw(state, 4) == 0)
            end(subject);
        else
            create(state);
        break;
    default:
        if (subject->suspended)
            check_still(subject);
    }
}

static bool comes_to_rest(const struct subject *subject)
{
    ULONGLONG deadline = GetTickCount64() + 5000;

    while (!is_suspended(subject->worker->bare.context)) {
        if (GetTickCount64() > deadline)
            return false;
        SwitchToThread();
    }
    return true;
}

static void one_round(unsigned *state, int rigs_used)
{
    subject_count = 0;
    flag_set(&leave, 0);
    for (int i = 0; i < RIGS; i++)
        rigs[i] = (struct loose){0};
    for (int i = 0; i < rigs_used; i++)
        ASSERT_OK(loose_start(&rigs[i], NULL));
    for (int i = rigs_used; i < RIGS; i++)
        rigs[i].count = LOOSE_WORKERS; /* create() leaves it out */
    while (subject_count < START)
        create(state);
    for (int i = 0; i < OPERATIONS && !tc_failures(); i++) {
        operate(state);
        if (i % 32 == 0)
            Sleep(1);
    }
    /* One that was suspended just now may still run, and would end when it is told to leave. */
    for (int i = 0; i < subject_count; i++)
        if (!subjects[i].ended && subjects[i].suspended > 0)
            EXPECT_THAT(comes_to_rest(&subjects[i]), "a worker was not suspended within 5 s");
    flag_set(&leave, 1); /* some end by themselves while they are ended */
    for (int i = 0; i < subject_count; i += 3)
        if (!subjects[i].ended)
            end(&subjects[i]);
    for (int i = 0; i < subject_count; i++) {
        struct subject *subject = &subjects[i];

        for (; !subject->ended && subject->suspended > 0; subject->suspended--) {
            EXPECT_EQ(ResumeThread(subject->worker->bare.thread), subject->suspended);
            tally_add(TALLY_STOPS, 1);
        }
    }
    for (int i = 0; i < rigs_used; i++) {
        ASSERT_OK(loose_finish(&rigs[i]));
        EXPECT_OK(DeleteUmsCompletionList(rigs[i].list));
    }
}

static void run(int rigs_used)
{
    const char *text = getenv("UMSSHIM_STRESS_SECONDS");
    ULONGLONG deadline = GetTickCount64() + (text ? (ULONGLONG)atoi(text) * 1000 : 2500);
    unsigned state = tc_seed();
    int rounds = 0;

    for (int i = 0; i < 4; i++)
        events[i] = CreateEventA(NULL, FALSE, FALSE, NULL);
    do {
        one_round(&state, rigs_used);
        rounds++;
    } while (!tc_failures() && GetTickCount64() < deadline);
    tc_note("%d rounds", rounds);
    tally_say();
    for (int i = 0; i < 4; i++)
        EXPECT_OK(CloseHandle(events[i]));
}

TEST(RandomStops, one_scheduler)
{
    run(1);
}

TEST(RandomStops, two_schedulers)
{
    run(2);
}
