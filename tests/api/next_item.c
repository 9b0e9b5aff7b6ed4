/* SPDX-License-Identifier: MIT
 *
 * next_item.c - GetNextUmsListItem (NX-*).
 */
#include <windows.h>

#include "bare.h"
#include "gtest_c.h"

#include <stdlib.h>

enum { WORKERS = 2 };

/* A chain of two: the second arrival is known by the number of items, the order is not asserted. */
static bool chain_of_two(PUMS_COMPLETION_LIST list, struct bare *workers, PUMS_CONTEXT *first)
{
    HANDLE event = NULL;
    bool ok = TC_OK(GetUmsCompletionListEvent(list, &event));

    for (int i = 0; i < WORKERS; i++)
        ok = ok && bare_create(&workers[i], list, routine_return, NULL, 0);
    ok = ok && TC_CMP(WaitForSingleObject(event, 5000), ==, WAIT_OBJECT_0);
    /* The second one does not signal: time is all there is to wait for. */
    Sleep(100);
    ok = ok && TC_OK(DequeueUmsCompletionListItems(list, 0, first)) && TC_OK(*first != NULL);
    CloseHandle(event);
    return ok;
}

static void finish(PUMS_COMPLETION_LIST list, struct bare *workers)
{
    PUMS_CONTEXT contexts[WORKERS];

    for (int i = 0; i < WORKERS; i++)
        contexts[i] = workers[i].context;
    if (!bare_drive(list, contexts, WORKERS, WORKERS))
        return;
    for (int i = 0; i < WORKERS; i++)
        bare_delete(&workers[i]);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(NextItem, walks_the_chain_and_uses_it_up_NX_1_NX_2)
{
    PUMS_COMPLETION_LIST list = NULL;
    struct bare workers[WORKERS];
    PUMS_CONTEXT first = NULL;
    PUMS_CONTEXT second;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(chain_of_two(list, workers, &first));
    second = GetNextUmsListItem(first);
    if (!second) {
        /* CT-2 lets an arrival be this late. */
        second = bare_arrival(list);
        ASSERT_NE(second, NULL);
    }
    EXPECT_NE(first, second);
    EXPECT_EQ(GetNextUmsListItem(first), NULL); /* NX-2 */
    SetLastError(TC_SENTINEL);
    EXPECT_EQ(GetNextUmsListItem(second), NULL);
    EXPECT_EQ(GetLastError(), TC_SENTINEL); /* NX-4 */
    finish(list, workers);
}

TEST(NextItem, null_NX_3)
{
    EXPECT_FAILS(GetNextUmsListItem(NULL), ERROR_INVALID_PARAMETER);
}

TEST(NextItem, context_outside_any_chain_NX_5)
{
    PUMS_CONTEXT context = NULL;

    ASSERT_OK(CreateUmsThreadContext(&context));
    EXPECT_FAILS(GetNextUmsListItem(context), TC_SENTINEL); /* unchanged */
    EXPECT_OK(DeleteUmsThreadContext(context));
}

TEST(NextItem, what_is_no_context)
{
    char on_stack[256] = {0};
    char *on_heap = calloc(1, 256);

    EXPECT_FAILS(GetNextUmsListItem((void *)1), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetNextUmsListItem(on_stack), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetNextUmsListItem(on_heap), ERROR_INVALID_PARAMETER);
    free(on_heap);
}

TEST(NextItem, of_a_deleted_context)
{
    PUMS_CONTEXT context = NULL;

    ASSERT_OK(CreateUmsThreadContext(&context));
    EXPECT_OK(DeleteUmsThreadContext(context));
    EXPECT_FAILS(GetNextUmsListItem(context), ERROR_INVALID_PARAMETER);
}
