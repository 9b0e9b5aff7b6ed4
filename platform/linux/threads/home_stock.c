/* SPDX-License-Identifier: MIT
 *
 * home_stock.c - homes that are ready before their workers are created: one stock for each lane.
 *
 * To make a kernel thread in the middle of a creation takes three switches: to the broker, to the
 * new thread, and back. So a lane whose workers create others keeps some homes in advance; a birth
 * takes one without a system call. The stock has homes that had no worker yet, and homes that are
 * as new after their worker has ended (home_renewal.c). Any other home ends with its worker.
 *
 *   the lane's broker   makes homes, when few are left, between the requests that it serves
 *                       (restock)
 *   a new home          enters: from here on the stock owns it
 *   a birth             takes one: from here on the worker owns it
 *   a scheduler         brings one back, when its worker has ended on it and it is as new
 *   the lane's broker   dismisses homes of the wrong size, and those that an idle lane may not keep
 *
 * The number of homes follows the births. It is 0 until a birth comes soon after another, and
 * doubles each time that the stock runs low while births go on. A second after the last birth an
 * idle lane lets its homes go, except a few in the whole process. A home in stock is a thread of
 * the system's, and counts against the system's limits.
 */
#include "platform/linux/calls/broker.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/home.h"
#include "platform/linux/switch/lane_parts.h"
#include "platform/linux/threads/home_stock.h"
#include "platform/platform.h"

enum {
    FIRST_SPARES = 2,
    KEPT_BY_IDLE = 4, /* in the whole process */
    STRANGERS = 4,    /* births in a row of another size: the stock takes that size */
    SOON = 100000000, /* nanoseconds */
    IDLE_AFTER = 1000000000
};

static _Atomic unsigned all_kept; /* homes that idle lanes keep */
static void *(*_Atomic home_main)(void *);

/* ---- With the stock's lock ------------------------------------------------------------------- */

/* A worker is born with a stack of that size. True: the stock keeps homes of that size. STRANGERS
 * births in a row of another size make the stock change to it. */
static bool fits(struct home_stock *stock, size_t stack_bytes, uint64_t now)
{
    if (stock->stack_bytes == stack_bytes) {
        stock->strangers = 0;
        return true;
    }
    if (stock->stack_bytes && ++stock->strangers < STRANGERS)
        return false;
    stock->stack_bytes = stack_bytes;
    stock->strangers = 0;
    stock->wanted = 0;
    stock->asked_at = now;
    return false;
}

static void push(struct home_stock *stock, struct home *home)
{
    home->next = stock->first;
    stock->first = home;
    stock->count++;
}

static void let_in(struct home_stock *stock)
{
    struct home *home = atomic_exchange_explicit(&stock->arrived, NULL, memory_order_acquire);
    while (home) {
        struct home *next = home->next;
        home->spare->coming = false;
        stock->coming--;
        push(stock, home);
        home = next;
    }
}

static struct home *pop(struct home_stock *stock)
{
    struct home *home = stock->first;
    if (home) {
        stock->first = home->next;
        stock->count--;
    }
    return home;
}

/* Whether so few homes are left that the broker is to make more. The broker makes many at a time,
 * since each refill costs a switch to it and back. */
static bool runs_low(const struct home_stock *stock)
{
    return stock->count + stock->coming < (stock->wanted + 3) / 4;
}

static bool has_room(const struct home_stock *stock, const struct home *home)
{
    unsigned most = stock->kept ? stock->wanted : MOST_SPARE_HOMES;
    return stock->stack_bytes == home->stack_bytes && stock->count + stock->coming < most;
}

static void want_more(struct home_stock *stock)
{
    stock->wanted = stock->wanted ? 2 * stock->wanted : FIRST_SPARES;
    if (stock->wanted > MOST_SPARE_HOMES)
        stock->wanted = MOST_SPARE_HOMES;
}

static struct home *take(struct home_stock *stock, size_t stack_bytes, uint64_t now)
{
    if (!fits(stock, stack_bytes, now))
        return NULL;
    struct home *home =
        stock->first && stock->first->stack_bytes == stack_bytes ? pop(stock) : NULL;
    bool soon = stock->asked_at && now - stock->asked_at < SOON;
    if (soon && (!home || runs_low(stock)) && !stock->coming)
        want_more(stock);
    stock->asked_at = now;
    return home;
}

/* ---- On the lane's broker -------------------------------------------------------------------- */

/* Ends the homes of a chain that is no longer in the stock. */
static void dismiss(struct home *home)
{
    while (home) {
        struct home *next = home->next;
        atomic_store_explicit(&home->word, HOME_DISMISSED, memory_order_release);
        futex_wake(&home->word, 1); /* the home may be gone */
        home = next;
    }
}

/* With the lock: takes out homes of another size, and those beyond the wanted number. */
static struct home *superfluous(struct home_stock *stock)
{
    struct home *away = NULL;
    for (struct home **link = &stock->first; *link;) {
        struct home *home = *link;
        if (home->stack_bytes == stock->stack_bytes && stock->count <= stock->wanted) {
            link = &home->next;
            continue;
        }
        *link = home->next;
        home->next = away;
        away = home;
        stock->count--;
    }
    return away;
}

static unsigned keep(unsigned most)
{
    unsigned all = atomic_load_explicit(&all_kept, memory_order_relaxed), mine;
    do
        mine = KEPT_BY_IDLE - all < most ? KEPT_BY_IDLE - all : most;
    while (!atomic_compare_exchange_weak_explicit(&all_kept, &all, all + mine, memory_order_relaxed,
                                                  memory_order_relaxed));
    return mine;
}

/* With the lock: lets an idle lane keep only a few homes. Returns when to look again. */
static uint64_t judge(struct home_stock *stock, uint64_t now)
{
    uint64_t idle_at = stock->asked_at + IDLE_AFTER;
    if (now < idle_at) {
        atomic_fetch_sub_explicit(&all_kept, stock->kept, memory_order_relaxed);
        stock->kept = 0;
        return stock->wanted ? idle_at : PLAT_FOREVER;
    }
    if (stock->wanted && !stock->kept)
        stock->wanted = stock->kept = keep(stock->count);
    return PLAT_FOREVER;
}

static bool make_one(struct spare_home *spare)
{
    pthread_t thread;
    return program_kthread_create(&thread, spare->stack_bytes, home_main, spare) == 0;
}

/* With the lock: takes an entry for a thread that will be made. There are as many entries as there
 * may be homes. */
static struct spare_home *begin(struct lane *lane)
{
    struct home_stock *stock = &lane->homes;
    struct spare_home *spare = stock->spares;
    while (spare->coming)
        spare++;
    *spare = (struct spare_home){lane, stock->stack_bytes, true};
    stock->coming++;
    return spare;
}

/* One home at a time, so that no request has to wait for more. */
static uint64_t restock(struct lane *lane)
{
    struct home_stock *stock = &lane->homes;
    uint64_t now = plat_now();
    plat_lock(&stock->lock);
    let_in(stock);
    uint64_t again = judge(stock, now);
    if (stock->coming && again > now + SOON)
        again = now + SOON; /* a home that comes does not call the broker, and may be one too
                             * many */
    struct home *away = superfluous(stock);
    bool more = stock->count + stock->coming < stock->wanted;
    struct spare_home *spare = more && !stock->kept ? begin(lane) : NULL;
    plat_unlock(&stock->lock);
    dismiss(away);
    if (!spare)
        return again;
    if (make_one(spare))
        return now;
    plat_lock(&stock->lock); /* the system's limit is reached: a birth that needs a home reports
                              * it */
    spare->coming = false;
    stock->coming--;
    stock->wanted = stock->count;
    plat_unlock(&stock->lock);
    return again;
}

/* ---- On any thread
 * ---------------------------------------------------------------------------- */

struct home *home_stock_take(size_t stack_bytes, void *(*main)(void *))
{
    struct plat_context *self = plat_current(),
                        *scheduler = self->is_scheduler ? self : self->scheduler;
    struct lane *lane = scheduler ? scheduler->lane : NULL;
    if (!lane)
        return NULL;
    struct home_stock *stock = &lane->homes;
    if (!home_main)
        home_main = main;
    plat_lock(&stock->lock);
    let_in(stock);
    struct home *home = take(stock, stack_bytes, plat_now());
    bool call = runs_low(stock) || stock->count > stock->wanted;
    plat_unlock(&stock->lock);
    if (call)
        broker_post_lane(lane, restock);
    return home;
}

/* From the exchange on its thread-local data may be a worker's, so it uses none. */
void home_stock_enter(struct home *home, struct spare_home *spare)
{
    struct home_stock *stock = &spare->lane->homes;
    home->spare = spare;
    struct home *first = atomic_load_explicit(&stock->arrived, memory_order_relaxed);
    do
        home->next = first;
    while (!atomic_compare_exchange_weak_explicit(&stock->arrived, &first, home,
                                                  memory_order_release, memory_order_relaxed));
}

bool home_stock_has_room(struct lane *lane, const struct home *home)
{
    struct home_stock *stock = &lane->homes;
    plat_lock(&stock->lock);
    bool room = has_room(stock, home);
    plat_unlock(&stock->lock);
    return room;
}

void home_dismiss(struct home *home)
{
    home->next = NULL;
    dismiss(home);
}

/* Calls the broker if none were wanted before: the broker looks at the stock again only while homes
 * are wanted. */
void home_stock_return(struct lane *lane, struct home *home)
{
    struct home_stock *stock = &lane->homes;
    plat_lock(&stock->lock);
    bool room = has_room(stock, home), call = false;
    if (room) {
        push(stock, home);
        call = !stock->wanted;
        if (stock->wanted < stock->count)
            stock->wanted = stock->count;
    }
    plat_unlock(&stock->lock);
    if (!room)
        home_dismiss(home);
    if (call)
        broker_post_lane(lane, restock);
}

void home_stock_forget(void)
{
    atomic_store_explicit(&all_kept, 0, memory_order_relaxed);
}
