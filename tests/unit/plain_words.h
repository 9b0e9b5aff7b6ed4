/* SPDX-License-Identifier: MIT
 *
 * plain_words.h - doubles for a unit with proxies: the words of one thread, which nobody else holds
 * meanwhile, and processes that live or do not.
 */
#ifndef UMSSHIM_TESTS_UNIT_PLAIN_WORDS_H
#define UMSSHIM_TESTS_UNIT_PLAIN_WORDS_H

#include "gtest_c.h"
#include "platform/linux/dispatch/proxy_list.h"

static struct word_double {
    uint32_t self;   /* this process; 0: none of them */
    uint32_t living; /* the other one that lives */
    int set, rung_self, disowned;
} word_double;

uint32_t peer_self(void)
{
    return word_double.self;
}

bool peer_alive(uint32_t number)
{
    return number == word_double.self || number == word_double.living;
}

void peer_ring_self(uint64_t which)
{
    (void)which;
    word_double.rung_self++;
}

uint64_t word_hold(struct shared_page *page)
{
    uint64_t word = word_look(page);

    EXPECT_EQ(word_holder(word), 0);
    EXPECT_NE(word_double.self, 0);
    atomic_store(&page->word, word | (uint64_t)word_double.self << 32);
    return word;
}

void waiting_set(struct shared_page *page)
{
    EXPECT_EQ(word_holder(word_look(page)), word_double.self);
    word_double.set++;
    atomic_store(&page->waiting[0], 1);
}

/* Its list is not looked at. */
void mutex_disown(struct mutex *mutex)
{
    EXPECT_OK(mutex->owner != NULL);
    mutex->owner = NULL;
    word_double.disowned++;
}

void object_unref_last(struct object *object)
{
    FAIL("object %p goes", (void *)object);
}

void mutex_take(struct mutex *mutex, struct plat_thread *owner)
{
    mutex->owner = owner;
    mutex->object.signal--;
}

#endif
