/* SPDX-License-Identifier: MIT
 *
 * random_rounds.c - random programs over the whole UMS API at speed: rounds (program_round.h), some
 * at the same time in one process, each against a model of its own. A round has a seed, the first
 * one UMSSHIM_TEST_SEED; a failure names its round's. UMSSHIM_STRESS_ROUNDS=1 walks that round
 * alone.
 */
#include "fleet.h"
#include "gtest_c.h"
#include "program_round.h"
#include "tally.h"

#include <stdlib.h>

enum { AT_ONCE = 4, STEPS = 4000 };

static struct {
    unsigned seed;
    int begun, most; /* rounds; 0: as many as there is time for */
    ULONGLONG deadline;
} walks;

void model_say_program(void)
{
    if (model.round)
        tc_note("the round's seed: UMSSHIM_STRESS_ROUNDS=1 UMSSHIM_TEST_SEED=%u, step %d",
                model.round->seed, model.at);
}

static DWORD WINAPI walk(LPVOID unused)
{
    (void)unused;
    while (!tc_failures()) {
        int number = flag_add(&walks.begun, 1) - 1;

        if (walks.most ? number >= walks.most : GetTickCount64() >= walks.deadline && number > 0)
            break;
        round_walk(walks.seed + (unsigned)number, STEPS);
    }
    return 0;
}

TEST(RandomRounds, against_the_model)
{
    const char *seconds = getenv("UMSSHIM_STRESS_SECONDS"),
               *rounds = getenv("UMSSHIM_STRESS_ROUNDS");
    ULONGLONG start = GetTickCount64(), took;
    HANDLE threads[AT_ONCE];

    walks.seed = tc_seed();
    walks.begun = 0;
    walks.most = rounds ? atoi(rounds) : 0;
    walks.deadline = start + (seconds ? (ULONGLONG)atoi(seconds) * 1000 : 1500);
    actor_answers = CreateEventA(NULL, FALSE, FALSE, NULL);
    for (int i = 0; i < AT_ONCE; i++) {
        threads[i] = CreateThread(NULL, 0, walk, NULL, 0, NULL);
        ASSERT_OK(threads[i] != NULL);
    }
    for (int i = 0; i < AT_ONCE; i++) {
        EXPECT_EQ(WaitForSingleObject(threads[i], INFINITE), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(threads[i]));
    }
    EXPECT_OK(CloseHandle(actor_answers));
    took = GetTickCount64() - start;
    tc_note("%d rounds, %lld operations, %lld in a second", walks.begun - AT_ONCE, tally_sum(),
            tally_sum() * 1000 / (long long)(took ? took : 1));
    EXPECT_GT(tally_sum(), 1000);
    tally_say();
}
