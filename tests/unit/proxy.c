/* SPDX-License-Identifier: MIT
 *
 * Proxies (platform/linux/dispatch/proxy.c): what one process takes of a word, and how it lets go of it. A mutex that
 * was closed while it was owned has a second proxy, a twin, whose threads may hold the same word at the same time.
 */
#include "platform/linux/dispatch/proxy.c"

#include "doubles.h"
#include "gtest_c.h"
#include "plain_words.h"

enum { SELF = 5 * PEERS + 1, OTHER = 7 * PEERS + 2 };

static struct shared_page page;
static struct proxy proxy;
static struct object *const object = &proxy.mutex.object;
static struct plat_thread thread;
static struct wait wait = {.thread = &thread};

static void start(enum object_type type, uint64_t word)
{
    word_double = (struct word_double){.self = SELF, .living = OTHER};
    page = (struct shared_page){.word = word};
    proxy = (struct proxy){.mutex.object.type = type, .page = &page};
}

static void expect_word(uint64_t holder, uint64_t rest)
{
    EXPECT_EQ(word_look(&page), holder << 32 | rest);
}

/* ---- A mutex ---- */

TEST(Proxy, mutex_that_its_thread_has_is_offered_without_its_word)
{
    start(OBJECT_SHARED_MUTEX, SELF);
    proxy.mutex.owner = &thread;
    EXPECT_OK(proxy_offers(object, &wait));
    expect_word(0, SELF);
    EXPECT_EQ(proxy_consume(object, &wait), 0);
    expect_word(0, SELF);
}

/* A thread that has another handle's proxy holds the word. */
TEST(Proxy, mutex_that_its_thread_has_is_kept_without_a_twins_word)
{
    start(OBJECT_SHARED_MUTEX, SELF);
    proxy.mutex.owner = &thread;
    EXPECT_OK(proxy_offers(object, &wait));
    page.word |= (uint64_t)SELF << 32;
    proxy_keep(object);
    expect_word(SELF, SELF);
}

TEST(Proxy, mutex_that_is_free_is_held_until_it_is_kept)
{
    start(OBJECT_SHARED_MUTEX, WORD_ABANDONED);
    EXPECT_OK(proxy_offers(object, &wait));
    expect_word(SELF, WORD_ABANDONED);
    proxy_keep(object);
    expect_word(0, WORD_ABANDONED);
}

TEST(Proxy, mutex_is_abandoned_by_the_process_that_died_with_it_alone)
{
    start(OBJECT_SHARED_MUTEX, OTHER);
    EXPECT_OK(!proxy_offers(object, &wait));
    expect_word(0, OTHER);
    EXPECT_EQ(word_double.set, 1);
    EXPECT_EQ(word_double.rung_self, 1); /* the bell is to watch the owner */
    word_double.living = 0;
    EXPECT_OK(proxy_offers(object, &wait));
    EXPECT_EQ(proxy_consume(object, &wait), WAITED_ABANDONED);
    EXPECT_EQ((uintptr_t)proxy.mutex.owner, (uintptr_t)&thread);
    expect_word(0, SELF);
}

/* A bell that rings at itself for each look would never sleep. */
TEST(Proxy, mutex_has_the_bell_rung_once_for_each_owner)
{
    start(OBJECT_SHARED_MUTEX, OTHER);
    EXPECT_OK(!proxy_offers(object, &wait));
    EXPECT_OK(!proxy_offers_waiter(object, &wait, false));
    EXPECT_OK(!proxy_offers(object, &wait));
    EXPECT_EQ(word_double.rung_self, 1);
    page.word = word_double.living = OTHER + 1;
    EXPECT_OK(!proxy_offers_waiter(object, &wait, false));
    EXPECT_OK(!proxy_offers_waiter(object, &wait, false));
    EXPECT_EQ(word_double.rung_self, 2);
    proxy_forget(object);
    EXPECT_OK(!proxy_offers(object, &wait));
    EXPECT_EQ(word_double.rung_self, 3); /* at another bell */
}

/* ---- A pulse ---- */

static struct wait_block earlier; /* of a wait that is on the list */

enum { ONCE = 1 << 1 };

TEST(Proxy, pulse_is_for_those_who_waited)
{
    start(OBJECT_SHARED_AUTO_EVENT, WORD_PULSED | ONCE);
    object->first = &earlier;
    EXPECT_OK(!proxy_offers(object, &wait));
    expect_word(0, WORD_PULSED | ONCE);
    EXPECT_OK(proxy_offers_waiter(object, &wait, proxy_lets_go(object)));
    EXPECT_EQ(proxy_consume(object, &wait), 0);
    expect_word(0, ONCE);
}

/* Those that it was for have looked, or have died. */
TEST(Proxy, pulse_that_nobody_took_is_for_nobody_who_comes)
{
    start(OBJECT_SHARED_AUTO_EVENT, WORD_PULSED | ONCE);
    EXPECT_OK(proxy_may_let_go(object));
    EXPECT_OK(proxy_lets_go(object));
    EXPECT_OK(!proxy_may_let_go(object));
    EXPECT_OK(!proxy_offers_waiter(object, &wait, proxy_lets_go(object)));
    proxy_expect(object);
    EXPECT_OK(!proxy_lets_go(object));
    EXPECT_OK(!proxy_offers(object, &wait));
    expect_word(0, WORD_PULSED | ONCE);
}

TEST(Proxy, pulse_is_for_who_has_begun_to_expect_it)
{
    start(OBJECT_SHARED_AUTO_EVENT, 0);
    proxy_expect(object);
    page.word = WORD_PULSED | ONCE;
    EXPECT_OK(proxy_lets_go(object));
    EXPECT_OK(proxy_offers(object, &wait));
    EXPECT_EQ(proxy_consume(object, &wait), 0);
    expect_word(0, ONCE);
}

/* Another process was making it when this one looked, and told nobody: no thread waited here. */
TEST(Proxy, pulse_that_is_made_as_a_wait_begins_is_not_for_it)
{
    start(OBJECT_SHARED_MANUAL_EVENT, ONCE);
    EXPECT_OK(!proxy_offers(object, &wait));
    EXPECT_OK(!proxy_may_let_go(object));
    EXPECT_OK(!proxy_lets_go(object));
}

TEST(Proxy, pulse_that_is_made_as_a_wait_begins_is_for_those_before_it)
{
    start(OBJECT_SHARED_MANUAL_EVENT, ONCE);
    object->first = &earlier;
    EXPECT_OK(!proxy_offers(object, &wait));
    EXPECT_OK(proxy_lets_go(object));
}

TEST(Proxy, pulse_that_comes_of_its_own_signal_is_for_who_expects_it)
{
    start(OBJECT_SHARED_MANUAL_EVENT, 0);
    proxy_expect(object);
    page.word = ONCE;
    EXPECT_OK(proxy_offers(object, &wait));
    proxy_keep(object);
}

/* The pulse is for who waited; the signal is for anybody. */
TEST(Proxy, pulse_and_signal_are_two)
{
    start(OBJECT_SHARED_AUTO_EVENT, WORD_PULSED | ONCE | WORD_SIGNAL);
    EXPECT_OK(proxy_offers_waiter(object, &wait, proxy_lets_go(object)));
    EXPECT_EQ(proxy_consume(object, &wait), 0);
    expect_word(0, ONCE | WORD_SIGNAL);
    EXPECT_OK(proxy_offers(object, &wait));
    EXPECT_EQ(proxy_consume(object, &wait), 0);
    expect_word(0, ONCE);
}

/* ---- A wait for all ---- */

TEST(Proxy, manual_event_that_was_pulsed_lets_a_wait_for_all_go)
{
    start(OBJECT_SHARED_MANUAL_EVENT, ONCE);
    EXPECT_OK(!proxy_offers_since(object, &wait, 1));
    EXPECT_OK(proxy_offers_since(object, &wait, 0));
    EXPECT_EQ(proxy_consume(object, &wait), 0);
    expect_word(0, ONCE);
}

TEST(Proxy, auto_event_that_was_pulsed_lets_one_wait_for_all_go)
{
    start(OBJECT_SHARED_AUTO_EVENT, WORD_PULSED | ONCE);
    EXPECT_OK(!proxy_offers_since(object, &wait, 1));
    EXPECT_OK(proxy_offers_since(object, &wait, 0));
    EXPECT_EQ(proxy_consume(object, &wait), 0);
    EXPECT_OK(!proxy_offers_since(object, &wait, 0));
    expect_word(0, ONCE);
}

/* ---- In a child after fork ---- */

/* Another thread of the parent's has just taken the object's memory. */
TEST(Proxy, that_was_being_made_is_forgotten_without_its_page)
{
    start(OBJECT_SHARED_MANUAL_EVENT, 0);
    proxy.page = NULL;
    proxy_forget(object);
    EXPECT_EQ(proxy.let_go, 0);
}

/* It may have been half way in mutex_take: its list of mutexes is not touched. */
TEST(Proxy, of_another_threads_mutex_has_no_owner)
{
    start(OBJECT_SHARED_MUTEX, OTHER);
    proxy.mutex.owner = &thread;
    object->signal = -1;
    proxy_forget(object);
    EXPECT_EQ(word_double.disowned, 0);
    EXPECT_EQ((uintptr_t)proxy.mutex.owner, 0);
    EXPECT_EQ(object->signal, 0);
}

TEST(Proxy, of_the_forking_threads_mutex_leaves_its_list)
{
    start(OBJECT_SHARED_MUTEX, OTHER);
    proxy.mutex.owner = plat_tls.thread = &thread;
    proxy_forget(object);
    plat_tls.thread = NULL;
    EXPECT_EQ(word_double.disowned, 1);
    EXPECT_EQ((uintptr_t)proxy.mutex.owner, 0);
}

/* ---- Others ---- */

TEST(Proxy, what_is_expected_no_more_is_not_for_the_next_who_waits)
{
    start(OBJECT_SHARED_MANUAL_EVENT, 0);
    proxy_expect(object);
    proxy_expect_no_more(object);
    page.word = 1 << 1; /* set and reset */
    EXPECT_OK(proxy_lets_go(object));
    EXPECT_OK(!proxy_offers(object, &wait));
    expect_word(0, 1 << 1);
}

TEST(Proxy, semaphore_gives_one)
{
    start(OBJECT_SHARED_SEMAPHORE, 2);
    EXPECT_OK(proxy_offers(object, &wait));
    EXPECT_EQ(proxy_consume(object, &wait), 0);
    expect_word(0, 1);
    EXPECT_OK(proxy_offers(object, &wait));
    proxy_keep(object);
    expect_word(0, 1);
}

TEST(Proxy, offers_nothing_to_a_process_that_is_none_of_them)
{
    start(OBJECT_SHARED_SEMAPHORE, 2);
    word_double.self = 0;
    EXPECT_OK(!proxy_offers(object, &wait));
    proxy_expect(object);
    EXPECT_OK(!proxy_lets_go(object));
    expect_word(0, 2);
}
