/* SPDX-License-Identifier: MIT
 *
 * thread_map.h - the contexts of threads that have one, found by thread id.
 *
 * A thread is in the map from its creation (workers) or from EnterUmsSchedulingMode (schedulers) to
 * its end. After that the system may use its id again, and the application its context.
 *
 * Between its removal from here and the moment when its context says TERMINATED a worker's thread
 * is *leaving*. It must not be stopped or ended then, or its context would never become TERMINATED.
 * So thread_map_hold waits until the thread has left. And a thread that is held cannot begin to
 * leave.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_THREAD_MAP_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_THREAD_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct plat_context;

void thread_map_add(struct plat_context *context);
void thread_map_remove(struct plat_context *context);

/* The same for a worker's context. Its thread is leaving from thread_map_leave to
 * thread_map_left. */
struct leaving {
    uint32_t thread_id;
    struct leaving *next;
};
void thread_map_leave(struct plat_context *context, struct leaving *leaving);
void thread_map_left(struct leaving *leaving);

struct plat_context *thread_map_find(uint32_t thread_id);
/* The same, for a caller that acts on the context: it stays that thread's until the caller releases
 * it. The caller does so soon, and waits for no other thread before. If the thread is leaving the
 * function waits until it has left. */
struct plat_context *thread_map_hold(uint32_t thread_id);
void thread_map_release(struct plat_context *context);
struct plat_context *thread_map_look(uint32_t thread_id); /* the same, usually without its lock */
/* While a thread holds the map's lock no other is in the middle of a change. */
void thread_map_lock(void);
void thread_map_unlock(void);
/* Whether `is` is true for one of the contexts. It is called with the map's lock held, and makes no
 * system call: a plain thread that is suspended in one would keep the lock, which the thread that
 * resumes it needs. */
bool thread_map_any(bool (*is)(struct plat_context *context, void *arg), void *arg);
/* The id, of a thread with a context, that follows this one. 0 asks for the first, and 0 follows
 * the last. The lock is free in between; a thread that comes or goes meanwhile may be left out. */
uint32_t thread_map_next(uint32_t thread_id);

#endif
