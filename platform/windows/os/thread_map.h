/* SPDX-License-Identifier: MIT
 *
 * thread_map.h - the contexts of threads that have one, found by thread id.
 *
 * A thread is in the map from its creation (workers) or its entering (schedulers) to its end. After
 * that the system may use its id again, and the application its context.
 *
 * Between its removal from here and the moment when its context says TERMINATED a worker's thread
 * is *leaving*. It must not be stopped or ended then, or its context would never become TERMINATED.
 * So thread_map_hold waits until it has left; and a thread that is held cannot begin to leave.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_THREAD_MAP_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_THREAD_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct plat_context;

void thread_map_add(struct plat_context *context);
void thread_map_remove(struct plat_context *context);

/* The same for a worker's, whose thread is leaving from then on until thread_map_left. */
struct leaving {
    uint32_t thread_id;
    struct leaving *next;
};
void thread_map_leave(struct plat_context *context, struct leaving *leaving);
void thread_map_left(struct leaving *leaving);

struct plat_context *thread_map_find(uint32_t thread_id);
/* The same, for a caller that acts on it: it stays this thread's until it is released, which must
 * be soon and needs nobody else. None that is leaving: it is waited for. */
struct plat_context *thread_map_hold(uint32_t thread_id);
void thread_map_release(struct plat_context *context);
struct plat_context *thread_map_look(uint32_t thread_id); /* the same, usually without its lock */
/* While the map's lock is held nobody is in the middle of a change. */
void thread_map_lock(void);
void thread_map_unlock(void);
/* Whether there is one for which this is true. Under the map's lock: `is` makes no system call. A
 * plain thread that is suspended in one would keep the lock, which who resumes it needs. */
bool thread_map_any(bool (*is)(struct plat_context *context, void *arg), void *arg);
/* One id after the other, of threads with a context, without the lock in between: 0 begins, and
 * ends. One that comes or goes meanwhile is among them or not. */
uint32_t thread_map_next(uint32_t thread_id);

#endif
