/* SPDX-License-Identifier: MIT
 *
 * How waits begin (platform/linux/dispatch/wait_any.c, wait_calls.c, address.c): who looks can be
 * woken by then, and a wait that ends before it has begun takes nothing and is in no line.
 */
#include "platform/linux/dispatch/waiters.c"
#include "platform/linux/dispatch/bucket.c"
#include "platform/linux/dispatch/offer.c"
#include "platform/linux/dispatch/seat.c"
/* Who looks at an object without its lock is looked at. */
bool ready_more(const struct object *object, const struct wait *wait);
#define object_ready_more ready_more
#include "platform/linux/dispatch/ready.c"
#undef object_ready_more
#include "platform/linux/dispatch/address.c"
#include "platform/linux/dispatch/wait_any.c"
#include "platform/linux/dispatch/wait_calls.c"

#include "doubles.h"
#include "gtest_c.h"
#include "no_proxies.h"
#include "plain_objects.h"

#include <string.h>

struct engine_clock engine_clock;
const struct plat_core *engine_core;
struct dispatch_hooks dispatch_hooks;
_Atomic(handle_entry *) handle_pages[HANDLE_PAGES];

enum { OBJECTS = 2 };

static handle_entry entries[HANDLE_PAGE];
static struct mutex rooms[OBJECTS];
static void *handles[OBJECTS];
static struct plat_thread thread;
static bool procedures; /* some have come since the wait was put in line */
static unsigned looks, unarmed_looks, slept;

bool object_ready_more(const struct object *object, const struct wait *wait)
{
    looks++;
    unarmed_looks += !wait->sitter || atomic_load(&wait->sitter->word) & SEAT_CLAIMED;
    return ready_more(object, wait);
}

void limit_forget(struct limited_port *port)
{
    FAIL("no object here is a port (%p)", (void *)port);
}

void store_forget(void (*each)(struct object *))
{
    FAIL("nobody forks (%p)", (void *)&each);
}

struct object *handle_find(void *handle, struct plat_thread *self)
{
    handle_entry *entry = handle_entry_at((uintptr_t)handle / 4);

    return entry ? handle_object_in(entry) : NULL;
}

struct object *handle_lock_other(void *handle, struct plat_thread *self)
{
    return NULL;
}

bool handles_good(void *const *all, unsigned count, bool no_pseudo, struct plat_thread *self)
{
    return true;
}

bool wait_alerted(const struct wait *wait)
{
    return procedures;
}

/* Nobody signals anything: time ends the wait. */
uint32_t wait_unlocked(struct wait *wait, uint64_t deadline, const struct wait_then *then)
{
    slept++;
    if (then->lock)
        plat_unlock_any(then->lock);
    if (wait->any && wait_claim(wait))
        wait_set_result(wait, WAITED_TIMEOUT);
    return WAITED_TIMEOUT;
}

struct plat_thread *thread_make_current(void)
{
    return &thread;
}

bool apcs_run(void)
{
    return false;
}

static void start(enum object_type type)
{
    memset(rooms, 0, sizeof rooms);
    memset(&thread, 0, sizeof thread);
    atomic_store(&handle_pages[0], entries);
    for (unsigned i = 0; i < OBJECTS; i++) {
        rooms[i].object.type = (uint8_t)type;
        rooms[i].object.refs = 1;
        atomic_store(&entries[i + 1], (uintptr_t)&rooms[i]);
        handles[i] = (void *)(uintptr_t)((i + 1) * 4);
    }
    procedures = false;
    looks = unarmed_looks = slept = 0;
}

static void expect_nobody_in_line(void)
{
    for (unsigned i = 0; i < OBJECTS; i++) {
        EXPECT_EQ(rooms[i].object.first, NULL);
        EXPECT_EQ(rooms[i].object.all_waits, 0u);
        EXPECT_EQ(rooms[i].object.refs, 1u);
    }
}

static const struct wait_request for_both = {
    .handles = handles, .count = OBJECTS, .alertable = true, .deadline = PLAT_FOREVER};

/* ---- For any --------------------------------------------------------------------------------- */

static uint32_t wait_for_either(void)
{
    struct wait_block blocks[OBJECTS];
    struct wait wait;

    wait_init(&wait, blocks, &thread);
    return wait_for_any(&for_both, &wait);
}

/* A signal between the look and the word would wake nobody. */
TEST(WaitBegins, a_wait_from_seats_looks_when_it_can_be_decided)
{
    static struct plat_thread other;

    start(OBJECT_MUTEX);
    rooms[0].owner = rooms[1].owner = &other;
    EXPECT_EQ(wait_for_either(), WAITED_TIMEOUT); /* takes the seats */
    EXPECT_EQ(slept, 1);
    looks = unarmed_looks = 0;
    EXPECT_EQ(wait_for_either(), WAITED_TIMEOUT);
    EXPECT_EQ(slept, 2);
    EXPECT_GE(looks, OBJECTS);
    EXPECT_EQ(unarmed_looks, 0);
}

TEST(WaitBegins, a_wait_that_another_has_decided_takes_nothing)
{
    struct wait_block blocks[OBJECTS];
    struct wait wait;

    start(OBJECT_AUTO_EVENT);
    wait_init(&wait, blocks, &thread);
    wait.any = true;
    wait.sitter = sitter_of(&thread);
    ASSERT_NE(wait.sitter, NULL);
    arm(wait.sitter, &wait, number_of(wait.sitter) + SEAT_SET);
    rooms[0].object.signal = 1;
    EXPECT_EQ(wait_claim(&wait), true); /* another object's signal */
    wait_set_result(&wait, 1);
    EXPECT_EQ(satisfied(&wait, &rooms[0].object, 0), false);
    EXPECT_EQ(rooms[0].object.signal, 1);
    EXPECT_EQ(wait.result, 1u);
}

/* ---- Procedures that come as the wait begins --------------------------------------------------- */

TEST(WaitBegins, a_wait_for_all_that_procedures_end_is_in_no_line)
{
    struct wait_block blocks[OBJECTS];
    struct wait wait;

    start(OBJECT_AUTO_EVENT);
    wait_init(&wait, blocks, &thread);
    wait.alertable = true;
    procedures = true;
    EXPECT_EQ(wait_for_all(&for_both, &wait), WAITED_APC);
    EXPECT_EQ(slept, 0);
    expect_nobody_in_line();
    EXPECT_EQ(plat_trylock(&all_lock), true);
    plat_unlock(&all_lock);
}

TEST(WaitBegins, a_wait_for_one_that_procedures_end_is_in_no_line)
{
    struct wait_block block;
    struct wait wait;

    start(OBJECT_AUTO_EVENT);
    wait_init(&wait, &block, &thread);
    wait.alertable = true;
    procedures = true;
    plat_lock(&rooms[0].object.lock);
    EXPECT_EQ(wait_at(&wait, &rooms[0].object, PLAT_FOREVER, NULL), WAITED_APC);
    EXPECT_EQ(slept, 0);
    expect_nobody_in_line();
}

/* ---- At an address --------------------------------------------------------------------------- */

static bool changed(void *word)
{
    return *(int *)word == 0;
}

/* Who changes the word wakes those in line; so it is looked at under the line's lock. */
TEST(WaitBegins, a_word_that_has_changed_is_not_waited_for)
{
    int word = 1;

    start(OBJECT_AUTO_EVENT);
    plat_tls.thread = &thread;
    EXPECT_EQ(address_wait(&word, changed, NULL, &word, PLAT_FOREVER), 0u);
    EXPECT_EQ(slept, 0);
    EXPECT_EQ(bucket_of(&word)->first, NULL);
    EXPECT_EQ(plat_trylock(&bucket_of(&word)->lock), true);
    plat_unlock(&bucket_of(&word)->lock);
    plat_tls.thread = NULL;
}
