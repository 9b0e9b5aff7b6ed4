/* SPDX-License-Identifier: MIT
 *
 * cpu_time.h - the processor time of UMS threads, which the kernel books on the threads that carry
 * them.
 *
 * The library counts nothing until a thread asks for the first time. From then on each switch reads
 * the clock of its kernel thread, books the time that has passed on the context that was left, and
 * begins the time of the one that is loaded. Counting costs nothing before that: a switch reads
 * scheduler->loaded in any case, to write there which context runs. While time is counted that is
 * NULL, and the switch comes here.
 *
 * Of the time before the first question only that of the thread's own kernel thread is known.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_CPU_TIME_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_CPU_TIME_H

#include <sys/types.h>
#include <stdint.h>
#include <stdbool.h>

struct plat_context;
struct carrier;
struct plat_thread;

struct cpu_time {
    uint64_t total, user; /* nanoseconds */
};

/* Begins to count. */
void cpu_time_begin(void);
/* The time that a UMS thread has used on its own kernel thread and on those that carried it. Begins
 * to count. False: the thread is gone. */
bool cpu_time_of(struct plat_context *context, struct cpu_time *used);
/* The same for the calling thread, whatever it is. */
bool cpu_time_of_self(struct cpu_time *used);
/* The same for any thread, also after its end. False: it was carried before counting began. */
bool cpu_time_of_thread(struct plat_thread *thread, struct cpu_time *used);
/* The calling thread is at its end. `worker`: the context that was its worker's, or NULL. */
void cpu_time_thread_ends(struct plat_thread *thread, struct plat_context *worker, pid_t clock);

/* A scheduler is on this carrier from now on. */
void cpu_time_carry(struct plat_context *scheduler, struct carrier *carrier);
/* On the scheduler's carrier: its switches go the long way for another reason, or no longer. */
void cpu_time_unloads(struct plat_context *scheduler);
void cpu_time_loads(struct plat_context *scheduler);
/* On the context's kernel thread: the context's time begins, or ends. Does nothing before counting
 * begins. */
void cpu_time_start(struct plat_context *context);
void cpu_time_stop(struct plat_context *context);

/* A scheduler begins and ends. */
void cpu_time_scheduler_enters(struct plat_context *scheduler);
void cpu_time_scheduler_left(struct plat_context *scheduler);
void cpu_time_forget(void);
/* Calls look(scheduler, arg) for each scheduler that there is, with a lock held: meanwhile no
 * thread becomes a scheduler, and none ends being one. */
void schedulers_each(void (*look)(struct plat_context *scheduler, void *arg), void *arg);

#endif
