/* SPDX-License-Identifier: MIT
 *
 * object.h - dispatcher objects, waits on them, threads as objects, and handles.
 *
 * An object has a signal state and a list of wait blocks. A wait stands on the lists of all its
 * objects at once; whoever signals an object decides, under the one dispatcher lock, which waits are
 * satisfied, takes those off all their lists, and opens their gates after the lock was released.
 * A worker waits at its gate by leaving its scheduler, any other thread in a futex.
 *
 * Objects are counted. Handles are small numbers into a table and hold one reference each.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OBJECT_H
#define UMSSHIM_PLATFORM_LINUX_OBJECT_H

#include "platform/linux/engine.h"

enum object_type { OBJECT_AUTO_EVENT, OBJECT_MANUAL_EVENT, OBJECT_THREAD, OBJECT_FILE, OBJECT_PORT };

struct wait_block;

struct object {
    enum object_type type;
    _Atomic uint32_t refs;
    bool signalled;                  /* under the dispatcher lock */
    void (*destroy)(struct object *); /* with the last reference, before the memory goes; or NULL */
    struct wait_block *first, *last; /* under the dispatcher lock */
};

struct plat_thread {
    struct object object;
    struct plat_context *context; /* while it is a worker or a scheduler */
    pid_t tid;
    uint32_t exit_code;
    _Atomic uint32_t held; /* futex: 1 until the first ResumeThread */
    int priority;      /* advisory */
    sigset_t sigmask;  /* what the thread starts with */
    uint32_t (*start)(void *);
    void *param;
};

enum { WAIT_FAILED_NO_TIME = 258, WAIT_MAX = 64 };

/* A new object with one reference, or NULL. `bytes` covers the type that embeds it. */
void *object_create(enum object_type type, size_t bytes);
void object_hold(struct object *object);
void object_drop(struct object *object);

void object_signal(struct object *object);
void object_reset(struct object *object);

/* Waits for one or all of them. The index of the one that satisfied the wait (0 for all), or
 * WAIT_FAILED_NO_TIME. Blocks like any wait of the calling kind of thread. */
uint32_t object_wait(struct object *const *objects, unsigned count, bool all, uint64_t deadline);

/* Blocks the calling thread until the deadline. */
void object_delay(uint64_t deadline);

/* ---- handle.c ---- */

int handle_create(struct object *object, void **handle); /* takes its own reference; 0 or 8 */
struct object *handle_object(void *handle);              /* a reference, or NULL */
bool handle_close(void *handle);
void handles_forget(void);

/* ---- thread.c ---- */

/* A thread object that is not bound to a kernel thread yet; its exit code is STILL_ACTIVE. */
struct plat_thread *thread_create_object(void);
/* The calling thread's, made on first need. NULL: no memory. */
struct plat_thread *thread_current(void);
pid_t thread_current_id(void);
/* A plain thread that runs thread->start(thread->param), after thread_release if it is to be held.
 * Returns when it exists and thread->tid is set. 0 or 8. */
int thread_start(struct plat_thread *thread, size_t stack_bytes, bool held);
/* Lets a held thread go; the count before, 0 or 1. */
uint32_t thread_release(struct plat_thread *thread);
bool thread_has_ended(struct plat_thread *thread);
/* 0 or -errno. A scheduler's mask goes where it is carried. */
int thread_get_affinity(struct plat_thread *thread, cpu_set_t *mask);
int thread_set_affinity(struct plat_thread *thread, const cpu_set_t *mask);
/* On the thread itself, first and last thing. */
void thread_born(struct plat_thread *thread, pid_t tid);
/* Ends the calling plain thread. */
_Noreturn void thread_exit(uint32_t code);
void threads_forget(void);
void dispatcher_forget(void);

#endif
