/* SPDX-License-Identifier: MIT
 *
 * program_query.c - what can be asked about a worker of a random program, against the model
 * (program.h).
 */
#include "gtest_c.h"
#include "program_model.h"
#include "tally.h"

bool model_has_thread(const struct subject *worker)
{
    return worker->place > EMPTY && worker->place < GONE && !worker->dying && worker->op != op_end;
}

bool model_query(struct subject *worker)
{
    UMS_SYSTEM_THREAD_INFORMATION info = {.UmsVersion = UMS_VERSION};
    struct subject *user = NULL;
    struct patience patience;
    ULONG length = 0;
    void *teb = NULL;

    if (worker->place == NONE)
        return false;
    EXPECT_OK(QueryUmsThreadInformation(worker->context, UmsThreadUserContext, &user, sizeof user,
                                        &length));
    EXPECT_EQ(length, sizeof user);
    MODEL_CHECK(user == worker, "the user context");
    EXPECT_OK(QueryUmsThreadInformation(worker->context, UmsThreadTeb, &teb, sizeof teb, NULL));
    if (!model_has_thread(worker)) {
        MODEL_CHECK(is_terminated(worker->context) || worker->place == COMING, "it reads alive");
        tally_add(TALLY_QUERIES, 3);
        return true;
    }
    MODEL_CHECK(!is_terminated(worker->context), "it reads terminated");
    MODEL_CHECK(teb != NULL, "no TEB");
    EXPECT_OK(GetUmsSystemThreadInformation(worker->thread, &info));
    EXPECT_EQ(info.ThreadUmsFlags, 2);
    if (!worker->suspended)
        MODEL_CHECK(!is_suspended(worker->context), "it reads suspended");
    patience_begin(&patience, "the suspension of worker", (unsigned)(worker - model.workers));
    while (worker->suspended && !is_suspended(worker->context))
        patience_spend(&patience);
    tally_add(TALLY_QUERIES, 5);
    return true;
}
