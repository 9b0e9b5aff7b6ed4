/* SPDX-License-Identifier: MIT
 *
 * arrival_rule.c - on which list a worker arrives that was executed before.
 *
 * The page of ExecuteUmsThread says: on the list named at its creation. Programs of the time relied on
 * something else: on the list of the scheduler that executed it last. The kit takes either, as long as
 * it is the same whenever a worker arrives, and BL-4 says which it is. --strict: it must be the second,
 * or the first if UMSSHIM_STRICT=1 is set.
 */
#include "host.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>

/* Which of two lists the worker is on, in the end; and on no other, and not twice. */
static enum rule find(PUMS_CONTEXT context, PUMS_COMPLETION_LIST last,
                      PUMS_COMPLETION_LIST creation)
{
    ULONGLONG deadline = GetTickCount64() + patience_ms();

    do {
        PUMS_CONTEXT first = NULL;

        dequeued(last, 0, &first);
        if (first) {
            EXPECT_EQ(first, context);
            EXPECT(is_empty(creation, 0));
            return LAST_SCHEDULER;
        }
        dequeued(creation, 1, &first);
        if (first) {
            EXPECT_EQ(first, context);
            EXPECT(is_empty(last, 0));
            return CREATION;
        }
    } while (GetTickCount64() < deadline);
    FAIL("it arrived neither on its last scheduler's list nor on that of its creation");
    return NO_RULE;
}

/* A worker unblocks: the most frequent reason to arrive, and what all others are compared with. */
static enum rule find_out(void)
{
    PUMS_COMPLETION_LIST last = make_list(), creation = make_list();
    HANDLE event = make_event(false);
    static struct stage stage;
    struct worker worker;
    enum rule found = NO_RULE;

    stage = (struct stage){.list = last, .blind = true};
    if (make_arrived(&worker, creation, routine_wait, event)) {
        stage_ready(&stage, worker.context);
        EXPECT_OK(stage_run(&stage));
        EXPECT_OK(SetEvent(event));
        found = find(worker.context, last, creation);
        stage = (struct stage){.list = last, .other = creation, .ends = 1};
        stage_ready(&stage, worker.context);
        EXPECT_OK(stage_run(&stage));
        drop_worker(&worker);
    }
    EXPECT_OK(CloseHandle(event));
    drop_list(last);
    drop_list(creation);
    return found;
}

enum rule arrival_rule(void)
{
    static enum rule rule;

    if (rule == NO_RULE)
        rule = find_out();
    return rule;
}

/* Read once: a scheduler that is suspended in getenv holds the C library's lock of the environment (Wine 10). */
static bool by_creation;

__attribute__((constructor)) static void read_environment(void)
{
    const char *strict = getenv("UMSSHIM_STRICT");

    by_creation = strict && !strcmp(strict, "1");
}

enum rule expected_rule(void)
{
    if (!kit_strict() || host_is_oracle())
        return NO_RULE;
    return by_creation ? CREATION : LAST_SCHEDULER;
}

PUMS_COMPLETION_LIST by_rule(PUMS_COMPLETION_LIST last, PUMS_COMPLETION_LIST creation)
{
    return arrival_rule() == CREATION ? creation : last;
}

bool arrives(PUMS_CONTEXT context, PUMS_COMPLETION_LIST last, PUMS_COMPLETION_LIST creation)
{
    enum rule rule = arrival_rule();

    return EXPECT_EQ(find(context, last, creation), rule);
}
