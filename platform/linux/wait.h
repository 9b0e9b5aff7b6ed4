/* SPDX-License-Identifier: MIT
 *
 * wait.h - waiting: for objects, for time, for a change at an address; asynchronous procedure calls.
 *
 * A worker waits by leaving its scheduler, any other thread in a futex. Deadlines are absolute
 * nanoseconds of plat_now(); 0 means not to wait, PLAT_FOREVER for ever.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_WAIT_H
#define UMSSHIM_PLATFORM_LINUX_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object;
struct plat_thread;
struct wait;

enum {
    WAIT_MAX = 64,
    /* Results, with Windows' values: 0 to 63 is the index of the object that satisfied the wait. */
    WAITED_ABANDONED = 0x80, /* added to the index: a mutex whose owner ended */
    WAITED_APC = 0xc0,       /* procedures were called */
    WAITED_TIMEOUT = 258,
    WAITED_CANCELLED = 0x1000, /* never seen by the waiter: it ends */
    WAITED_BAD_HANDLE,
    WAITED_NOT_OWNER,        /* the object to signal first is a mutex of somebody else */
    WAITED_OVER_LIMIT,       /* it is a semaphore that is full */
    WAITED_SAME_TWICE,       /* waiting for all, one object is named twice */
    WAITED_NO_MEMORY,
};

struct wait_request {
    void *const *handles;
    unsigned count;      /* 1 to WAIT_MAX */
    bool all, alertable;
    bool no_pseudo;      /* pseudo-handles are bad handles */
    void *signal_first;  /* a handle to signal in the same step; NULL: none */
    uint64_t deadline;
};

uint32_t wait_for_handles(const struct wait_request *request);
/* For a count of 1: without room for 64 on the stack, of which a worker's first page is short. */
uint32_t wait_for_handle(const struct wait_request *request);

/* The same for one object that the caller keeps alive, not alertable. */
uint32_t wait_for_object(struct object *object, uint64_t deadline);

/* Blocks the calling thread until the deadline: WAITED_TIMEOUT, or WAITED_APC if alertable. */
uint32_t wait_for_time(uint64_t deadline, bool alertable);

/* ---- Addresses (address.c) ---- */

/* Waits until address_wake, if still(arg) says under the dispatcher's lock that there is something to
 * wait for. With `queued`, calls it once the wait is in place and the lock released: what it lets
 * happen cannot be missed. For a worker that is on its scheduler: it uses no heap and does not block.
 * 0, or WAITED_TIMEOUT. */
uint32_t address_wait(const volatile void *address, bool (*still)(void *), void (*queued)(void *),
                      void *arg, uint64_t deadline);

/* Lets go at most `most` of those who wait there, first come first served, and tells `woken`, under
 * the lock and before any of them runs, how many those are and whether more are left. */
void address_wake(const volatile void *address, unsigned most,
                  void (*woken)(void *arg, unsigned count, bool more), void *arg);

/* ---- Waits of nobody's ---- */

/* Waits for one object and calls fn(arg, result) once, on any thread and with no lock held; fn must
 * not block. fn is called before this returns if there is nothing to wait for. */
struct watch;
struct watch *watch_create(struct object *object, void (*fn)(void *arg, uint32_t result), void *arg);
void watch_start(struct watch *watch, uint64_t deadline);
/* False: fn is being called or was. */
bool watch_stop(struct watch *watch);
void watch_free(struct watch *watch);

/* ---- Asynchronous procedure calls ---- */

/* Has the thread call fn(a, b, c) in its next alertable wait. 0, 8, or 31: it has ended. */
int apc_queue(struct plat_thread *thread, void (*fn)(uintptr_t, uintptr_t, uintptr_t), uintptr_t a,
              uintptr_t b, uintptr_t c);
/* Calls what is queued for the calling thread; false: nothing was. */
__attribute__((noinline)) bool apcs_run(void);
void apcs_discard(struct plat_thread *thread);

/* ---- Ending what waits ---- */

/* Ends the wait of a thread or worker that is about to be ended itself; false: it does not wait. */
bool wait_cancel(struct plat_thread *thread);
/* Makes sure that no timer looks at the wait of a worker that will not run again. */
void wait_disarm(struct plat_thread *thread);

#endif
