/* SPDX-License-Identifier: MIT
 *
 * completion_list.c - many completion lists. The kit has the clauses CL-* and DL-*.
 *
 * modes: ums
 */
#include <windows.h>

#include "gtest_c.h"

TEST(CompletionList, ten_thousand_lists)
{
    enum { LISTS = 10000 };
    static PUMS_COMPLETION_LIST lists[LISTS];

    for (int i = 0; i < LISTS; i++)
        ASSERT_OK(CreateUmsCompletionList(&lists[i]));
    for (int i = 0; i < LISTS; i++)
        ASSERT_OK(DeleteUmsCompletionList(lists[i]));
}
