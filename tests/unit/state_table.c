/* SPDX-License-Identifier: MIT
 *
 * The life of a context (umsshim/state.h): every change from every state, held against the picture in
 * the head of that file, which is drawn here once more.
 */
#define UMSSHIM_CHECKS 1
#include "umsshim/state.h"

#include "doubles.h"
#include "gtest_c.h"

/* One letter a state, in the order of the enum. */
static const char letters[] = "FESQRUBPXtTZs";

/* "from to": each way that the picture has, by letters. F free, E empty, S starting, Q queued, R ready,
 * U running, B blocked, P stopped, X exiting, t terminated and queued, T terminated, Z zombie, s scheduler. */
static const char *const ways[] = {
    "FE", "Fs",       /* CreateUmsThreadContext; a thread that becomes a scheduler */
    "ES", "EF",       /* a thread is created for it; DeleteUmsThreadContext */
    "SQ", "SE", "SX", /* its home has parked; it could not be made; it was ended before */
    "QR",             /* DequeueUmsCompletionListItems */
    "RU", "RX",       /* ExecuteUmsThread; TerminateThread */
    "UR", "UB", "UP", "UQ", "UX", /* yield; block; suspend; its scheduler ended; its own end */
    "BQ", "BU", "BX",             /* completed; it need not wait after all; ended */
    "PQ", "PX",                   /* resumed; ended */
    "Xt", "XT",                   /* its home is gone; ended while parked */
    "tT", "tZ",                   /* dequeued; deleted in the list */
    "TF", "TS",                   /* deleted; a new thread */
    "ZF",                         /* dequeued */
    "sF",                         /* the scheduler has left */
};

static int is_way(int from, int to)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i][0] == letters[from] && ways[i][1] == letters[to])
            return 1;
    return 0;
}

/* Whether a context in state `is` is moved by a caller that takes its state for `from`; 0: that is fatal,
 * and changes nothing. */
static int set_from(uint32_t is, uint32_t from, uint32_t to)
{
    static _Atomic uint32_t state; /* outlives the jump */

    state = is;
    double_fatal.armed = 1;
    if (setjmp(double_fatal.jump)) {
        double_fatal.armed = 0;
        EXPECT_EQ(state, is);
        return 0;
    }
    ums__state_set(&state, from, to);
    double_fatal.armed = 0;
    EXPECT_EQ(state, to);
    return 1;
}

static int set(uint32_t from, uint32_t to)
{
    return set_from(from, from, to);
}

TEST(StateTable, has_the_ways_of_the_picture_and_no_other)
{
    int made = 0;

    ASSERT_EQ(sizeof letters - 1, (size_t)UMS_STATES);
    for (int from = 0; from < UMS_STATES; from++) {
        for (int to = 0; to < UMS_STATES; to++) {
            int done = set((uint32_t)from, (uint32_t)to);

            EXPECT_THAT(done == is_way(from, to), "%c to %c: made %d", letters[from], letters[to],
                        done);
            made += done;
        }
    }
    EXPECT_EQ(made, (int)(sizeof ways / sizeof *ways));
}

TEST(StateTable, a_state_that_is_none_goes_nowhere)
{
    static const uint32_t none[] = {UMS_STATES, UMS_STATES + 1, 31, 32, 0x80000000u, UINT32_MAX};

    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        for (uint32_t other = 0; other < UMS_STATES; other++) {
            EXPECT_EQ(set(none[i], other), 0);
            EXPECT_EQ(set(other, none[i]), 0);
        }
    }
}

/* A thread that takes the state for another one than it is does not own the context. */
TEST(StateTable, a_wrong_belief_is_fatal)
{
    for (uint32_t is = 0; is < UMS_STATES; is++) {
        for (uint32_t believed = 0; believed < UMS_STATES; believed++) {
            if (is == believed)
                continue;
            for (uint32_t to = 0; to < UMS_STATES; to++)
                EXPECT_EQ(set_from(is, believed, to), 0);
        }
    }
}

TEST(StateTable, a_claim_has_one_winner_and_a_loser_changes_nothing)
{
    for (uint32_t from = 0; from < UMS_STATES; from++) {
        for (uint32_t to = 0; to < UMS_STATES; to++) {
            if (!is_way((int)from, (int)to))
                continue;
            for (uint32_t is = 0; is < UMS_STATES; is++) {
                _Atomic uint32_t state = is;

                EXPECT_EQ(ums__state_claim(&state, from, to), is == from);
                EXPECT_EQ(state, is == from ? to : is);
                if (is == from && from != to)
                    EXPECT_EQ(ums__state_claim(&state, from, to), 0);
            }
        }
    }
}
