/* SPDX-License-Identifier: MIT
 *
 * cpu_time.h - the processor time of UMS threads, which the kernel books on the threads that carry
 * them.
 *
 * Nothing is counted until somebody asks for the first time. From then on each switch reads the
 * clock of the kernel thread that it happens on: what passed is booked on the context that was
 * left, and time begins for the one that is loaded. Until then a switch does what it must in any
 * case: it looks at scheduler->loaded, where it writes which context runs; while time is counted
 * that is NULL, and the switch comes here.
 *
 * Time from before the first question is not known, but for that of the thread's own kernel thread.
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

/* Counts from here on. */
void cpu_time_begin(void);
/* What a UMS thread has used: its own kernel thread, and those that carried it. Begins to count.
 * False: there is no such thread any more. */
bool cpu_time_of(struct plat_context *context, struct cpu_time *used);
/* The same for the calling thread, whatever it is. */
bool cpu_time_of_self(struct cpu_time *used);
/* The same for any thread, also after its end. False: it was carried while nothing was counted. */
bool cpu_time_of_thread(struct plat_thread *thread, struct cpu_time *used);
/* The calling thread is at its end; with the context that was its worker, or NULL. */
void cpu_time_thread_ends(struct plat_thread *thread, struct plat_context *worker, pid_t clock);

/* A scheduler is on this carrier from now on. */
void cpu_time_carry(struct plat_context *scheduler, struct carrier *carrier);
/* On the kernel thread in question: time begins, or is over, for a context. Nothing if none is
 * counted. */
void cpu_time_start(struct plat_context *context);
void cpu_time_stop(struct plat_context *context);

/* A scheduler's life. */
void cpu_time_scheduler_enters(struct plat_context *scheduler);
void cpu_time_scheduler_left(struct plat_context *scheduler);
void cpu_time_forget(void);
/* Calls look(scheduler, arg) for each scheduler that there is, with a lock held: meanwhile no
 * thread becomes a scheduler, and none ends being one. */
void schedulers_each(void (*look)(struct plat_context *scheduler, void *arg), void *arg);

#endif
