/* SPDX-License-Identifier: MIT
 *
 * port_limit.h - how many of a port's threads run at once.
 *
 * A thread that asks a port for packets serves it from then on: until it asks another port, or
 * ends. While it runs it has a *place* at the port, of which there are as many as the port's limit.
 *
 *   no place -> place   under the port's lock, when the thread takes a packet, or is given one
 *                       while it waits. By the thread itself, without the lock and whatever the
 *                       limit says, when another wait of its is over, or when its wait for a
 *                       packet has ended without one
 *   place -> no place   by the thread itself, when it asks for a packet (with the lock), before it
 *                       waits or sleeps in a system call (without), and when it ends; by the fault
 *                       watch, for a worker whose scheduler it takes; by the timer thread, with the
 *                       lock, as said below
 *
 * Two threads may do so at once. Each exchanges `placed`, and the one that has changed it changes
 * `running`.
 *
 * `running` is an atomic counter, which may be above the limit. A thread hands a packet out only
 * with the port's lock held and `running` below the limit. A thread that has given up its place
 * without the lock takes the lock afterwards, and hands out the packets that wait for a place
 * (port_settle). A poster that still saw the place taken has queued its packet by then.
 *
 * The engine sees a worker's sleeps, and the dispatcher every thread's waits. Nothing sees the
 * system calls of a plain thread, nor whether a worker that is suspended or has yielded runs again
 * soon. So while packets wait for a place, a timer looks at the threads that have one. A plain
 * thread that the system shows asleep at two looks in turn loses its place. So does a worker or a
 * scheduler that has kept its place for a second of looks. Such a thread has a place again when its
 * next wait is over. So a thread too many may run, but no packet waits for a place for ever.
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

/* The thread is about to wait. Returns the port at which it has given up its place, for
 * port_settle; or NULL. */
static inline struct object *place_give_up(struct plat_thread *thread)
{
    struct service *serves = &thread->serves;
    if (UMS_LIKELY(!atomic_load_explicit(&serves->placed, memory_order_relaxed)) ||
        !atomic_exchange_explicit(&serves->placed, false, memory_order_relaxed))
        return NULL;
    atomic_fetch_sub_explicit(&serves->limit->running, 1, memory_order_seq_cst);
    return serves->port;
}

/* The thread's wait is over. */
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

/* The thread serves the port from here on, with a reference that the caller has taken. */
void limit_enter(struct limited_port *port, struct plat_thread *self);
/* The thread serves the port no longer. */
void limit_quit(struct limited_port *port, struct plat_thread *self);
static inline bool limit_has_room(const struct port_limit *limit)
{
    return atomic_load_explicit(&limit->running, memory_order_seq_cst) < limit->most;
}
/* Packets wait for a place: has `fire` called after a moment. */
void limit_look_later(struct limited_port *port, void (*fire)(struct plat_timer *));
/* Fills in the kernel's ids of plain threads with a place, at most `most`; returns how many. */
unsigned limit_plain(const struct port_limit *limit, pid_t *tids, unsigned most);
/* `asleep`: the plain threads that a look found asleep. A thread that sleeps look after look loses
 * its place. */
void limit_looked(struct port_limit *limit, const pid_t *asleep, unsigned count);
/* In a child of fork, where only the caller is left. */
void limit_forget(struct limited_port *port);

/* ---- Without ---- */

/* Keeps in `tids` the threads that sleep in the kernel; returns how many. */
unsigned limit_asleep(pid_t *tids, unsigned count);

#endif
