/* SPDX-License-Identifier: MIT
 *
 * port_limit.c - see port_limit.h.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "platform/linux/dispatch/port_limit.h"
#include "platform/linux/os/clock.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/timer.h"

enum { LOOK_NS = 10 * 1000 * 1000, LOOKS_OF_PLAIN = 2, LOOKS_OF_OTHERS = 100 };

void limit_enter(struct limited_port *port, struct plat_thread *self)
{
    struct service *serves = &self->serves;
    serves->port = &port->object;
    serves->limit = &port->limit;
    CHAIN_PREPEND(&port->limit.threads, self, serves.next, serves.previous);
}

void limit_quit(struct limited_port *port, struct plat_thread *self)
{
    CHAIN_REMOVE(&port->limit.threads, self, serves.next, serves.previous);
    self->serves.port = NULL;
}

void limit_look_later(struct limited_port *port, void (*fire)(struct plat_timer *))
{
    struct port_limit *limit = &port->limit;
    if (limit->looking)
        return;
    limit->looking = true;
    port->object.refs++;
    limit->look.deadline = plat_now() + LOOK_NS;
    limit->look.fire = fire;
    timer_add(&limit->look);
}

unsigned limit_plain(const struct port_limit *limit, pid_t *tids, unsigned most)
{
    unsigned count = 0;
    for (const struct plat_thread *thread = limit->threads.first; thread && count < most;
         thread = thread->serves.next)
        if (!__atomic_load_n(&thread->context, __ATOMIC_RELAXED) &&
            atomic_load_explicit(&thread->serves.placed, memory_order_relaxed))
            tids[count++] = thread->tid;
    return count;
}

/* The state follows the name, which is in parentheses and may have any character. */
static bool sleeps(pid_t tid)
{
    char path[48], text[128];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    long fd = RAW3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return true; /* the thread may have ended: it counts as asleep */
    long got = RAW3(SYS_read, fd, text, sizeof text - 1);
    RAW1(SYS_close, fd);
    text[got > 0 ? got : 0] = 0;
    const char *name = strrchr(text, ')');
    return name && name[1] == ' ' && (name[2] == 'S' || name[2] == 'D');
}

unsigned limit_asleep(pid_t *tids, unsigned count)
{
    unsigned asleep = 0;
    for (unsigned i = 0; i < count; i++)
        if (sleeps(tids[i]))
            tids[asleep++] = tids[i];
    return asleep;
}

static bool is_among(pid_t tid, const pid_t *tids, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (tids[i] == tid)
            return true;
    return false;
}

void limit_looked(struct port_limit *limit, const pid_t *asleep, unsigned count)
{
    for (struct plat_thread *thread = limit->threads.first; thread; thread = thread->serves.next) {
        struct service *serves = &thread->serves;
        if (!atomic_load_explicit(&serves->placed, memory_order_relaxed))
            continue;
        bool plain = !__atomic_load_n(&thread->context, __ATOMIC_RELAXED);
        uint32_t looks = 0;
        if (!plain || is_among(thread->tid, asleep, count))
            looks = atomic_load_explicit(&serves->looks, memory_order_relaxed) + 1;
        atomic_store_explicit(&serves->looks, looks, memory_order_relaxed);
        if (looks >= (plain ? LOOKS_OF_PLAIN : LOOKS_OF_OTHERS))
            place_give_up(thread);
    }
}

void limit_forget(struct limited_port *port)
{
    struct plat_thread *self = plat_tls.thread;
    port->limit.looking = false;
    port->limit.threads.first = port->limit.threads.last = NULL;
    atomic_store_explicit(&port->limit.running, 0, memory_order_relaxed);
    if (!self || self->serves.port != &port->object)
        return;
    self->serves.port = NULL;
    atomic_store_explicit(&self->serves.placed, false, memory_order_relaxed);
    if (port->object.refs > 1) /* else the port is closed, and stays as it is */
        port->object.refs--;
}
