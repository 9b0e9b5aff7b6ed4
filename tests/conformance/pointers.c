/* SPDX-License-Identifier: MIT
 *
 * pointers.c - what leads to no context, or to no list any more. Windows itself follows such a pointer.
 */
#include "rig.h"

/* Zeroes, and what an object of the other kind, or a deleted one, leaves. */
enum { POINTERS = 4 };
static _Alignas(64) char zeroes[512];

static void no_contexts(PUMS_CONTEXT pointers[POINTERS], PUMS_COMPLETION_LIST list)
{
    PUMS_CONTEXT deleted = make_context();

    EXPECT_OK(DeleteUmsThreadContext(deleted));
    pointers[0] = zeroes;
    pointers[1] = (PUMS_CONTEXT)(ULONG_PTR)8;
    pointers[2] = list;
    pointers[3] = deleted;
}

static void no_lists(PUMS_COMPLETION_LIST pointers[POINTERS], PUMS_CONTEXT context)
{
    PUMS_COMPLETION_LIST deleted = make_list();

    EXPECT_OK(DeleteUmsCompletionList(deleted));
    pointers[0] = zeroes;
    pointers[1] = (PUMS_COMPLETION_LIST)(ULONG_PTR)8;
    pointers[2] = context;
    pointers[3] = deleted;
}

static PUMS_CONTEXT targets[POINTERS];

static void execute_each(struct stage *inside, const struct entry *entry)
{
    (void)inside;
    if (entry->reason != UmsSchedulerStartup)
        return;
    for (int i = 0; i < POINTERS; i++)
        EXPECT_FAILS(ExecuteUmsThread(targets[i]), ERROR_INVALID_PARAMETER);
}

CLAUSE_FAULTS(EX, 17, UNS, "W:executeumsthread", "Garbage, a list, or a deleted context: 0 and 87")
{
    static struct stage stage;
    struct worker worker;
    PUMS_COMPLETION_LIST list = make_list();

    stage = (struct stage){.hook = execute_each};
    no_contexts(targets, list);
    REQUIRE(stage_solo(&stage, &worker, routine_return, NULL)); /* and goes on with a good one */
    EXPECT_EQ(stage.entries, 2);
    drop_worker(&worker);
    drop_list(stage.list);
    drop_list(list);
}

CLAUSE_FAULTS(QI, 12, UNS, "W:queryumsthreadinformation",
              "Of garbage, a list, or a deleted context nothing is read or set: 0 and 87")
{
    PUMS_COMPLETION_LIST list = make_list();
    PUMS_CONTEXT pointers[POINTERS];
    PVOID value = &value;

    no_contexts(pointers, list);
    for (int i = 0; i < POINTERS; i++) {
        EXPECT_FAILS(QueryUmsThreadInformation(pointers[i], UmsThreadUserContext, &value, 8, NULL),
                     ERROR_INVALID_PARAMETER);
        EXPECT_EQ(value, &value);
        EXPECT_FAILS(SetUmsThreadInformation(pointers[i], UmsThreadUserContext, &value, 8),
                     ERROR_INVALID_PARAMETER);
    }
    drop_list(list);
}

CLAUSE_FAULTS(NX, 6, UNS, "W:getnextumslistitem",
              "Garbage, a list, or a deleted context: NULL and 87")
{
    PUMS_COMPLETION_LIST list = make_list();
    PUMS_CONTEXT pointers[POINTERS];

    no_contexts(pointers, list);
    for (int i = 0; i < POINTERS; i++)
        EXPECT_FAILS(GetNextUmsListItem(pointers[i]), ERROR_INVALID_PARAMETER);
    drop_list(list);
}

CLAUSE_FAULTS(DQ, 15, UNS, "W:dequeueumscompletionlistitems",
              "Garbage, a context, or a deleted list: 0 and 87, at once")
{
    PUMS_CONTEXT context = make_context(), chain = NULL;
    PUMS_COMPLETION_LIST pointers[POINTERS];

    no_lists(pointers, context);
    for (int i = 0; i < POINTERS; i++)
        EXPECT_FAILS(DequeueUmsCompletionListItems(pointers[i], INFINITE, &chain),
                     ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsThreadContext(context));
}

CLAUSE_FAULTS(DL, 5, UNS, "W:deleteumscompletionlist",
              "Garbage, a context, or a list that was deleted before: 0 and 87")
{
    PUMS_CONTEXT context = make_context();
    PUMS_COMPLETION_LIST pointers[POINTERS];

    no_lists(pointers, context);
    for (int i = 0; i < POINTERS; i++)
        EXPECT_FAILS(DeleteUmsCompletionList(pointers[i]), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsThreadContext(context));
}

CLAUSE_FAULTS(EV, 9, UNS, "W:getumscompletionlistevent",
              "Garbage, a context, or a deleted list has no event: 0 and 87")
{
    PUMS_CONTEXT context = make_context();
    PUMS_COMPLETION_LIST pointers[POINTERS];
    HANDLE event = &event;

    no_lists(pointers, context);
    for (int i = 0; i < POINTERS; i++)
        EXPECT_FAILS(GetUmsCompletionListEvent(pointers[i], &event), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsThreadContext(context));
}
