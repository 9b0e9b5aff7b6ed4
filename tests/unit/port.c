/* SPDX-License-Identifier: MIT
 *
 * Completion ports (platform/linux/dispatch/port.c): a packet that waits for a place gets it when one
 * comes free, and goes to who waited last.
 */
#include "platform/linux/dispatch/waiters.c"
#include "platform/linux/dispatch/bucket.c"
#include "platform/linux/dispatch/offer.c"
#include "platform/linux/dispatch/seat.c"
#include "platform/linux/dispatch/ready.c"
#include "platform/linux/dispatch/port.c"

#include "doubles.h"
#include "gtest_c.h"
#include "no_proxies.h"
#include "plain_objects.h"

#include <string.h>

struct engine_clock engine_clock;
const struct plat_core *engine_core;
struct dispatch_hooks dispatch_hooks;
_Atomic(handle_entry *) handle_pages[HANDLE_PAGES];

static struct port port;
static struct plat_thread threads[2];
static struct packet_wait takers[2];
static struct packet packets[2];
static unsigned looks;

void limit_look_later(struct limited_port *limited, void (*fire)(struct plat_timer *))
{
    EXPECT_EQ(limited, &port.limited);
    looks++;
}

void limit_forget(struct limited_port *limited)
{
    FAIL("nobody forks (%p)", (void *)limited);
}

void store_forget(void (*each)(struct object *))
{
    FAIL("nobody forks (%p)", (void *)&each);
}

/* Who looks is the timers' thread, which is not here. */
unsigned limit_plain(const struct port_limit *limit, pid_t *tids, unsigned most)
{
    return 0;
}

unsigned limit_asleep(pid_t *tids, unsigned count)
{
    return count;
}

void limit_looked(struct port_limit *limit, const pid_t *asleep, unsigned count)
{
}

/* Two threads wait at the port, and two packets for a place; so many run. */
static void fresh(uint32_t running)
{
    memset(&port, 0, sizeof port);
    memset(threads, 0, sizeof threads);
    looks = 0;
    port.object.type = OBJECT_PORT;
    port.object.refs = 1;
    port.limited.limit.most = 1;
    atomic_store(&port.limited.limit.running, running);
    for (int i = 0; i < 2; i++) {
        threads[i].serves.port = &port.object;
        threads[i].serves.limit = &port.limited.limit;
        prepare(&takers[i], &threads[i], false);
        wait_enqueue_only(&takers[i].wait, &port.object);
        packets[i].next = i ? NULL : &packets[1];
    }
    port.first = &packets[0];
    port.last = &packets[1];
    port.object.signal = 1;
}

TEST(Port, a_place_that_comes_free_is_for_a_packet_that_waits)
{
    fresh(0);
    port_settle(&port.object);
    EXPECT_EQ(takers[1].packet, &packets[0]);
    EXPECT_EQ(takers[1].wait.decided, true);
    EXPECT_EQ(takers[0].packet, NULL);
    EXPECT_EQ(takers[0].wait.decided, false);
    EXPECT_EQ(port.first, &packets[1]);
    EXPECT_EQ(looks, 1); /* for the other packet, whose place may come free unseen */
}

TEST(Port, with_no_place_nobody_gets_a_packet)
{
    fresh(1);
    port_settle(&port.object);
    EXPECT_EQ(takers[0].packet, NULL);
    EXPECT_EQ(takers[1].packet, NULL);
    EXPECT_EQ(port.first, &packets[0]);
    EXPECT_EQ(looks, 1);
}
