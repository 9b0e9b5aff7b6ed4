/* SPDX-License-Identifier: MIT
 *
 * A completion list and its event (umsshim/list.c, platform/linux/dispatch/event.c): all that
 * another processor may do lies between a push and the setting of the event.
 */
#include "platform/linux/dispatch/event.c"
#include "platform/linux/dispatch/object.c"
#include "platform/linux/dispatch/object_signal.c"
#include "platform/linux/dispatch/object_store.c"
#include "umsshim/storage.c"

static void meanwhile_then_set(struct plat_event *event, uint64_t life);
#define plat_event_set meanwhile_then_set
#include "umsshim/list.c"
#undef plat_event_set

#include "doubles.h"
#include "gtest_c.h"

_Alignas(64) PLAT_LOCK(ALL) all_lock;
struct trace_state trace_state;

void trace_record(struct plat_context *scheduler, enum trace_kind kind,
                  const struct plat_context *who, uint64_t value, uint32_t extra, uint32_t more)
{
    FAIL("nothing is traced here");
}

void object_release_waiters(struct object *object, struct wait **chain)
{
    FAIL("nobody waits here");
}

void waits_open(struct wait *chain)
{
    FAIL("nobody waits here");
}

_Atomic bool proxies_apart;
struct dispatch_hooks dispatch_hooks;

int proxy_act(struct object *object, int action, int32_t count, struct wait **chain)
{
    (void)object, (void)action, (void)count, (void)chain;
    FAIL("nothing here is shared");
    return 6;
}

void proxy_abandon(struct object *object, struct wait **chain)
{
    (void)object, (void)chain;
    FAIL("nothing here is shared");
}

int32_t proxy_count_before(const struct object *object)
{
    (void)object;
    FAIL("nothing here is shared");
    return 0;
}

static void (*meanwhile)(void);
static int sets;

static void meanwhile_then_set(struct plat_event *event, uint64_t life)
{
    sets++;
    if (meanwhile)
        meanwhile();
    plat_event_set(event, life);
}

static struct ums_list *make_list(void)
{
    struct ums_list *list = ums__arena_alloc(&ums__lists);

    EXPECT_EQ(plat_event_create(&list->event, &list->event_life), 0);
    atomic_store(&list->refs, 1);
    atomic_store(&list->live, 1);
    return list;
}

static int signal_of(const struct ums_list *list)
{
    return ((struct object *)list->event)->signal;
}

static struct ums_list *list, *next_list;
static struct ums_context *worker;

static void start(void (*what)(void))
{
    meanwhile = what;
    sets = 0;
    next_list = NULL;
    list = make_list();
    worker = ums__arena_alloc(&ums__contexts);
    atomic_store(&worker->state, UMS_QUEUED);
}

/* The application takes the worker and deletes the list. */
static void list_goes(void)
{
    struct ums_context *chain = atomic_exchange(&list->head, NULL);

    EXPECT_EQ(chain, worker);
    EXPECT_EQ(ums__list_release(chain), worker);
    atomic_store(&list->live, 0);
    ums__list_drop(list);
    ums__lists_sweep();
}

static void list_goes_and_another_comes(void)
{
    struct plat_event *event = list->event;

    list_goes();
    next_list = make_list();
    ASSERT_EQ(next_list->event, event); /* what went free last */
}

TEST(ListEvent, is_set_by_the_push_that_finds_the_list_empty)
{
    struct ums_context *second = ums__arena_alloc(&ums__contexts);

    start(NULL);
    atomic_store(&second->state, UMS_QUEUED);
    EXPECT_EQ(signal_of(list), 0);
    ums__list_push(list, worker);
    EXPECT_EQ(signal_of(list), 1);
    ums__list_push(list, second);
    EXPECT_EQ(sets, 1);
}

TEST(ListEvent, of_a_list_that_is_gone_is_not_set)
{
    start(list_goes);
    ums__list_push(list, worker);
    EXPECT_EQ(sets, 1);
    EXPECT_EQ(signal_of(make_list()), 0);
}

TEST(ListEvent, is_not_set_for_the_list_that_has_it_now)
{
    start(list_goes_and_another_comes);
    ums__list_push(list, worker);
    EXPECT_EQ(sets, 1);
    ASSERT_NE(next_list, NULL);
    EXPECT_EQ(signal_of(next_list), 0);
    meanwhile = NULL;
    atomic_store(&worker->state, UMS_QUEUED);
    ums__list_push(next_list, worker);
    EXPECT_EQ(signal_of(next_list), 1);
}
