/* SPDX-License-Identifier: MIT
 *
 * Shared events and waits (platform/linux/dispatch/offer.c): which waits a pulse of another process decides when a wait
 * begins or this process looks, and that no reference stays behind.
 */
#include "platform/linux/dispatch/offer.c"
#include "platform/linux/dispatch/bucket.c"
#include "platform/linux/dispatch/proxy.c"
#include "platform/linux/dispatch/ready.c"
#include "platform/linux/dispatch/seat.c"
#include "platform/linux/dispatch/waiters.c"

#include "doubles.h"
#include "gtest_c.h"
#include "plain_words.h"

enum { SELF = 5 * PEERS + 1, ONCE = 1 << 1 };
enum { FIRST, SECOND, PROXIES }; /* in the order of their files */

void object_free(struct object *object)
{
    FAIL("object %p is freed", (void *)object);
}

static struct shared_page pages[PROXIES];
static struct proxy proxies[PROXIES];
static struct object *objects[PROXIES];
static struct plat_thread threads[3];
static struct wait_block blocks[3][PROXIES];
static struct wait waits[3];

static void start(enum object_type type)
{
    word_double = (struct word_double){.self = SELF};
    for (unsigned i = 0; i < PROXIES; i++) {
        pages[i] = (struct shared_page){.word = 0};
        proxies[i] = (struct proxy){
            .mutex.object = {.type = (uint8_t)type, .refs = 1}, .page = &pages[i], .file = i + 1};
        objects[i] = &proxies[i].mutex.object;
    }
    for (unsigned i = 0; i < 3; i++) {
        threads[i] = (struct plat_thread){0};
        wait_init(&waits[i], blocks[i], &threads[i]);
    }
}

/* A thread asks whether the first object is signalled: it begins a wait without time. */
static bool offered(struct wait *wait)
{
    plat_lock(&objects[FIRST]->lock);
    bool is = object_offers(objects[FIRST], wait);
    if (is)
        object_keep(objects[FIRST]);
    plat_unlock_lasting(&objects[FIRST]->lock);
    return is;
}

static void wait_for_both(struct wait *wait)
{
    wait->all = true;
    plat_lock(&all_lock);
    for (unsigned i = 0; i < PROXIES; i++)
        plat_lock(&objects[i]->lock);
    EXPECT_OK(!objects_offer_all(objects, PROXIES, wait));
    for (unsigned i = 0; i < PROXIES; i++)
        wait_enqueue(wait, objects[i]);
    for (unsigned i = 0; i < PROXIES; i++)
        plat_unlock_lasting(&objects[i]->lock);
    plat_unlock_lasting(&all_lock);
}

/* As the bell does. */
static void look(unsigned which)
{
    struct wait *chain = NULL;
    plat_lock(&all_lock);
    plat_lock(&objects[which]->lock);
    object_release_shared(objects[which], &chain);
    plat_unlock_lasting(&objects[which]->lock);
    plat_unlock_lasting(&all_lock);
}

static void pulse(unsigned which)
{
    pages[which].word = word_look(&pages[which]) + ONCE;
}

static void set(unsigned which)
{
    pages[which].word = (word_look(&pages[which]) + ONCE) | WORD_SIGNAL;
}

/* ---- What it keeps ---- */

static void expect_nothing_owed(unsigned refs)
{
    EXPECT_EQ(objects[FIRST]->refs, refs);
    EXPECT_EQ((uintptr_t)proxies[FIRST].owed, 0);
    EXPECT_EQ(word_double.rung_self, 0);
}

/* Another process's own waiter took the pulse. */
TEST(Offer, of_a_pulse_that_another_took_keeps_nothing)
{
    start(OBJECT_SHARED_AUTO_EVENT);
    EXPECT_OK(!offered(&waits[0]));
    wait_enqueue(&waits[0], objects[FIRST]);
    pulse(FIRST);
    EXPECT_OK(!offered(&waits[1]));
    EXPECT_OK(!waits[0].decided);
    expect_nothing_owed(2);
}

TEST(Offer, of_an_event_that_only_waits_for_all_wait_for_keeps_nothing)
{
    start(OBJECT_SHARED_MANUAL_EVENT);
    wait_for_both(&waits[0]);
    pulse(FIRST);
    EXPECT_OK(!offered(&waits[1]));
    expect_nothing_owed(2);
}

TEST(Offer, owes_what_it_decides_to_the_bell_with_one_reference)
{
    start(OBJECT_SHARED_MANUAL_EVENT);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_OK(!offered(&waits[i]));
        wait_enqueue(&waits[i], objects[FIRST]);
        pulse(FIRST);
        EXPECT_OK(!offered(&waits[2]));
        EXPECT_OK(waits[i].decided);
        EXPECT_EQ(objects[FIRST]->refs, 2);
        EXPECT_EQ(word_double.rung_self, (int)i + 1);
    }
    EXPECT_EQ((uintptr_t)proxies[FIRST].owed, (uintptr_t)&waits[1]);
    EXPECT_EQ((uintptr_t)waits[1].to_open, (uintptr_t)&waits[0]);
    EXPECT_EQ((uintptr_t)waits[0].to_open, 0);
}

/* ---- Waits for all ---- */

/* A pulse rings only at processes that wait, and is not there any more when they look for another reason. */
TEST(Offer, to_a_wait_for_all_has_the_process_rung_by_each_event)
{
    start(OBJECT_SHARED_MANUAL_EVENT);
    wait_for_both(&waits[0]);
    EXPECT_EQ(pages[FIRST].waiting[0], 1);
    EXPECT_EQ(pages[SECOND].waiting[0], 1);
}

static void set_then_pulse(unsigned to_set, unsigned to_pulse, unsigned to_look)
{
    start(OBJECT_SHARED_MANUAL_EVENT);
    wait_for_both(&waits[0]);
    set(to_set);
    pulse(to_pulse);
    look(to_look);
    EXPECT_OK(waits[0].decided);
    EXPECT_EQ(waits[0].result, 0);
    EXPECT_EQ(objects[FIRST]->refs, 1);
    EXPECT_EQ(objects[SECOND]->refs, 1);
}

TEST(Offer, to_a_wait_for_all_finds_a_pulse_at_whichever_object_it_looks)
{
    set_then_pulse(FIRST, SECOND, FIRST);
    set_then_pulse(FIRST, SECOND, SECOND);
    set_then_pulse(SECOND, FIRST, FIRST);
    set_then_pulse(SECOND, FIRST, SECOND);
}

static void pulse_then_set(unsigned to_pulse, unsigned to_set, unsigned to_look)
{
    start(OBJECT_SHARED_MANUAL_EVENT);
    wait_for_both(&waits[0]);
    pulse(to_pulse);
    look(to_look);
    set(to_set);
    look(FIRST);
    look(SECOND);
    EXPECT_OK(!waits[0].decided);
    pulse(to_pulse);
    look(to_look);
    EXPECT_OK(waits[0].decided);
}

TEST(Offer, to_a_wait_for_all_of_a_pulse_is_over_once_it_has_looked)
{
    pulse_then_set(FIRST, SECOND, FIRST);
    pulse_then_set(FIRST, SECOND, SECOND);
    pulse_then_set(SECOND, FIRST, FIRST);
    pulse_then_set(SECOND, FIRST, SECOND);
}

TEST(Offer, of_a_pulse_that_was_before_a_wait_for_all_is_not_for_it)
{
    start(OBJECT_SHARED_MANUAL_EVENT);
    pulse(SECOND);
    wait_for_both(&waits[0]);
    set(FIRST);
    look(FIRST);
    look(SECOND);
    EXPECT_OK(!waits[0].decided);
}
