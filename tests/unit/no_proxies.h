/* SPDX-License-Identifier: MIT
 *
 * no_proxies.h - doubles for a unit that has no object of several processes.
 */
#ifndef UMSSHIM_TESTS_UNIT_NO_PROXIES_H
#define UMSSHIM_TESTS_UNIT_NO_PROXIES_H

#include "gtest_c.h"
#include "platform/linux/dispatch/proxy.h"

static bool shared(const struct object *object)
{
    FAIL("object %p is shared", (const void *)object);
    return false;
}

bool proxy_ready(const struct object *object, const struct wait *wait)
{
    (void)wait;
    return shared(object);
}

bool proxy_offers(struct object *object, const struct wait *wait)
{
    (void)wait;
    return shared(object);
}

bool proxy_offers_waiter(struct object *object, const struct wait *wait, bool let_go)
{
    (void)wait, (void)let_go;
    return shared(object);
}

void proxy_keep(struct object *object)
{
    shared(object);
}

uint32_t proxy_consume(struct object *object, const struct wait *wait)
{
    (void)wait;
    return shared(object);
}

uint32_t proxy_times(const struct object *object)
{
    return shared(object);
}

bool proxy_lets_go(struct object *object)
{
    return shared(object);
}

void proxy_owe(struct object *object, struct wait *chain)
{
    (void)chain;
    shared(object);
}

bool proxy_offers_since(struct object *object, const struct wait *wait, uint32_t seen)
{
    (void)wait, (void)seen;
    return shared(object);
}

uint32_t proxy_await(struct object *object)
{
    return shared(object);
}

void proxy_expect(struct object *object)
{
    shared(object);
}

void proxy_expect_no_more(struct object *object)
{
    shared(object);
}

void proxy_forget(struct object *object)
{
    shared(object);
}

#endif
