/* SPDX-License-Identifier: MIT
 *
 * port_limit.h - how many of a port's threads run at once.
 *
 * A thread that asks a port for packets serves it from then on: until it asks another port, or
 * ends. While it runs it has a *place* at the port, of which there are as many as the port's limit.
 *
 *   no place -> place   under the port's lock: it takes a packet, or is given one while it waits.
 *                       By the thread itself, without the lock and whatever the limit says: its
 *                       wait at another object, or for the port without a packet, is over
 *   place -> no place   by the thread itself, when it asks for a packet (with the lock), before
 *                       it waits (without), when it ends; by the reactor for a worker that sleeps
 *                       in a system call; by the timers' thread, with the lock, as said below
 *
 * Two may do so at once: `placed` is exchanged, and the one that changes it counts.
 *
 * So `running` is an atomic counter, which may be above the limit. A packet is handed out only with
 * the port's lock and below the limit. A thread that gives up its place without the lock takes it
 * afterwards, and hands out what waits for a place (port_settle): a poster that still saw the place
 * taken has left its packet by then.
 *
 * A worker's sleeps are seen by the engine, and every thread's waits by the dispatcher. The system
 * calls of a plain thread nobody sees, nor whether a worker that is suspended or has yielded runs
 * again before a packet is handled. So while packets wait for a place, a timer looks at the threads
 * that have one. A plain thread that the system shows asleep at two looks in turn loses it; and so
 * does a worker or a scheduler that has kept one for a second of looks. It has a place again when
 * its next wait is over. So a thread too many may run; none waits for a place for ever.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_PORT_LIMIT_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_PORT_LIMIT_H

#include "platform/chain.h"
#include "platform/linux/dispatch/port.h"
#include "platform/linux/dispatch/thread_object.h"

struct port_limit {
    uint32_t most;
    _Atomic uint32_t running;             /* threads with a place */
    CHAIN_OF(struct plat_thread) threads; /* that serve the port; with its lock */
    struct plat_timer look;
    bool looking; /* the timer is set, and has a reference to the port; with its lock */
};

/* A port begins with these. */
struct limited_port {
    struct object object;
    struct port_limit limit;
};

/* ---- By the thread itself, or on its behalf while it stands still ---- */

/* It is about to wait. The port whose place it has given up, for port_settle; or NULL. */
static inline struct object *place_give_up(struct plat_thread *thread)
{
    struct service *serves = &thread->serves;
    if (UMS_LIKELY(!atomic_load_explicit(&serves->placed, memory_order_relaxed)) ||
        !atomic_exchange_explicit(&serves->placed, false, memory_order_relaxed))
        return NULL;
    atomic_fetch_sub_explicit(&serves->limit->running, 1, memory_order_seq_cst);
    return serves->port;
}

/* Its wait is over. */
static inline void place_take(struct plat_thread *thread)
{
    struct service *serves = &thread->serves;
    if (UMS_LIKELY(!serves->port) || atomic_load_explicit(&serves->placed, memory_order_relaxed))
        return;
    atomic_store_explicit(&serves->looks, 0, memory_order_relaxed);
    if (!atomic_exchange_explicit(&serves->placed, true, memory_order_relaxed))
        atomic_fetch_add_explicit(&serves->limit->running, 1, memory_order_relaxed);
}

/* The thread gives up its place at its port, and the port gives it to another. The caller has no
 * lock. */
static inline void place_leave(struct plat_thread *thread)
{
    struct object *port = place_give_up(thread);
    if (UMS_UNLIKELY(port != NULL))
        port_settle(port);
}

/* ---- With the port's lock ---- */

/* The thread serves the port from here on, with a reference of the caller's. */
void limit_enter(struct limited_port *port, struct plat_thread *self);
/* It serves the port no longer. */
void limit_quit(struct limited_port *port, struct plat_thread *self);
static inline bool limit_has_room(const struct port_limit *limit)
{
    return atomic_load_explicit(&limit->running, memory_order_seq_cst) < limit->most;
}
/* Packets wait for a place. `fire` is called after a moment. */
void limit_look_later(struct limited_port *port, void (*fire)(struct plat_timer *));
/* The kernel's ids of plain threads with a place, of which there are at most `most`. */
unsigned limit_plain(const struct port_limit *limit, pid_t *tids, unsigned most);
/* `asleep`: the plain threads that a look found asleep. Who sleeps look after look loses its
 * place. */
void limit_looked(struct port_limit *limit, const pid_t *asleep, unsigned count);
/* In a child of fork, where only the caller is left. */
void limit_forget(struct limited_port *port);

/* ---- Without ---- */

/* Leaves those that sleep in the kernel, and says how many they are. */
unsigned limit_asleep(pid_t *tids, unsigned count);

#endif
