/* SPDX-License-Identifier: MIT
 *
 * next_item.c - section 4: GetNextUmsListItem.
 */
#include "rig.h"

#define PAGE "W:getnextumslistitem"

/* Three on a chain. */
static void walk(bool twice)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker workers[3];
    PUMS_CONTEXT context = NULL;
    int count = 0;

    REQUIRE(make_ended(list, workers, 3));
    dequeued(list, 0, &context);
    while (context && count < 4) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);

        if (twice)
            EXPECT_EQ(GetNextUmsListItem(context), NULL);
        EXPECT(context == workers[0].context || context == workers[1].context ||
               context == workers[2].context);
        count++;
        context = next;
    }
    EXPECT_EQ(context, NULL);
    EXPECT_EQ(count, 3);
    drop_workers(list, workers, 3);
}

CLAUSE(NX, 1, DOC, PAGE, "The next context of the chain, NULL after the last")
{
    walk(false);
}

CLAUSE(NX, 2, OBS, PAGE, "A link is gone once it was followed")
{
    walk(true);
}

CLAUSE(NX, 3, OBS, PAGE, "NULL: NULL and 87")
{
    EXPECT_FAILS(GetNextUmsListItem(NULL) != NULL, ERROR_INVALID_PARAMETER);
}

static void end_of_chain(bool on_a_chain)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker worker;
    PUMS_CONTEXT context;

    REQUIRE(make_arrived(&worker, list, routine_return, NULL));
    context = on_a_chain ? worker.context : make_context();
    SetLastError(SENTINEL);
    EXPECT_EQ(GetNextUmsListItem(context), NULL);
    EXPECT_EQ(GetLastError(), SENTINEL);
    if (!on_a_chain)
        EXPECT_OK(DeleteUmsThreadContext(context));
    REQUIRE(drive(list, &worker.context, 1, 1));
    drop_workers(list, &worker, 1);
}

CLAUSE(NX, 4, UNS, PAGE, "The end of the chain leaves the last error alone")
{
    end_of_chain(true);
}

CLAUSE(NX, 5, UNS, PAGE, "A context on no chain: NULL, and the last error is left alone")
{
    end_of_chain(false);
}
